"""Statutory interest for late payment in Germany, and the lump sum that companies owe (BGB sections 247, 288)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

CONSUMER_POINTS: Final = Decimal(5)
COMPANY_POINTS: Final = Decimal(9)
"""Above the base rate (BGB section 288, paragraphs 1 and 2)."""

LUMP_SUM_MINOR: Final = 4_000
"""40.00 EUR that a company owes for paying late (BGB section 288, paragraph 5)."""

_DAYS: Final = Decimal(365)


@dataclass(frozen=True, slots=True)
class Period:
    """Days of one rate: from the first to the last, both counted."""

    first: date
    last: date
    percent: Decimal
    interest: Decimal  # in minor units, not rounded


@cache
def base_rates() -> tuple[tuple[date, Decimal], ...]:
    """(first day, per cent a year) of every base rate, oldest first; the last holds until another is published."""
    with files(__package__).joinpath("base_rates.csv").open(encoding="utf-8") as file:
        return tuple((date.fromisoformat(row["from"]), Decimal(row["percent"])) for row in csv.DictReader(file))


def periods(amount_minor: int, since: date, until: date, *, company: bool) -> list[Period]:
    """Interest on an amount from the day after `since` (the due date) to `until`, period by period of the base rate.

    Days before the first published rate bear none.
    """
    points = COMPANY_POINTS if company else CONSUMER_POINTS
    ends = [*base_rates(), (date.max, Decimal(0))]
    found: list[Period] = []
    for (first, percent), (following, _) in pairwise(ends):
        begin, end = max(first, since + timedelta(days=1)), min(following - timedelta(days=1), until)
        if begin <= end:
            rate = percent + points
            days = Decimal((end - begin).days + 1)
            found.append(Period(begin, end, rate, amount_minor * rate / 100 * days / _DAYS))
    return found


def interest_minor(amount_minor: int, since: date, until: date, *, company: bool) -> int:
    """The interest of all periods together, rounded once to a minor unit."""
    total = sum((each.interest for each in periods(amount_minor, since, until, company=company)), Decimal(0))
    return int(total.quantize(Decimal(1), ROUND_HALF_EVEN))
