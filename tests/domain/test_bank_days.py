"""Days on which banks book: weekends, the holidays of TARGET, Easter of every year."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from paymatch.domain.calendar import easter_sunday, is_bank_day, minus_bank_days, next_bank_day, plus_bank_days


@pytest.mark.parametrize(
    ("year", "easter"),
    [
        (2024, date(2024, 3, 31)),
        (2025, date(2025, 4, 20)),
        (2026, date(2026, 4, 5)),
        (2027, date(2027, 3, 28)),
        (2038, date(2038, 4, 25)),
    ],
)
def test_easter(year: int, easter: date) -> None:
    assert easter_sunday(year) == easter


def _by_the_moon(year: int) -> date:
    """The Sunday after the church's full moon, which follows from golden number and epact (Inter gravissimas, 1582)."""
    golden, century = year % 19 + 1, year // 100
    epact = (11 * golden + 20 + (8 * (century + 1) + 5) // 25 - 5 - (3 * (century + 1) // 4 - 12)) % 30
    epact += epact == 24 or (epact == 25 and golden > 11)
    full_moon = date(year, 3, 1) + timedelta(43 - epact if epact < 24 else 73 - epact)
    return full_moon + timedelta(7 - full_moon.isoweekday() % 7)


def test_easter_is_the_sunday_after_the_full_moon_of_spring_in_every_year() -> None:
    years = range(1583, 4100)
    assert [easter_sunday(year) for year in years] == [_by_the_moon(year) for year in years]


@pytest.mark.parametrize(
    ("day", "booked"),
    [
        (date(2026, 3, 6), date(2026, 3, 6)),  # a Friday
        (date(2026, 3, 7), date(2026, 3, 9)),  # a Saturday
        (date(2026, 4, 3), date(2026, 4, 7)),  # Good Friday
        (date(2026, 12, 25), date(2026, 12, 28)),  # both days of Christmas before a weekend
        (date(2027, 1, 1), date(2027, 1, 4)),
        (date(2026, 5, 1), date(2026, 5, 4)),
        (date(2026, 10, 3), date(2026, 10, 5)),
    ],
)
def test_the_next_bank_day(day: date, booked: date) -> None:
    assert next_bank_day(day) == booked
    assert is_bank_day(booked)
    assert is_bank_day(day) is (day == booked)


@pytest.mark.parametrize(
    ("day", "count", "expected"),
    [
        (date(2026, 3, 3), 0, date(2026, 3, 3)),
        (date(2026, 3, 3), 5, date(2026, 3, 10)),
        (date(2026, 3, 7), 1, date(2026, 3, 9)),  # from a Saturday
        (date(2026, 4, 2), 1, date(2026, 4, 7)),  # over Good Friday and Easter Monday
        (date(2026, 12, 23), 3, date(2026, 12, 29)),
    ],
)
def test_bank_days_after_a_day(day: date, count: int, expected: date) -> None:
    assert plus_bank_days(day, count) == expected


@pytest.mark.parametrize(
    ("day", "count", "expected"),
    [
        (date(2026, 3, 10), 0, date(2026, 3, 10)),
        (date(2026, 3, 10), 1, date(2026, 3, 9)),
        (date(2026, 3, 10), 5, date(2026, 3, 3)),
        (date(2026, 3, 8), 1, date(2026, 3, 6)),  # from a Sunday
        (date(2026, 4, 7), 1, date(2026, 4, 2)),  # over Good Friday and Easter Monday
        (date(2026, 12, 29), 3, date(2026, 12, 23)),
    ],
)
def test_bank_days_before_a_day(day: date, count: int, expected: date) -> None:
    assert minus_bank_days(day, count) == expected


def test_the_holidays_of_a_year() -> None:
    """New Year, Good Friday, Easter Monday, Labour Day and both days of Christmas (TARGET calendar, 2024)."""
    days = [date(2024, 1, 1) + timedelta(place) for place in range(366)]
    assert [day for day in days if day.weekday() < 5 and not is_bank_day(day)] == [
        date(2024, 1, 1), date(2024, 3, 29), date(2024, 4, 1), date(2024, 5, 1), date(2024, 12, 25), date(2024, 12, 26),
    ]  # fmt: skip
