"""Recently valid keys: their callers may send a body before the database is asked again."""

from __future__ import annotations

import time
from typing import Final

from paymatch.domain.shops import api_keys

KNOWN_SECONDS: Final = 300.0
_MOST: Final = 10_000


class KnownKeys:
    """Hashes of keys with the moment until which they are known. Any thread may ask and add.

    It opens no more than the door: every call proves its key once more in the transaction that it works in.
    """

    def __init__(self) -> None:
        self._until: dict[bytes, float] = {}

    def add(self, key: str) -> None:
        """The key is known from now on for KNOWN_SECONDS."""
        if len(self._until) >= _MOST:
            self._until.clear()
        self._until[api_keys.hash_of(key)] = time.monotonic() + KNOWN_SECONDS

    def __contains__(self, key: str) -> bool:
        return self._until.get(api_keys.hash_of(key), 0.0) > time.monotonic()
