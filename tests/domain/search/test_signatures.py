"""Signatures: what a search looks for can only be in rows whose bits have all of its bits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.search.query import search_text, words_of
from paymatch.domain.search.signatures import BITS, forms, rows_places, signature, text_places, word_places
from paymatch.domain.search.typing_errors import is_near

TEXTS = st.text("ABZ019 ÄäßéÅ-.€한", max_size=30)
WORDS = st.text("ABCDE", min_size=1, max_size=7)


@given(TEXTS, TEXTS, st.integers(0, 40), st.integers(1, 12))
def test_a_part_of_a_text_has_no_bits_that_the_text_has_not(one: str, other: str, start: int, length: int) -> None:
    stored = search_text(one, other)
    assert text_places(stored[start : start + length]) <= text_places(stored)
    assert rows_places([stored, "X"], words_of(one)) >= text_places(stored)


@given(WORDS, WORDS)
def test_words_that_differ_by_one_typing_error_have_the_bits_of_a_form(word: str, other: str) -> None:
    if word == other or is_near(word, other):
        assert any(form <= word_places(other) for form in forms(word))


@given(WORDS, st.sampled_from("ABCDE"), st.integers(0, 7), st.sampled_from(["more", "fewer", "another", "exchanged"]))
def test_every_kind_of_typing_error_leaves_the_bits_of_a_form(word: str, letter: str, at: int, kind: str) -> None:
    begin, end = word[:at], word[at:]
    other = {
        "more": begin + letter + end,
        "fewer": begin + end[1:],
        "another": begin + letter + end[1:],
        "exchanged": begin + end[1:2] + end[:1] + end[2:],
    }[kind]
    assert any(form <= word_places(other) for form in forms(word))
    assert rows_places([], [other]) == word_places(other)


@given(st.sets(st.integers(0, BITS - 1), max_size=20))
def test_the_bits_are_stored_as_postgresql_counts_them(places: set[int]) -> None:
    stored = signature(places)
    assert len(stored) == BITS // 8
    assert {place for place in range(BITS) if stored[place // 8] >> place % 8 & 1} == places


def test_a_short_number_is_told_by_how_a_word_begins() -> None:
    stored = search_text("WT-11667 42")
    assert [text_places(part) <= text_places(stored) for part in (" 42", " 4", " 43", "1166", "6679")] == [
        True, True, False, True, False,
    ]  # fmt: skip
