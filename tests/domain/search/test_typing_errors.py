"""One typing error, and nothing more, is forgiven."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.search.typing_errors import halves, is_near, may_be_mistyped

WORDS = st.text(string.ascii_uppercase, min_size=5, max_size=12)


@pytest.mark.parametrize("other", ["IVERSON", "IVERSN", "IVERRSEN", "VIERSEN", "IVERSENS", "VERSEN"])
def test_one_error_is_near(other: str) -> None:
    assert is_near("IVERSEN", other)
    assert is_near(other, "IVERSEN")


@pytest.mark.parametrize("other", ["IVERSEN", "IWERSON", "IVER", "NESREVI", "VIERSNE", ""])
def test_none_and_two_errors_are_not(other: str) -> None:
    assert not is_near("IVERSEN", other)


@given(WORDS, st.integers(0, 11), st.sampled_from(string.ascii_uppercase), st.sampled_from(["put", "take", "change"]))
def test_one_half_is_left_whatever_the_error(word: str, place: int, letter: str, error: str) -> None:
    place = min(place, len(word) - 1)
    typed = word[:place] + (letter if error != "take" else "") + word[place + (error != "put") :]
    if typed == word or not may_be_mistyped(typed):
        return
    parts = halves(typed)
    assert is_near(typed, word)
    assert word.startswith(parts.begin) or word.endswith(parts.end)


def test_short_words_and_numbers_are_taken_as_they_are() -> None:
    assert [may_be_mistyped(word) for word in ("MARI", "MARIE", "WT11667", "11667")] == [False, True, False, False]
