"""Monthly fees of a payment service or marketplace, and the part above its usual rate (D-127)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby
from typing import Final

MONTHS_BEFORE: Final = 12
"""The number of months before the judged one that make the usual rate."""
LEAST_MONTHS: Final = 2
"""With fewer earlier months there is no usual rate."""


@dataclass(frozen=True, slots=True)
class MonthOfFees:
    """The fees of an account at a provider in a month; amounts in minor units of `currency`.

    `gross_minor` is customers' payments less refunds, in the payouts that were sent in the month.
    """

    account: str
    currency: str
    month: date  # its first day
    payouts: int
    gross_minor: int
    fee_minor: int


@dataclass(frozen=True, slots=True)
class JudgedMonth:
    """A month with the usual rate, the median of the months before; None while too few are known."""

    fees: MonthOfFees
    usual_rate: Fraction | None = None

    @property
    def rate(self) -> Fraction | None:
        """The share of the gross that was kept; None without any gross."""
        return _rate(self.fees)

    @property
    def above_minor(self) -> int:
        """The fees above the usual rate, to the nearest minor unit; 0 if there are none."""
        if self.usual_rate is None:
            return 0
        usual = self.usual_rate * max(self.fees.gross_minor, 0)
        return max(self.fees.fee_minor - int(usual + Fraction(1, 2)), 0)


def judge_months(months: Iterable[MonthOfFees]) -> list[JudgedMonth]:
    """Each month with the earlier ones of the same account and currency; the latest first."""
    ordered = sorted(months, key=lambda each: (each.account, each.currency, each.month))
    found = []
    for _key, group in groupby(ordered, key=lambda each: (each.account, each.currency)):
        own = list(group)
        for place, each in enumerate(own):
            rates = [
                rate for before in own[max(place - MONTHS_BEFORE, 0) : place] if (rate := _rate(before)) is not None
            ]
            found.append(JudgedMonth(each, _median(rates) if len(rates) >= LEAST_MONTHS else None))
    return sorted(found, key=lambda each: (each.fees.month, each.fees.fee_minor, each.fees.account), reverse=True)


def _rate(month: MonthOfFees) -> Fraction | None:
    return Fraction(month.fee_minor, month.gross_minor) if month.gross_minor > 0 else None


def _median(rates: list[Fraction]) -> Fraction:
    ordered, middle = sorted(rates), len(rates) // 2
    return ordered[middle] if len(rates) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
