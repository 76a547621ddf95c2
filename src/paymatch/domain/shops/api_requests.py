"""Requests of the merchant API as a shop's developers see them: the request and its result."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

KEPT: Final = timedelta(days=30)
MOST_TEXT: Final = 4_000
"""The number of characters kept of a body."""

_TextSoFar: Final = getincrementaldecoder("utf-8")
"""Reads UTF-8 that may be cut off within a character."""

_ACCOUNT: Final = re.compile(r"(?i)(^|&)(iban=)[^&]*")


class RequestLog(StrEnum):
    """The requests that a shop keeps."""

    OFF = "off"
    REQUESTS = "requests"  # without any body
    BODIES = "bodies"  # with body and answer of refused ones


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request that was answered. `sent` and `answered` are empty unless it was refused."""

    shop: UUID
    at: datetime
    id: str
    key_id: str
    method: str
    path: str  # decoded, below the prefix of the API
    query: str
    order_number: str
    status: int
    elapsed_ms: float
    sent: bytes = b""
    answered: bytes = b""


def without_accounts(query: str) -> str:
    """The query without the account numbers in it."""
    return _ACCOUNT.sub(r"\1\2...", query)[:MOST_TEXT]


def as_text(body: bytes) -> str:
    """The beginning of a body as text that can be stored and shown; "" for anything else."""
    try:
        text = _TextSoFar().decode(body[: 4 * MOST_TEXT])
    except UnicodeDecodeError:
        return ""
    return text.replace("\x00", "")[:MOST_TEXT]
