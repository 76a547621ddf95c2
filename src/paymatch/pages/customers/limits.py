"""The first wall against programs that guess: each process counts in memory, and lets no more of them ask the database.

What holds for all processes together is counted there (usecases/customers/allowances.py).
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from paymatch.domain.customers.allowances import Allowance

_REMEMBERED: Final = 50_000  # names; the one that was silent for longest is forgotten


class RateCounts:
    """Counts by name; safe to use from many threads."""

    def __init__(self, allowance: Allowance, seconds: Callable[[], float] = time.monotonic) -> None:
        self._allowance = allowance
        self._seconds = seconds
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # name: what is left, and since when

    def take(self, name: str) -> bool:
        """Counts one; False if the name has none left."""
        with self._lock:
            left = self._of(name)
            if left < 1:
                return False
            self._keep(name, left - 1)
            return True

    def has(self, name: str) -> bool:
        """Whether the name has one left; counts nothing."""
        with self._lock:
            return self._of(name) >= 1

    def _of(self, name: str) -> float:
        left, since = self._left.get(name, (self._allowance.at_once, self._seconds()))
        return min(left + (self._seconds() - since) * self._allowance.per_minute / 60, self._allowance.at_once)

    def _keep(self, name: str, left: float) -> None:
        self._left[name] = left, self._seconds()
        self._left.move_to_end(name)
        if len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
