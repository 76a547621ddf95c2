from __future__ import annotations

from datetime import date

import pytest

from paymatch.domain.bank_days import easter_sunday, is_bank_day, next_bank_day, plus_bank_days


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
