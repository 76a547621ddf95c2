"""What may happen at the transaction boundaries of a life: the process dies, or another process does something."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from paymatch.store.database import Database


class Crash(BaseException):
    """The process dies at a transaction boundary; what was not committed is rolled back."""


class Boundaries:
    """The boundary hook of a database, set while something is to happen at the n-th boundary from now on."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._crash_in = 0
        self._meanwhile_in = 0
        self._meanwhile: Callable[[], None] = lambda: None
        self.crashes = 0
        self.met = 0

    @contextmanager
    def crash(self, after: int) -> Iterator[None]:
        """Inside of the block the process dies at the n-th boundary; 0 is never."""
        self._crash_in = after
        self._arm()
        try:
            yield
        finally:
            self._crash_in = 0
            self._arm()

    @contextmanager
    def meanwhile(self, after: int, action: Callable[[], None]) -> Iterator[None]:
        """Inside of the block, another process acts after the n-th commit."""
        self._meanwhile_in, self._meanwhile = after, action
        self._arm()
        try:
            yield
        finally:
            self._meanwhile_in = 0
            self._arm()

    def _arm(self) -> None:
        self._database.at_boundary = self if self._crash_in or self._meanwhile_in else None

    def __call__(self, place: str) -> None:
        if self._meanwhile_in and place == "after commit":
            self._meanwhile_in -= 1
            if not self._meanwhile_in:
                self.met += 1
                with self.crash(0):
                    self._meanwhile()
                return
        if self._crash_in:
            self._crash_in -= 1
            if not self._crash_in:
                self.crashes += 1
                raise Crash(place)


class SeededSecrets:
    """Stands in for the module `secrets` where ids are made, so that a life has the same ids each time."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def randbits(self, count: int) -> int:
        return self._chance.getrandbits(count)

    def choice(self, letters: str) -> str:
        return self._chance.choice(letters)

    def token_bytes(self, count: int) -> bytes:
        return self._chance.randbytes(count)

    def token_urlsafe(self, count: int) -> str:
        return self._chance.randbytes(count).hex()
