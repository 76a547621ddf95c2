"""Dates as the API writes them, and the day of the shop: month ends, leap days, both clock changes."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.calendar import (
    date_text,
    latest_due_date,
    moment_text,
    parse_date,
    place_after,
    plus_months,
    today_in,
)


@pytest.mark.parametrize(
    ("text", "day"),
    [("01-02-2026", date(2026, 2, 1)), ("29-02-2028", date(2028, 2, 29)), ("31-12-9999", date(9999, 12, 31)),
     ("01-01-0001", date(1, 1, 1))],
)  # fmt: skip
def test_date_is_read(text: str, day: date) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize(
    "text",
    ["", "1-2-2026", "2026-02-01", "01.02.2026", "29-02-2026", "31-04-2026", "00-01-2026", "01-13-2026", "01-01-0000",
     " 01-02-2026", "01-02-2026\n", "01-02-26", "٠١-٠٢-٢٠٢٦"],
)  # fmt: skip
def test_everything_else_is_no_date(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_date(text)


@given(st.dates())
def test_what_is_written_is_read_again(day: date) -> None:
    assert parse_date(date_text(day)) == day


@pytest.mark.parametrize(
    ("moment", "zone", "day"),
    [
        (datetime(2026, 3, 28, 22, 59, 59, tzinfo=UTC), "Europe/Berlin", date(2026, 3, 28)),
        (datetime(2026, 3, 28, 23, 0, tzinfo=UTC), "Europe/Berlin", date(2026, 3, 29)),  # winter time until 01:00 UTC
        (datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC), "Europe/Berlin", date(2026, 3, 29)),
        (datetime(2026, 3, 29, 22, 0, tzinfo=UTC), "Europe/Berlin", date(2026, 3, 30)),  # summer time
        (datetime(2026, 10, 24, 22, 0, tzinfo=UTC), "Europe/Berlin", date(2026, 10, 25)),
        (datetime(2026, 10, 25, 22, 59, 59, tzinfo=UTC), "Europe/Berlin", date(2026, 10, 25)),
        (datetime(2026, 12, 31, 23, 30, tzinfo=UTC), "Europe/Berlin", date(2027, 1, 1)),
        (datetime(2026, 12, 31, 23, 30, tzinfo=UTC), "Europe/London", date(2026, 12, 31)),
        (datetime(2028, 2, 29, 12, 0, tzinfo=UTC), "Pacific/Kiritimati", date(2028, 3, 1)),
    ],
)
def test_day_of_the_shop(moment: datetime, zone: str, day: date) -> None:
    assert today_in(zone, moment) == day


def test_moment_in_the_zone_of_the_shop() -> None:
    assert moment_text(datetime(2026, 7, 1, 22, 5, 9, tzinfo=UTC), "Europe/Berlin") == "02-07-2026 00:05:09"
    assert moment_text(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "Europe/Berlin") == "25-10-2026 02:30:00"
    assert moment_text(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "Europe/Berlin") == "25-10-2026 02:30:00"


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2026, 8, 31), 6, date(2027, 2, 28)),
        (date(2027, 8, 31), 6, date(2028, 2, 29)),
        (date(2026, 6, 30), 6, date(2026, 12, 30)),
        (date(2026, 12, 31), 6, date(2027, 6, 30)),
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2026, 1, 31), 0, date(2026, 1, 31)),
        (date(2026, 10, 31), 1, date(2026, 11, 30)),
        (date(2026, 11, 15), 1, date(2026, 12, 15)),
        (date(2026, 10, 31), 2, date(2026, 12, 31)),
        (date(2026, 12, 15), 1, date(2027, 1, 15)),
    ],
)
def test_months_later(day: date, months: int, expected: date) -> None:
    assert plus_months(day, months) == expected


@given(st.dates(date(1, 1, 1), date(9000, 1, 1)), st.integers(0, 600))
def test_months_later_is_that_month_and_never_a_later_day(day: date, months: int) -> None:
    later = plus_months(day, months)
    assert later.year * 12 + later.month == day.year * 12 + day.month + months
    assert later.day <= day.day
    assert later.day >= min(day.day, 28)


def test_latest_due_date() -> None:
    assert latest_due_date(date(2026, 3, 2)) == date(2026, 9, 2)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("2026-03-09T08:00:00+00:00 pst_1", (datetime(2026, 3, 9, 8, tzinfo=UTC), "pst_1")),
        ("", None),
        ("2026-03-09T08:00:00+00:00", None),
        ("a@example.org Bcc: x", None),
        ("2026-02-30T08:00:00 pst_1", None),
    ],
)
def test_place_in_a_list_is_one_or_none(text: str, place: tuple[datetime, str] | None) -> None:
    assert place_after(text) == place
