"""When an account without statements is silent for longer than usual."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import accumulate

import pytest

from paymatch.domain.shops.alerts import silent_after

FIRST = date(2026, 1, 1)
DAILY = [1] * 27
LONG = [9, 9, 9]


@pytest.mark.parametrize(
    ("gaps", "waited"),
    [
        ([1, 1, 1], None),  # too few to know a rhythm
        ([1, 1, 1, 1], 1 + 1 + 2),
        ([2, 2, 2, 2], 2 + 1 + 2),
        ([3, 3, 3, 3], 3 + 2 + 2),
        ([7, 7, 7, 7], 7 + 4 + 2),
        ([1, 2, 3, 4], 4 + 2 + 2),
        (list(range(1, 10)), 9 + 5 + 2),  # nine in ten of nine are all of them
        (list(range(1, 11)), 9 + 5 + 2),
        (list(range(10, 0, -1)), 9 + 5 + 2),  # in whatever order
        (list(range(1, 21)), 18 + 9 + 2),
        ([*DAILY, *LONG], 1 + 1 + 2),
        ([9, *DAILY, *LONG], 1 + 1 + 2),  # only the last thirty gaps count
        ([*DAILY[1:], *LONG, 9], 9 + 5 + 2),
    ],
)
def test_silent_is_half_as_long_again_as_nine_in_ten_gaps_and_two_days(gaps: list[int], waited: int | None) -> None:
    days = [FIRST + timedelta(days=each) for each in accumulate([0, *gaps])]
    expected = None if waited is None else days[-1] + timedelta(days=waited)
    assert silent_after(days) == expected
    assert silent_after([*reversed(days), *days]) == expected
