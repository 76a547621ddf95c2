"""Delays: when the shop's orders are paid, as its last payments show; they rank suggestions and decide nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from itertools import accumulate
from math import log
from typing import Final

from paymatch.domain.matching.model import Delay, OrderFacts
from paymatch.domain.matching.weigh.ages import delay_density

UNPAID: Final = 0.1
"""The share of orders that are never paid: most orders still open long after their time are."""
HORIZON_DAYS: Final = 90
DELAYS: Final = 300
"""The number of last payments that are read."""
PRIOR: Final = 40
"""The weight of the usual delays (`evidence.delay_density`), in payments, beside the shop's own."""
_KERNEL: Final = ((-2, 1 / 9), (-1, 2 / 9), (0, 3 / 9), (1, 2 / 9), (2, 1 / 9))


def delay_of(order: OrderFacts, paid: date) -> Delay:
    """How late the order was, or would be, paid on this day."""
    return Delay((paid - order.order_date).days, None if order.due_date is None else (paid - order.due_date).days)


class Delays:
    """The delays of a shop's last payments, blended with the usual ones."""

    __slots__ = ("_ages", "_due_ages", "_overdue")

    def __init__(self, past: Iterable[Delay] = ()) -> None:
        known = list(past)
        self._ages = _Curve(delay.age for delay in known if delay.overdue is None)
        self._due_ages = _Curve(delay.age for delay in known if delay.overdue is not None)
        self._overdue = _Curve(delay.overdue for delay in known if delay.overdue is not None)

    def hazard(self, delay: Delay) -> float:
        """The logarithm of the chance that a still unpaid order is paid with this delay."""
        age, overdue = delay
        now, later = _usual(age, overdue)
        if overdue is None:
            count, own, own_later = self._ages.count, self._ages.on(age), self._ages.since(age)
        else:
            count = self._overdue.count
            own = (self._due_ages.on(age) + self._overdue.on(overdue)) / 2
            own_later = (self._due_ages.since(age) + self._overdue.since(overdue)) / 2
        now = (count * own + PRIOR * now) / (count + PRIOR)
        later = (count * own_later + PRIOR * later) / (count + PRIOR)
        return log(now) - log(later + UNPAID)


class _Curve:
    """The share of payments by day, smoothed over two days to either side, within a horizon."""

    __slots__ = ("_first", "_shares", "_since", "count")

    def __init__(self, days: Iterable[int]) -> None:
        counts = Counter(day for day in days if abs(day) <= HORIZON_DAYS)
        self.count = counts.total()
        self._first = -HORIZON_DAYS - 2
        self._shares = [0.0] * (2 * HORIZON_DAYS + 5)
        for day, number in counts.items():
            for off, weight in _KERNEL:
                self._shares[day + off - self._first] += number * weight / self.count
        self._since = list(accumulate(reversed(self._shares)))[::-1]

    def on(self, day: int) -> float:
        """The share of this day."""
        place = day - self._first
        return self._shares[place] if 0 <= place < len(self._shares) else 0.0

    def since(self, day: int) -> float:
        """The share of this day and all later ones."""
        place = max(day - self._first, 0)
        return self._since[place] if place < len(self._since) else 0.0


@lru_cache(maxsize=8192)
def _usual(age: int, overdue: int | None) -> tuple[float, float]:
    """(share paid on this day, share paid on it or within the horizon after it) without knowing the shop."""
    days = [delay_density(age + more, None if overdue is None else overdue + more) for more in range(HORIZON_DAYS)]
    return days[0], sum(days)
