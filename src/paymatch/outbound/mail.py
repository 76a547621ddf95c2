"""Mail on its way out: one door, to a mail server by SMTP, into a folder, or (for tests) into memory."""

from __future__ import annotations

import os
import re
import smtplib
import ssl
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from paymatch.domain.refusal import Refused
from paymatch.settings import Settings

TIMEOUT_SECONDS: Final = 20.0
_MAILS_PER_CONNECTION: Final = 50
_ID: Final = re.compile(r"[a-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """A message as it goes out; addresses are plain and in ASCII."""

    shop: str
    id: str
    sender: str
    recipient: str
    content: bytes


class MailNotSent(Exception):
    """The mail did not go out. `permanent`: this mail never will, trying again is of no use."""

    def __init__(self, text: str, *, permanent: bool) -> None:
        super().__init__(text)
        self.permanent = permanent


class MailDoor(Protocol):
    """The way out. A mail is out once `send` returns; MailNotSent otherwise."""

    @property
    def delivers(self) -> bool:
        """Whether mail reaches its recipients; False where it is only kept."""

    def send(self, mail: OutgoingMail) -> str:
        """Sends a mail: the name by which a provider reports what becomes of it, "" without one; MailNotSent."""

    def close(self) -> None:
        """Lets go of connections."""


class MailUrlRefused(Refused):
    """PAYMATCH_EMAIL_URL cannot be used; the text says why and never shows the password."""


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
        raise MailUrlRefused("PAYMATCH_EMAIL_URL: the port is not a number") from None
    options = parse_qs(parts.query)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path not in ("", "/"):
        raise MailUrlRefused("PAYMATCH_EMAIL_URL: smtp://user:password@host:port or smtps://... is expected")
    if set(options) - {"starttls"} or options.get("starttls", ["on"]) not in (["on"], ["off"]):
        raise MailUrlRefused("PAYMATCH_EMAIL_URL: the only option is starttls=on or starttls=off")
    tls = parts.scheme == "smtps"
    starttls = not tls and options.get("starttls", ["on"]) == ["on"]
    user = unquote(parts.username or "")
    if user and not (tls or starttls) and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise MailUrlRefused("PAYMATCH_EMAIL_URL: a password is sent over TLS only")
    standard = 465 if tls else 587 if user else 25
    return MailServer(parts.hostname, port or standard, user, unquote(parts.password or ""), tls, starttls)


@dataclass(frozen=True, slots=True)
class Route:
    """Which way a mail went: `server` as host:port, or the folder; `encryption` "" where there was none."""

    server: str
    encryption: str = ""


class RoutedDoor(MailDoor, Protocol):
    """A way out that knows where it leads."""

    @property
    def route(self) -> Route:
        """Which way the last mail went."""


def open_mail(settings: Settings) -> RoutedDoor:
    """The operator's mail server or provider, or the folder `mail` in the data directory. MailUrlRefused."""
    if settings.email_url is not None:
        url = settings.email_url.get_secret_value()
        if not url.startswith("anymail://"):
            return SmtpDoor(mail_server(url))
        from paymatch.outbound.mail_provider import ProviderDoor, provider_of  # noqa: PLC0415  Django, for it alone

        return ProviderDoor(provider_of(url))
    return FolderDoor(settings.kept_mail())


class SmtpDoor:
    """Mail by SMTP over one connection, which is kept for further mail and made anew when it has gone."""

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
                self._connected().sendmail(mail.sender, [mail.recipient], mail.content)
            except (smtplib.SMTPException, OSError) as error:
                self._drop()
                raise _not_sent(error) from error
            self._sent += 1
            if self._sent >= _MAILS_PER_CONNECTION:
                self._drop()
        return ""

    @property
    def route(self) -> Route:
        """The server, and how the connection to it was last encrypted."""
        return Route(f"{self._server.host}:{self._server.port}", self._encryption)

    def close(self) -> None:
        """Says goodbye to the server."""
        with self._one_at_a_time:
            self._drop()

    def _connected(self) -> smtplib.SMTP:
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
    """What an error means for the mail. Trouble with the server or the sender's address is nobody's mail in particular:
    it is tried again, and a person is told."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        return MailNotSent(_words(code, text), permanent=code >= 500)
    if isinstance(error, smtplib.SMTPDataError):
        return MailNotSent(_words(error.smtp_code, error.smtp_error), permanent=error.smtp_code >= 500)
    if isinstance(error, smtplib.SMTPResponseException):
        return MailNotSent(f"{type(error).__name__}: {_words(error.smtp_code, error.smtp_error)}", permanent=False)
    return MailNotSent(f"{type(error).__name__}: {error}"[:300], permanent=False)


def _words(code: int, text: bytes | str) -> str:
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return " ".join(f"{code} {decoded}".split())[:300]


class FolderDoor:
    """Mail as `.eml` files, one folder per shop: what is used while no mail server is set. The same mail, one file."""

    delivers = False

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def route(self) -> Route:
        """The folder."""
        return Route(str(self._root))

    def send(self, mail: OutgoingMail) -> str:
        """Writes the file, whole or not at all."""
        if not (_ID.fullmatch(mail.shop) and _ID.fullmatch(mail.id)):
            raise MailNotSent("no file can be named for this mail", permanent=True)
        folder = self._root / mail.shop
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = folder / f".{mail.id}.{os.getpid()}"
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(mail.content)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(folder / f"{mail.id}.eml")
        except OSError as error:
            raise MailNotSent(str(error), permanent=False) from error
        return ""

    def close(self) -> None:
        """Nothing to let go of."""


class NullMail:
    """Mail in memory, gone with the process: for tests, and where mail is never sent."""

    def __init__(self, *, delivers: bool = False) -> None:
        self.delivers = delivers
        self.sent: list[OutgoingMail] = []

    def send(self, mail: OutgoingMail) -> str:
        self.sent.append(mail)
        return ""

    def close(self) -> None:
        """Nothing to let go of."""
