"""Parameters of a report: a period, an as-of date, steps of a period."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from paymatch.domain.calendar import date_text, plus_months
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.reports.catalogue import REPORTS, ReportDefinition
from paymatch.domain.reports.exports import EXPORTS, FILES
from paymatch.domain.words.message import Message

MOST_YEARS: Final = 11
"""The longest period: the years that tax law requires, and the current year."""
EARLIEST: Final = date(1900, 1, 1)
LATEST: Final = date(9998, 12, 31)
"""Reports need the months before and after a day: at the ends of the calendar there are none."""


class ReportRefused(Refused):
    """The report cannot be made of these days."""


class ReportUnknown(Unknown):
    """There is no report of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("report-not-found", name=name), allowed=list(REPORTS))


class ExportUnknown(Unknown):
    """There is no export of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("export-not-found", name=name), allowed=[*EXPORTS, *FILES])


class Step(StrEnum):
    """The steps of the report `cash-in`."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Basis(StrEnum):
    """The basis of a day's receivables."""

    KNOWN = "known"  # as known at its end
    BOOKED = "booked"  # as booked until then and known today


class ReportBy(StrEnum):
    """The option of a report: the step of `cash-in`, or the basis of receivables."""

    DAY = Step.DAY
    WEEK = Step.WEEK
    MONTH = Step.MONTH
    KNOWN = Basis.KNOWN
    BOOKED = Basis.BOOKED

    @property
    def step(self) -> Step:
        """The step; months for a basis."""
        return Step.MONTH if self in (ReportBy.KNOWN, ReportBy.BOOKED) else Step(self.value)


BY_BOOKING: Final = frozenset({"open", "customers"})
"""The reports that support the booking date as basis."""


@dataclass(frozen=True, slots=True)
class PeriodQuery:
    """Days included; `as_of` is the day whose end the report shows."""

    first: date
    last: date
    as_of: date
    step: Step = Step.MONTH
    by_booking: bool = False

    def months(self) -> list[date]:
        """The first days of the months that the period touches."""
        return list(months_between(self.first, self.last))


def report_of(name: str) -> ReportDefinition:
    """The report of a name; ReportUnknown."""
    if name not in REPORTS:
        raise ReportUnknown(name)
    return REPORTS[name]


def ask(
    report: ReportDefinition,
    today: date,
    first: date | None = None,
    last: date | None = None,
    as_of: date | None = None,
    by: ReportBy = ReportBy.MONTH,
) -> PeriodQuery:
    """The request, with default days where none are given; ReportRefused.

    By default the number of months that the report names, up to the current one, as of today.
    """
    if (first is not None or last is not None) and not report.has_period:
        raise ReportRefused(Message("report-no-period-made-day", name=report.name), parameter="from")
    if as_of is not None and not report.has_day:
        raise ReportRefused(Message("report-not-made-day", name=report.name), parameter="asOf")
    if by is ReportBy.BOOKED and report.name not in BY_BOOKING:
        raise ReportRefused(Message("report-not-made-by-booking-date", name=report.name), parameter="by")
    if as_of is not None and as_of > today:
        raise ReportRefused(Message("report-parameter-asof-future"), parameter="asOf")
    for name, day in (("from", first), ("to", last), ("asOf", as_of)):
        if day is not None and not EARLIEST <= day <= LATEST:
            expected = f"a day from {date_text(EARLIEST)} to {date_text(LATEST)}"
            raise ReportRefused(Message("parameter-not-valid", name=name), parameter=name, expected=expected)
    standing = as_of or today
    ends = last or standing
    begins = first or month_of(plus_months(month_of(ends), 1 - report.months))
    if begins > ends:
        raise ReportRefused(Message("report-parameter-from-later-than"), parameter="from")
    if ends.year - begins.year > MOST_YEARS:
        raise ReportRefused(Message("report-period-longer-than-11"), parameter="from")
    return PeriodQuery(begins, ends, standing, by.step, by_booking=by is ReportBy.BOOKED)


def month_of(day: date) -> date:
    """The first day of the day's month."""
    return day.replace(day=1)


def month_end(month: date) -> date:
    """The last day of the month."""
    return month_of(month.replace(day=28) + timedelta(days=4)) - timedelta(days=1)


def months_between(first: date, last: date) -> Iterator[date]:
    """The first days of the months from that of `first` to that of `last`."""
    month = month_of(first)
    while month <= last:
        yield month
        month = month_end(month) + timedelta(days=1)


def begin_of(day: date, step: Step) -> date:
    """The first day of the day's step; weeks begin on Mondays."""
    match step:
        case Step.DAY:
            return day
        case Step.WEEK:
            return day - timedelta(days=day.weekday())
        case Step.MONTH:
            return month_of(day)
