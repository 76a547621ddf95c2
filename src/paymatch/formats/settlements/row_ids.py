"""Ids for rows of providers that give none: what the row says, and which of several equal rows it is."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

_BYTES: Final = 12


class RowIds:
    """Gives each row of a file an id that another download of the same rows gives again, in any order of rows."""

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}

    def of(self, *parts: str, is_once: bool = False) -> str:
        """The id of the next row with these contents: equal rows of one file are different movements.

        With `is_once` they are one: no customer pays one payment twice.
        """
        digest = blake2b("\0".join(parts).encode(), digest_size=_BYTES).digest()
        if is_once:
            return digest.hex()
        place = self._seen.get(digest, 0)
        self._seen[digest] = place + 1
        return f"{digest.hex()}-{place}" if place else digest.hex()
