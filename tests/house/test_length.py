"""What a run tries of what repeats itself: a part that is always the same, and all of it at full length."""

from __future__ import annotations

import pytest

from tests import length

CASES = list(range(10))


@pytest.fixture(params=[False, True], ids=["usual", "long"])
def is_long(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(length, "LONG", request.param)
    return bool(request.param)


def test_some_cases_are_the_first_the_last_and_others_between(is_long: bool) -> None:
    assert length.some(CASES, 3) == (CASES if is_long else [0, 4, 9])
    assert length.some(CASES, 1) == (CASES if is_long else [0])
    assert length.some(CASES[:2], 3) == CASES[:2]


def test_the_parts_of_all_places_are_all_cases(is_long: bool) -> None:
    parts = [length.share(CASES, place, 3) for place in range(4)]
    assert parts == ([CASES] * 4 if is_long else [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8], [0, 3, 6, 9]])


def test_much_is_tried_at_full_length(is_long: bool) -> None:
    assert length.times(2, 10) == (10 if is_long else 2)
