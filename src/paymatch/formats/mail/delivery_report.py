"""Reports of mail servers that a mail was not delivered: RFC 3464, and the headers of the mail that they return."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from email.utils import parseaddr
from typing import Final

from paymatch.formats.mail.layout import one_line

MAX_BYTES: Final = 250_000
"""What is read of a report: the returned mail may be truncated, but its headers come before its content.

The library's time grows with the square of a header's length: 1 MB of semicolons took six seconds.
"""

_MESSAGE_ID: Final = re.compile(r"<[^<>\s]{1,250}>")
_REASON: Final = 300


@dataclass(frozen=True, slots=True)
class Bounce:
    """A mail that did not arrive and never will. `message_id` is the mail's, `provider_id` a provider's name for it.

    One of both is empty. `recipient` is "" if none is named. `written_by` is the person who sent the report, if its
    headers show that no mail server did: servers use an empty sender (RFC 3464, section 2).
    """

    recipient: str
    reason: str
    message_id: str = ""
    provider_id: str = ""
    written_by: str = ""
    confirmed: bool = False  # by a person, or by the mail server of a sandbox


def bounces(content: bytes) -> list[Bounce]:
    """The undelivered mails in a message; none if it is not such a report, or reports delays."""
    message = message_from_bytes(content[:MAX_BYTES], policy=policy.compat32)
    if message.get_content_type() != "multipart/report" or not message.is_multipart():
        return []
    message_id = _original(message)
    if not message_id:
        return []
    return [
        Bounce(recipient, reason, message_id, written_by=_writer(message, recipient))
        for recipient, reason in _has_failed(message)
    ]


def _writer(report: Message, recipient: str) -> str:
    """The person who wrote a report; "" if no person seems to have written it.

    Our own server notes the sender of the envelope as Return-Path, above all that the sender wrote.
    """
    envelope = parseaddr(_word(report, "Return-Path"))[1]
    sender = parseaddr(_word(report, "From"))[1]
    if envelope and not envelope.lower().startswith("mailer-daemon@"):
        return envelope[:254]
    return sender[:254] if sender.lower() == recipient.lower() else ""


def _has_failed(report: Message) -> Iterator[tuple[str, str]]:
    """(recipient, reason) of those whom the mail did not reach for good (RFC 3464, 2.3.3 and 2.3.4)."""
    for part in report.walk():
        if part.get_content_type() != "message/delivery-status" or not part.is_multipart():
            continue
        for fields in part.get_payload():
            if not isinstance(fields, Message) or _word(fields, "Action").lower() != "failed":
                continue
            status = _word(fields, "Status")
            if status[:1] == "4":  # RFC 3463: a persistent, but passing failure
                continue
            diagnosis = _after_type(_word(fields, "Diagnostic-Code")) or "not delivered"
            recipient = _after_type(_word(fields, "Final-Recipient") or _word(fields, "Original-Recipient"))
            yield recipient[:254], f"{status} {diagnosis}".strip()[:_REASON]


def _original(report: Message) -> str:
    """The Message-ID of the mail that is returned, whole or its headers alone (RFC 3462)."""
    for part in report.walk():
        kind = part.get_content_type()
        found = ""
        if kind == "message/rfc822" and part.is_multipart():
            returned = part.get_payload(0)
            found = _word(returned, "Message-ID") if isinstance(returned, Message) else ""
        elif kind in ("text/rfc822-headers", "message/rfc822-headers"):
            raw = part.get_payload(decode=True)
            found = _word(message_from_bytes(raw), "Message-ID") if isinstance(raw, bytes) else ""
        if (match := _MESSAGE_ID.search(found)) is not None:
            return match[0]
    return ""


def _word(fields: Message | EmailMessage, name: str) -> str:
    return one_line(str(fields.get(name, "")))


def _after_type(text: str) -> str:
    """`rfc822; eva@example.com` -> `eva@example.com`."""
    kind, semicolon, rest = text.partition(";")
    return (rest if semicolon else kind).strip()
