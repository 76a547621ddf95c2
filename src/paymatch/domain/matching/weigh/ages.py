"""How common it is for an order to be paid at its age."""

from __future__ import annotations

from functools import lru_cache
from math import exp, log
from typing import Final

from paymatch.domain.matching.catalogue import DATE_AGE, Reason
from paymatch.domain.words.message import Message


@lru_cache(maxsize=4096)
def age_reason(age: int, overdue: int | None) -> Reason:
    """The evidence of an order's age."""
    return DATE_AGE.reason(delay_weight(age, overdue), Message("date-age", count=age))


@lru_cache(maxsize=4096)
def delay_weight(age: int, overdue: int | None) -> float:
    """How common it is to pay an order `age` days after its date, `overdue` days after it is due (often below 0).

    Prepayments come within days; invoices at once or around the due date; some come late, and the older the rarer.
    """
    return 0.5 * max(min(log(delay_density(age, overdue) * 20.0), 1.0), -3.0) - min(age / 40.0, 2.0)


_LEAST_DENSITY: Final = 1e-300
"""Shops send 01-01-1970 or 01-01-0001 where they have no date: so late a payment has a share too small for a float."""


def delay_density(age: int, overdue: int | None) -> float:
    """About the share of orders that are paid on this day, by `age` and `overdue` as in `delay_weight`; above 0."""
    if overdue is None:
        return max(0.85 * exp(-age / 5.0) / 5.0 + 0.15 * exp(-age / 20.0) / 20.0, _LEAST_DENSITY)
    around = exp(-(((overdue + 2) / 6.0) ** 2) / 2.0) / 15.0
    return max(0.3 * exp(-age / 4.0) / 4.0 + 0.55 * around + 0.3 * exp(-max(overdue, 0) / 15.0) / 40.0, _LEAST_DENSITY)
