"""A mail that brings remittance advices: for which shop, from whom, and the files attached to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import Message
from pathlib import PurePosixPath
from typing import Final
from uuid import UUID

from paymatch.formats.mail.authentication import SenderProof, proof_of_sender, sender_of
from paymatch.formats.mail.layout import one_line

MAX_BYTES: Final = 12_000_000
"""What is read of a mail; a longer one is left to a person."""
MOST_FILES: Final = 20
_MOST_DEPTH: Final = 8
_KINDS: Final = frozenset({".csv", ".edi", ".pdf", ".txt", ".xlsx", ".xml"})
_SHOP: Final = re.compile(r"\+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file of a mail, by its name."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class AdviceMail:
    """A mail to `anything+<shop id>@...`; `shop` is None where no address in it has such a form."""

    shop: UUID | None
    sender: str  # the address in From; "" if it does not read in one way only
    proof: SenderProof
    files: tuple[AttachedFile, ...]


def read_advice_mail(content: bytes, host: str) -> AdviceMail:
    """What the mail brings; `host` is the server whose word about the sender counts."""
    message = message_from_bytes(content, policy=policy.compat32)
    files = [file for part in _parts(message, 0) if (file := _file(part)) is not None]
    return AdviceMail(
        _shop(message), sender_of(message), proof_of_sender(message, host), tuple(files[:MOST_FILES])
    )  # fmt: skip


def _shop(message: Message) -> UUID | None:
    for name in ("Delivered-To", "X-Original-To", "To", "Cc"):
        for field in message.get_all(name) or []:
            if (found := _SHOP.search(one_line(str(field)))) is not None:
                return UUID(found[1])
    return None


def _parts(message: Message, depth: int) -> Iterator[Message]:
    """The parts of the mail itself; a mail that is attached to it has another author and is not opened."""
    if message.get_content_maintype() == "message" or depth > _MOST_DEPTH:
        return
    if not message.is_multipart():
        yield message
        return
    for part in message.get_payload():
        if isinstance(part, Message):
            yield from _parts(part, depth + 1)


def _file(part: Message) -> AttachedFile | None:
    """The file, if it may be an advice: pictures and signatures are none."""
    given = part.get_filename()
    if not given:
        return None
    try:
        name = str(make_header(decode_header(given)))
    except (LookupError, UnicodeDecodeError):
        name = given
    name = PurePosixPath(one_line(name).replace("\\", "/")).name[:200]
    content = part.get_payload(decode=True)
    if PurePosixPath(name).suffix.lower() not in _KINDS or not isinstance(content, bytes) or not content:
        return None
    return AttachedFile(name, content)
