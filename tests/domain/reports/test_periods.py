"""Which days a report or an export is about."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from paymatch.domain.reports.asked import (
    ExportUnknown,
    PeriodQuery,
    ReportBy,
    ReportRefused,
    ReportUnknown,
    Step,
    ask,
    begin_of,
    month_end,
    report_of,
)
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.reports.schedule import Every, last_whole

TODAY = date(2026, 3, 18)  # a Wednesday


@pytest.mark.parametrize(
    ("name", "given", "asked"),
    [
        # The usual period: this month and as many before it as the report names.
        ("postings", {}, (date(2026, 2, 1), TODAY, TODAY)),
        ("cash", {}, (date(2025, 4, 1), TODAY, TODAY)),
        ("postings", {"last": date(2026, 1, 31)}, (date(2025, 12, 1), date(2026, 1, 31), TODAY)),
        ("postings", {"first": date(2026, 3, 2)}, (date(2026, 3, 2), TODAY, TODAY)),
        ("postings", {"first": TODAY, "last": TODAY}, (TODAY, TODAY, TODAY)),
        # As of a day of the past the usual period ends there.
        ("postings", {"as_of": date(2025, 7, 9)}, (date(2025, 6, 1), date(2025, 7, 9), date(2025, 7, 9))),
        ("open", {"as_of": TODAY}, (date(2026, 2, 1), TODAY, TODAY)),
        ("open", {}, (date(2026, 2, 1), TODAY, TODAY)),
        # Eleven years, whatever their days.
        ("cash-in", {"first": date(2015, 1, 1)}, (date(2015, 1, 1), TODAY, TODAY)),
        # The first and the last day that a report can be made of.
        ("fees", {"last": date(1900, 1, 1)}, (date(1899, 12, 1), date(1900, 1, 1), TODAY)),
        ("fees", {"last": date(9998, 12, 31)}, (date(9998, 11, 1), date(9998, 12, 31), TODAY)),
    ],
)
def test_a_report_is_about_the_days_that_are_given_or_the_usual_ones(
    name: str, given: dict[str, Any], asked: tuple[date, date, date]
) -> None:
    assert ask(REPORTS[name], TODAY, **given) == PeriodQuery(*asked)


@pytest.mark.parametrize(
    ("name", "given", "text", "parameter"),
    [
        ("open", {"first": TODAY}, "The report open has no period: it is made as of a day", "from"),
        ("open", {"last": TODAY}, "The report open has no period: it is made as of a day", "from"),
        ("close", {"first": TODAY}, "The report close has no period: it is made as of a day", "from"),
        ("fees", {"as_of": TODAY}, "The report fees is not made as of a day", "asOf"),
        ("open", {"as_of": date(2026, 3, 19)}, "Parameter asOf is in the future", "asOf"),
        ("fees", {"first": date(2026, 3, 19)}, "Parameter from is later than to", "from"),
        ("fees", {"first": date(2014, 12, 31)}, "The period is longer than 11 years", "from"),
        ("fees", {"first": date(1899, 12, 31), "last": date(1900, 1, 1)}, "Parameter from is not valid", "from"),
        ("fees", {"last": date(9999, 1, 1)}, "Parameter to is not valid", "to"),
        ("open", {"as_of": date(1899, 12, 31)}, "Parameter asOf is not valid", "asOf"),
    ],
)
def test_days_that_a_report_cannot_be_made_of_are_refused(
    name: str, given: dict[str, Any], text: str, parameter: str
) -> None:
    with pytest.raises(ReportRefused, match=text) as refused:
        ask(REPORTS[name], TODAY, **given)
    assert (str(refused.value), refused.value.parameter) == (text, parameter)


def test_the_step_of_cash_in_is_a_month_unless_another_is_given() -> None:
    assert ask(REPORTS["cash-in"], TODAY).step is Step.MONTH
    assert ask(REPORTS["cash-in"], TODAY, by=ReportBy.WEEK).step is Step.WEEK


def test_a_report_is_known_by_its_name() -> None:
    assert report_of("fees") is REPORTS["fees"]
    with pytest.raises(ReportUnknown, match="Report 'profit' not found"):
        report_of("profit")
    assert str(ExportUnknown("profit")) == "Export 'profit' not found"


@pytest.mark.parametrize(
    ("first", "last", "months"),
    [
        (date(2026, 3, 31), date(2026, 3, 31), [date(2026, 3, 1)]),
        (date(2025, 12, 31), date(2026, 2, 1), [date(2025, 12, 1), date(2026, 1, 1), date(2026, 2, 1)]),
        (date(2024, 1, 31), date(2024, 3, 30), [date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1)]),
    ],
)
def test_the_months_that_a_period_touches(first: date, last: date, months: list[date]) -> None:
    assert PeriodQuery(first, last, last).months() == months


@pytest.mark.parametrize(
    ("day", "end"),
    [
        (date(2026, 1, 31), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 2, 28)),
        (date(2024, 2, 28), date(2024, 2, 29)),
        (date(2026, 4, 1), date(2026, 4, 30)),
        (date(2026, 12, 24), date(2026, 12, 31)),
    ],
)
def test_the_last_day_of_a_month(day: date, end: date) -> None:
    assert month_end(day) == end


@pytest.mark.parametrize(
    ("step", "begin"), [(Step.DAY, TODAY), (Step.WEEK, date(2026, 3, 16)), (Step.MONTH, date(2026, 3, 1))]
)
def test_a_step_begins_on_its_day_its_monday_or_its_first(step: Step, begin: date) -> None:
    assert begin_of(TODAY, step) == begin
    assert begin_of(begin, step) == begin


@pytest.mark.parametrize(
    ("every", "today", "period"),
    [
        (Every.DAY, date(2026, 3, 1), (date(2026, 2, 28), date(2026, 2, 28))),
        (Every.WEEK, date(2026, 3, 16), (date(2026, 3, 9), date(2026, 3, 15))),  # on a Monday the week that has ended
        (Every.WEEK, date(2026, 3, 22), (date(2026, 3, 9), date(2026, 3, 15))),  # a Sunday's week is not over
        (Every.MONTH, date(2026, 3, 1), (date(2026, 2, 1), date(2026, 2, 28))),
        (Every.MONTH, date(2026, 1, 31), (date(2025, 12, 1), date(2025, 12, 31))),
    ],
)
def test_exports_are_about_the_last_whole_period(every: Every, today: date, period: Any) -> None:
    assert last_whole(every, today) == period
