"""Statutory interest for late payment in Germany, and the lump sum that companies owe (BGB sections 247, 288)."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message

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


Rates = Sequence[tuple[date, Decimal]]
"""(first day, per cent a year) of base rates, oldest first; each holds until the next, the last its half-year."""

_LOWEST, _HIGHEST = Decimal(-5), Decimal(20)
_PERCENT: Final = re.compile(r"-?[0-9]{1,2}([.,][0-9]{1,2})?")


@cache
def published_rates() -> tuple[tuple[date, Decimal], ...]:
    """The base rates that this version knows, from 2013; half-years without a change are left out."""
    with files(__package__).joinpath("base_rates.csv").open(encoding="utf-8") as file:
        return tuple((date.fromisoformat(row["from"]), Decimal(row["percent"])) for row in csv.DictReader(file))


@cache
def published_sources() -> dict[date, str]:
    """First day -> the source of the published rate."""
    with files(__package__).joinpath("base_rates.csv").open(encoding="utf-8") as file:
        return {date.fromisoformat(row["from"]): row["source"] for row in csv.DictReader(file)}


def known_rates(added: Rates) -> Rates:
    """The published rates, followed by those that an operator has added."""
    published = published_rates()
    return (*published, *(each for each in sorted(added) if each[0] > published[-1][0]))


def first_unknown(rates: Rates) -> date:
    """The 1 January or 1 July from which no base rate is known."""
    last = rates[-1][0]
    return date(last.year, 7, 1) if last.month < 7 else date(last.year + 1, 1, 1)


def last_known(rates: Rates) -> date:
    """The last day whose base rate is known: interest is claimed up to it and no further."""
    return first_unknown(rates) - timedelta(days=1)


def added_rate(rates: Rates, day: str, percent: str) -> tuple[date, Decimal]:
    """A rate to add or to correct, from `day` (ISO 8601) and `percent`; SettingRefused."""
    try:
        first = date.fromisoformat(day)
    except ValueError:
        raise SettingRefused(Message("setting-not-date-2027-01", day=repr(day)), parameter="date") from None
    if _PERCENT.fullmatch(percent) is None or not _LOWEST <= Decimal(percent.replace(",", ".")) <= _HIGHEST:
        raise SettingRefused(Message("setting-not-base-rate-per", percent=repr(percent)), parameter="percent")
    if first <= published_rates()[-1][0]:
        raise SettingRefused(Message("setting-base-rates-up-bundled", day=published_rates()[-1][0]), parameter="date")
    if first != first_unknown(rates) and first not in {known for known, _ in rates}:
        raise SettingRefused(Message("setting-next-base-rate", day=first_unknown(rates)), parameter="date")
    return first, Decimal(percent.replace(",", "."))


def periods(rates: Rates, amount_minor: int, since: date, until: date, *, company: bool) -> list[Period]:
    """Interest on an amount from the day after `since` (the due date) to `until`, period by period of the base rate.

    Days before the first of the rates bear none, nor do those whose rate is not known yet.
    """
    points = COMPANY_POINTS if company else CONSUMER_POINTS
    ends = [*rates, (first_unknown(rates), Decimal(0))]
    found: list[Period] = []
    for (first, percent), (following, _) in pairwise(ends):
        begin, end = max(first, since + timedelta(days=1)), min(following - timedelta(days=1), until)
        if begin <= end:
            rate = percent + points
            days = Decimal((end - begin).days + 1)
            found.append(Period(begin, end, rate, amount_minor * rate / 100 * days / _DAYS))
    return found


def interest_minor(rates: Rates, amount_minor: int, since: date, until: date, *, company: bool) -> int:
    """The interest of all periods together, rounded once to a minor unit."""
    total = sum((each.interest for each in periods(rates, amount_minor, since, until, company=company)), Decimal(0))
    return int(total.quantize(Decimal(1), ROUND_HALF_EVEN))
