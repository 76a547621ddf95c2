"""Destinations of exports: a folder, an S3-compatible storage, or mail.

A file that leaves again takes the place of the one before.
"""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from paymatch.formats.mail.exports import write_exports_mail
from paymatch.formats.mail.layout import Head
from paymatch.outbound.files import FilesUnavailable, s3_client
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail
from paymatch.settings import Settings

MAX_MAIL_BYTES: Final = 15_000_000
"""Of the files of one mail: most servers take no more than 20 to 25 MB, and Base64 adds a third."""


class ExportNotDelivered(Exception):
    """The export did not arrive; the text says why. The caller tries again."""


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file as it leaves; its name says what it is and for which days."""

    name: str
    content: BinaryIO


class ExportDoor(Protocol):
    """The way out. All files have arrived once `deliver` returns; ExportNotDelivered otherwise."""

    def deliver(self, files: list[ExportFile]) -> None:
        """Hands over the files of one export."""


class FolderExports:
    """Files in a folder, each complete or not there at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def deliver(self, files: list[ExportFile]) -> None:
        """Written and synced beside their place, then moved there."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for file in files:
                self._put(file)
        except OSError as error:
            raise ExportNotDelivered(f"the folder {self._folder} cannot be written: {error.strerror}") from error

    def _put(self, file: ExportFile) -> None:
        draft = self._folder / f".{secrets.token_hex(8)}.tmp"
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "wb") as out:
                shutil.copyfileobj(file.content, out)
                out.flush()
                os.fsync(out.fileno())
            draft.replace(self._folder / file.name)
        except BaseException:
            draft.unlink(missing_ok=True)  # each attempt would leave another on a disk that is full
            raise


class Bucket:
    """An S3-compatible storage, in which each shop's exports have a folder of their own. Needs the extra `s3`."""

    def __init__(self, settings: Settings) -> None:
        self._name = settings.s3_bucket
        self._prefix = settings.s3_prefix.strip("/") + "/" if settings.s3_prefix.strip("/") else ""
        self._client: Any = s3_client(settings)

    def put(self, key: str, content: BinaryIO) -> None:
        """Keeps the content under the key; ExportNotDelivered."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  an extra

        try:
            self._client.put_object(Bucket=self._name, Key=self._prefix + key, Body=content)
        except (BotoCoreError, ClientError) as error:
            raise ExportNotDelivered(f"the bucket {self._name} does not accept the file: {error}") from error


def open_bucket(settings: Settings) -> Bucket | None:
    """The operator's bucket; None without one, or without what it takes to reach it."""
    try:
        return Bucket(settings) if settings.s3_bucket else None
    except FilesUnavailable:
        return None


class BucketExports:
    """Objects `exports/<shop>/<file>`."""

    def __init__(self, bucket: Bucket, shop: str) -> None:
        self._bucket = bucket
        self._shop = shop

    def deliver(self, files: list[ExportFile]) -> None:
        """One object per file."""
        for file in files:
            self._bucket.put(f"exports/{self._shop}/{file.name}", file.content)


@dataclass(frozen=True, slots=True)
class MailExports:
    """All files in one mail, in the shop's look and language, with one Message-ID however often it is tried."""

    door: MailDoor
    shop: str
    id: str
    head: Head
    days: str
    link: str

    def deliver(self, files: list[ExportFile]) -> None:
        """ExportNotDelivered also if the files are too large for a mail."""
        contents = [(file.name, file.content.read(MAX_MAIL_BYTES + 1)) for file in files]
        if sum(len(content) for _, content in contents) > MAX_MAIL_BYTES:
            raise ExportNotDelivered("the files are too large for a mail: have them in a folder or a bucket")
        written = write_exports_mail(self.head, self.days, [name for name, _ in contents], self.link)
        message = message_from_bytes(written, EmailMessage, policy=SMTP)
        for name, content in contents:
            message.add_attachment(content, maintype="text", subtype="csv", filename=name)
        sender, recipient = self.head.sender, self.head.recipient
        try:
            self.door.send(OutgoingMail(self.shop, self.id, sender, recipient, message.as_bytes()))
        except MailNotSent as error:
            raise ExportNotDelivered(f"the mail to {recipient} was not sent: {error}") from error


@dataclass
class NullExports:
    """Delivers nothing and remembers every file: for tests, and for sandbox shops."""

    files: dict[str, bytes] = field(default_factory=dict)

    def deliver(self, files: list[ExportFile]) -> None:
        """Remembers them."""
        self.files |= {file.name: file.content.read() for file in files}
