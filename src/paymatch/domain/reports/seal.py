"""The seal of a closed month: a hash of its whole content, chained to the month closed before it (D-50)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date


def seal(previous: bytes, month: date, summary: str, lines: Iterable[tuple[str, str]]) -> bytes:
    """SHA-256 of the hash before it, the month, its summary and its postings (id, explanation), each with its length.

    The postings come in the order of their ids, so the same month always has the same seal.
    """
    digest = hashlib.sha256(previous)
    _add(digest, month.isoformat())
    _add(digest, summary)
    for posting_id, explained in lines:
        _add(digest, posting_id)
        _add(digest, explained)
    return digest.digest()


def _add(digest: hashlib._Hash, text: str) -> None:
    raw = text.encode()
    digest.update(len(raw).to_bytes(8, "big"))
    digest.update(raw)
