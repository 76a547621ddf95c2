"""Mail to a mail server by SMTP."""

from __future__ import annotations

import smtplib
import ssl
import threading
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from paymatch.domain.words.message import Message
from paymatch.outbound.mail.outgoing import TIMEOUT_SECONDS, MailNotSent, MailRoute, MailUrlRefused, OutgoingMail
from paymatch.system_errors import in_a_sentence

_MAILS_PER_CONNECTION: Final = 50


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail goes: `tls` from the first byte on, `starttls` demanded after the greeting, or neither."""

    host: str
    port: int
    user: str
    password: str
    tls: bool
    starttls: bool


def mail_server(url: str) -> MailServer:
    """The server of `smtp://user:password@host:port` (STARTTLS, or `?starttls=off` for a relay on the same machine)
    or `smtps://...` (TLS from the beginning). MailUrlRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise MailUrlRefused(Message("mail-url-paymatch-email-url-port")) from None
    options = parse_qs(parts.query)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path not in ("", "/"):
        raise MailUrlRefused(Message("mail-url-paymatch-email-url-smtp"))
    if set(options) - {"starttls"} or options.get("starttls", ["on"]) not in (["on"], ["off"]):
        raise MailUrlRefused(Message("mail-url-paymatch-email-url-only"))
    tls = parts.scheme == "smtps"
    starttls = not tls and options.get("starttls", ["on"]) == ["on"]
    user = unquote(parts.username or "")
    if user and not (tls or starttls) and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise MailUrlRefused(Message("mail-url-paymatch-email-url-password"))
    standard = 465 if tls else 587 if user else 25
    return MailServer(parts.hostname, port or standard, user, unquote(parts.password or ""), tls, starttls)


class SmtpDoor:
    """Mail by SMTP over one connection, which is kept for further mail and replaced when it is gone."""

    delivers = True

    def __init__(
        self, server: MailServer, *, timeout_seconds: float = TIMEOUT_SECONDS, context: ssl.SSLContext | None = None
    ) -> None:
        self._server = server
        self._timeout = timeout_seconds
        self._context = context or ssl.create_default_context()
        self._connection: smtplib.SMTP | None = None
        self._sent = 0
        self._encryption = ""
        self._one_at_a_time = threading.Lock()

    def send(self, mail: OutgoingMail) -> str:
        """Gives the mail to the server. A refusal of the recipient or of the content with 5xx is permanent."""
        with self._one_at_a_time:
            try:
                self._connect().sendmail(mail.sender, [mail.recipient], mail.content)
            except (smtplib.SMTPException, OSError) as error:
                self._drop()
                raise _not_sent(error) from error
            self._sent += 1
            if self._sent >= _MAILS_PER_CONNECTION:
                self._drop()
        return ""

    @property
    def route(self) -> MailRoute:
        """The server, and how the connection to it was last encrypted."""
        return MailRoute(f"{self._server.host}:{self._server.port}", self._encryption)

    def close(self) -> None:
        """Says goodbye to the server."""
        with self._one_at_a_time:
            self._drop()

    def _connect(self) -> smtplib.SMTP:
        """A connection that answers; one that has gone since the last mail is replaced before anything was sent."""
        if self._connection is not None:
            try:
                if self._connection.noop()[0] == 250:
                    return self._connection
            except (smtplib.SMTPException, OSError):
                pass
            self._drop()
        server = self._server
        if server.tls:
            found: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=self._timeout, context=self._context
            )
        else:
            found = smtplib.SMTP(server.host, server.port, timeout=self._timeout)
        self._connection, self._sent = found, 0
        if server.starttls:
            found.starttls(context=self._context)
        self._encryption = found.sock.version() or "" if isinstance(found.sock, ssl.SSLSocket) else ""
        if server.user:
            found.login(server.user, server.password)
        return found

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.quit()
            except (smtplib.SMTPException, OSError):
                connection.close()


def _not_sent(error: smtplib.SMTPException | OSError) -> MailNotSent:
    """What an error means for the mail. Trouble with the server or the sender's address affects all mails: it is
    retried, with an alert.
    """
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        return MailNotSent(_words(code, text), permanent=code >= 500)
    if isinstance(error, smtplib.SMTPDataError):
        return MailNotSent(_words(error.smtp_code, error.smtp_error), permanent=error.smtp_code >= 500)
    if isinstance(error, smtplib.SMTPResponseException):
        return MailNotSent(f"{type(error).__name__}: {_words(error.smtp_code, error.smtp_error)}", permanent=False)
    return MailNotSent(f"{type(error).__name__}: {in_a_sentence(error)}"[:300], permanent=False)


def _words(code: int, text: bytes | str) -> str:
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return " ".join(f"{code} {decoded}".split())[:300]
