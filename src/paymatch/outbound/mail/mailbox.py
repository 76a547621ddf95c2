"""Mailboxes of the installation, for delivery reports and for remittance advices: read by IMAP (RFC 3501)."""

from __future__ import annotations

import imaplib
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.settings import Settings
from paymatch.system_errors import in_a_sentence

TIMEOUT_SECONDS: Final = 30.0
AT_ONCE: Final = 200
"""Messages of one look; what is left is read at the next."""

_PLAIN_HOSTS: Final = ("localhost", "127.0.0.1", "::1")


class MailboxUrlRefused(Refused):
    """The URL of a mailbox cannot be used; the text says why and never shows the password."""


class MailboxUnavailable(Exception):
    """The mailbox cannot be read now."""


@dataclass(frozen=True, slots=True)
class MailboxAddress:
    """Where the mailbox is; `tls` from the first byte on."""

    host: str
    port: int
    user: str
    password: str
    folder: str
    tls: bool


def mailbox_address(url: str, variable: str = "PAYMATCH_BOUNCES_URL") -> MailboxAddress:
    """The mailbox of `imaps://user:password@host/folder`; `imap://` on this machine only. MailboxUrlRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise MailboxUrlRefused(Message("mailbox-url-port", variable=variable)) from None
    if parts.scheme not in ("imap", "imaps") or not parts.hostname or not parts.username or parts.query:
        raise MailboxUrlRefused(Message("mailbox-url-imaps", variable=variable))
    tls = parts.scheme == "imaps"
    if not tls and parts.hostname not in _PLAIN_HOSTS:
        raise MailboxUrlRefused(Message("mailbox-url-password", variable=variable))
    folder = unquote(parts.path.strip("/")) or "INBOX"
    if not all(char.isprintable() and char not in '"\\' for char in folder):
        raise MailboxUrlRefused(Message("mailbox-url-folder", variable=variable))
    return MailboxAddress(
        parts.hostname, port or (993 if tls else 143), unquote(parts.username), unquote(parts.password or ""), folder,
        tls,
    )  # fmt: skip


def open_mailbox(settings: Settings) -> Mailbox | None:
    """The operator's mailbox for reports; None if there is none. MailboxUrlRefused."""
    if settings.bounces_url is None:
        return None
    return Mailbox(mailbox_address(settings.bounces_url.get_secret_value()))


def open_advice_mailbox(settings: Settings) -> Mailbox | None:
    """The operator's mailbox for remittance advices; None if there is none. MailboxUrlRefused."""
    if settings.advices_url is None:
        return None
    return Mailbox(mailbox_address(settings.advices_url.get_secret_value(), "PAYMATCH_ADVICES_URL"))


class Mailbox:
    """Unread messages. A connection is made for each look and closed after it."""

    def __init__(
        self,
        address: MailboxAddress,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._address = address
        self._timeout = timeout_seconds
        self._context = context

    def unread(self, most_bytes: int) -> Iterator[bytes]:
        """Each unread message, at most so many bytes of it; it is marked as read once the caller asks for the next.

        What the caller fails at stays unread. MailboxUnavailable.
        """
        try:
            connection = self._connect()
        except (imaplib.IMAP4.error, OSError) as error:
            raise MailboxUnavailable(f"{type(error).__name__}: {in_a_sentence(error)}"[:300]) from error
        try:
            for uid in self._search(connection):
                yield self._fetch(connection, uid, most_bytes)
                connection.uid("STORE", uid, "+FLAGS.SILENT", r"(\Seen)")
        except (imaplib.IMAP4.error, OSError) as error:
            raise MailboxUnavailable(f"{type(error).__name__}: {in_a_sentence(error)}"[:300]) from error
        finally:
            with suppress(imaplib.IMAP4.error, OSError):
                connection.logout()

    def _connect(self) -> imaplib.IMAP4:
        address = self._address
        if address.tls:
            context = self._context or ssl.create_default_context()
            found: imaplib.IMAP4 = imaplib.IMAP4_SSL(
                address.host, address.port, ssl_context=context, timeout=self._timeout
            )
        else:
            found = imaplib.IMAP4(address.host, address.port, timeout=self._timeout)
        try:
            found.login(address.user, address.password)
            answer, text = found.select(f'"{address.folder}"')
            if answer != "OK":
                raise imaplib.IMAP4.error(f"folder {address.folder}: {text!r}")
        except Exception:
            found.shutdown()
            raise
        return found

    @staticmethod
    def _search(connection: imaplib.IMAP4) -> list[str]:
        answer, found = connection.uid("SEARCH", "UNSEEN")
        if answer != "OK":
            raise imaplib.IMAP4.error("the mailbox cannot be searched")
        return [uid.decode() for line in found if isinstance(line, bytes) for uid in line.split()][:AT_ONCE]

    @staticmethod
    def _fetch(connection: imaplib.IMAP4, uid: str, most_bytes: int) -> bytes:
        answer, found = connection.uid("FETCH", uid, f"(BODY.PEEK[]<0.{most_bytes}>)")
        if answer != "OK":
            raise imaplib.IMAP4.error(f"message {uid} cannot be read")
        return next((part[1] for part in found if isinstance(part, tuple)), b"")
