"""The ways to a collection agency: a folder, mail, or the agency's own server; each takes a parcel once."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formataddr
from pathlib import Path
from typing import Final, Protocol

from paymatch.formats.collection.cover import Cover
from paymatch.formats.mail.layout import header_text
from paymatch.outbound import transfer_folder
from paymatch.outbound.folders import Folder, folder_at
from paymatch.outbound.http import CallFailed, HttpCall, HttpDoor
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail

MAX_REPORT_BYTES: Final = 5_000_000
_READ: Final = os.O_RDONLY | os.O_NONBLOCK  # a pipe instead of a file must not block anyone


class AgencyNotReached(Exception):
    """The parcel did not arrive; it is sent again, under the same id."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is handed to the agency: a ZIP, and what it is about: in a line for its program, by mail for its people."""

    id: str  # the same however often it is sent
    shop: str
    subject: str  # always in English
    cover: Cover
    content: bytes

    @property
    def name(self) -> str:
        """Its file name."""
        return f"{self.id}.zip"


class AgencyDoor(Protocol):
    """The way out. A parcel has arrived once `deliver` returns; AgencyNotReached otherwise."""

    def deliver(self, parcel: Parcel) -> None:
        """Hands over a parcel; AgencyNotReached."""

    def reports(self) -> Iterator[tuple[str, bytes]]:
        """(name, content) of new files from the agency."""

    def taken(self, name: str, *, readable: bool) -> None:
        """A report is read, or cannot be, and no longer waits."""


class FolderAgency:
    """Parcels are in `out`, reports wait in `in`; those that were read move to `read`, others to `unreadable`.

    The agency writes into it, so no symbolic link is followed (`outbound/folders.py`). FolderRefused where one is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def deliver(self, parcel: Parcel) -> None:
        """A file that is complete or not there at all."""
        try:
            with self._inner("out") as out:
                transfer_folder.put(out.path, parcel.name, parcel.content)
        except OSError as error:
            raise AgencyNotReached(f"the folder {self._folder} cannot be written: {error.strerror}") from error

    def reports(self) -> Iterator[tuple[str, bytes]]:
        """Plain files, each up to one byte more than a report may have."""
        with self._inner("in") as waiting:
            for name in waiting.names():
                if name.startswith(".") or not waiting.is_file(name):
                    continue
                with suppress(FileNotFoundError), os.fdopen(waiting.open(name, _READ), "rb") as file:
                    yield name, file.read(MAX_REPORT_BYTES + 1)

    def taken(self, name: str, *, readable: bool) -> None:
        """Moves the report out of the way; one of the same name takes the older one's place."""
        with (
            suppress(FileNotFoundError),
            self._inner("in") as waiting,
            self._inner("read" if readable else "unreadable") as target,
        ):
            waiting.move(name, target, name)

    @contextmanager
    def _inner(self, name: str) -> Iterator[Folder]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with folder_at(self._folder) as base, base.inner(name, make=True) as inner:
            yield inner


class MailAgency:
    """Each parcel is a mail with the ZIP; reports come by other ways."""

    def __init__(self, door: MailDoor, sender: str, sender_name: str, recipient: str) -> None:
        self._door = door
        self._sender = sender
        self._sender_name = sender_name
        self._recipient = recipient

    def deliver(self, parcel: Parcel) -> None:
        """The same Message-ID each time: it shows the agency's server that a mail comes twice."""
        message = EmailMessage(policy=SMTP)
        message["From"] = formataddr((header_text(self._sender_name), self._sender))
        message["To"] = self._recipient
        message["Subject"] = header_text(parcel.cover.subject)
        message["Message-ID"] = f"<{parcel.id}@{self._sender.rpartition('@')[2]}>"
        message.set_content(parcel.cover.text)
        message.add_attachment(parcel.content, maintype="application", subtype="zip", filename=parcel.name)
        try:
            self._door.send(OutgoingMail(parcel.shop, parcel.id, self._sender, self._recipient, message.as_bytes()))
        except MailNotSent as error:
            raise AgencyNotReached(f"the mail to {self._recipient} was not sent: {error}") from error

    def reports(self) -> Iterator[tuple[str, bytes]]:
        """None come this way."""
        return iter(())

    def taken(self, name: str, *, readable: bool) -> None:
        """Nothing waits."""


class HttpAgency:
    """Each parcel is a POST of JSON with the ZIP in it; reports come by the API. `token` identifies us to it."""

    def __init__(self, door: HttpDoor, url: str, ports: Collection[int] = (), token: str = "") -> None:
        self._door = door
        self._url = url
        self._ports = ports  # beside 443 and 80
        self._headers = (("Authorization", f"Bearer {token}"),) if token else ()

    def deliver(self, parcel: Parcel) -> None:
        """2xx means that it has arrived; the Idempotency-Key marks a parcel that comes twice."""
        body = json.dumps(
            {"id": parcel.id, "subject": parcel.subject, "file": parcel.name,
             "content": base64.b64encode(parcel.content).decode("ascii")}
        ).encode()  # fmt: skip
        headers = (("Content-Type", "application/json"), ("Idempotency-Key", parcel.id), *self._headers)
        try:
            answer = self._door.call(HttpCall(self._url, body, headers, repeatable=True, more_ports=self._ports))
        except CallFailed as error:
            raise AgencyNotReached(f"{self._url}: {error}") from error
        if not 200 <= answer.status < 300:
            raise AgencyNotReached(f"{self._url} answered with {answer.status}")

    def reports(self) -> Iterator[tuple[str, bytes]]:
        """None come this way."""
        return iter(())

    def taken(self, name: str, *, readable: bool) -> None:
        """Nothing waits."""


@dataclass
class NullAgency:
    """Delivers nothing and remembers every parcel: for tests, and for sandbox shops."""

    parcels: list[Parcel] = field(default_factory=list)

    def deliver(self, parcel: Parcel) -> None:
        """Remembers it."""
        self.parcels.append(parcel)

    def reports(self) -> Iterator[tuple[str, bytes]]:
        """None."""
        return iter(())

    def taken(self, name: str, *, readable: bool) -> None:
        """Nothing waits."""
