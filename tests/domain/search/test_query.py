"""Folded texts, and what a typed text is read as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.search.query import (
    MAX_CHARACTERS,
    compact,
    comparable_amount,
    long_words,
    read_query,
    search_text,
    words_of,
)


@pytest.mark.parametrize("written", ["Rößler", "Roessler", "ROSSLER", "roßler", "Ro\u0308ßler", "Rösler"])
def test_all_spellings_are_one(written: str) -> None:
    assert words_of(written) == ["ROSLER"]


def test_numbers_of_several_parts_are_one_word_too() -> None:
    assert search_text("Bestellung WT-11667", "RF40 WM10 266", "WT-11667") == (
        " BESTELLUNG WT 11667 WT11667 RF40 WM10 266 RF40WM10266 WT 11667 WT11667 "
    )
    assert long_words(" BESTELLUNG WT 11667 TEE BESTELLUNG ") == " BESTELLUNG "


@given(st.text(max_size=300))
def test_what_was_stored_is_found_by_each_of_its_words(text: str) -> None:
    stored = search_text(text)
    assert len(stored) <= MAX_CHARACTERS
    assert all(word in stored for word in words_of(text))
    assert (
        all(read_query(text).has(word) for word in words_of(text)[:1] if len(word) > 1) or not read_query(text).chunks
    )


@pytest.mark.parametrize(
    ("typed", "amounts"),
    [
        ("58,30", [(5830, 2)]),
        ("58.30", [(5830, 2)]),
        ("58.3", [(5830, 2)]),
        ("1.912,00", [(191_200, 2)]),
        ("1,912.00", [(191_200, 2)]),
        ("1'912.00", [(191_200, 2)]),
        ("1.912", [(1912, 3), (191_200, 2)]),
        ("\u22123,00", [(300, 2)]),
        ("120", [(12_000, 2)]),
        ("1:20", []),
    ],
)
def test_amounts_in_both_notations(typed: str, amounts: list[tuple[int, int]]) -> None:
    (chunk,) = read_query(typed).chunks
    assert chunk.amounts == tuple(comparable_amount(*each) for each in amounts)


def test_a_currency_beside_an_amount_is_left_out() -> None:
    assert read_query("58,30 EUR") == read_query("€ 58,30") == read_query("58,30")


@pytest.mark.parametrize(
    ("typed", "account", "is_whole"),
    [
        ("DE75 5121 0800 1245 1261 99", "DE75512108001245126199", True),
        ("5121 0800", "51210800", False),
        ("3906", "3906", False),
        ("390", "", False),
        ("Marie 3906", "", False),
        ("58,30", "", False),
    ],
)
def test_accounts_and_parts_of_them(typed: str, account: str, is_whole: bool) -> None:
    query = read_query(typed)
    assert (query.account, query.is_whole_account) == (account, is_whole)


def test_a_number_is_one_word_however_it_is_written() -> None:
    assert {compact(each) for each in ("WT-11667", "wt 11667", "Wt11667", "WT/11667")} == {"WT11667"}
    assert read_query("wt 11667").number == "WT11667"
    assert read_query("").is_empty
    assert read_query("% _ -").is_empty
