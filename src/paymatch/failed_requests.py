"""Counter of failed requests, in memory that all server processes share: it counts while the database takes nothing."""

from __future__ import annotations

import os
from multiprocessing.sharedctypes import RawArray
from typing import Final

ERROR: Final = "error"
"""An answer of 500: a fault of ours."""
UNAVAILABLE: Final = "unavailable"
"""503: the database or a disk takes nothing."""
BUSY: Final = "busy"
"""503: the places of one caller are all taken."""
REASONS: Final = (ERROR, UNAVAILABLE, BUSY)

_SLOTS: Final = 1024
_LEAST: Final = 500
_UNAVAILABLE: Final = 503


class FailedRequests:
    """How many requests failed since the service started, by reason.

    Each process counts in a place of its own, so that none waits for a lock that a killed one holds. Two processes of
    one place may lose a count; that takes two that are 1,024 numbers apart.
    """

    def __init__(self) -> None:
        self._counts = RawArray("Q", _SLOTS * len(REASONS))

    def count_answer(self, status: int) -> None:
        """Counts an answer of this status if it says that the request failed."""
        if status >= _LEAST:
            self._add(UNAVAILABLE if status == _UNAVAILABLE else ERROR)

    def count_busy(self) -> None:
        """Counts an answer to a caller whose places are all taken."""
        self._add(BUSY)

    def totals(self) -> dict[str, int]:
        """Reason -> requests of all processes."""
        return {reason: sum(self._counts[place :: len(REASONS)]) for place, reason in enumerate(REASONS)}

    def _add(self, reason: str) -> None:
        self._counts[os.getpid() % _SLOTS * len(REASONS) + REASONS.index(reason)] += 1
