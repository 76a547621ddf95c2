"""Days and names as people type them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.customer_names import split_name
from paymatch.domain.words.typed_days import typed_day, written_day


@pytest.mark.parametrize(
    "text",
    [
        "1.12.2026",
        "01.12.26",
        "1 Dec 2026",
        "1. Dezember 2026",
        "01/12/2026",
        "2026-12-01",
        "December 1, 2026",
        " 1.12.2026 ",
    ],
)
def test_a_day_is_read_as_it_is_written_here(text: str) -> None:
    assert typed_day(text) == date(2026, 12, 1)


@pytest.mark.parametrize("text", ["", "31.11.2026", "1.13.2026", "soon", "12.2026", "1 Foo 2026", "٣.١٢.٢٠٢٦"])
def test_what_is_no_day_is_none(text: str) -> None:
    assert typed_day(text) is None


@given(st.dates(date(1900, 1, 1), date(2999, 12, 31)), st.sampled_from(["en", "de", "en-gb"]))
def test_a_day_that_is_written_is_read_again(day: date, language: str) -> None:
    assert typed_day(written_day(day, language)) == day


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Eva Muster", {"firstName": "Eva", "lastName": "Muster"}),
        ("Muster, Eva", {"firstName": "Eva", "lastName": "Muster"}),
        ("Ludwig van  Beethoven", {"firstName": "Ludwig", "lastName": "van Beethoven"}),
        ("Anna-Lena Müller-Lüdenscheidt", {"firstName": "Anna-Lena", "lastName": "Müller-Lüdenscheidt"}),
        ("Bergmann & Söhne GmbH", {"company": "Bergmann & Söhne GmbH"}),
        ("Hotel Meeresblick", {"lastName": "Hotel Meeresblick"}),
        ("Familie Petersen", {"lastName": "Familie Petersen"}),
        ("Muster", {"lastName": "Muster"}),
        ("Lager 7", {"lastName": "Lager 7"}),
        ("", {}),
    ],
)
def test_a_name_is_taken_apart_only_where_it_is_sure(text: str, parts: dict[str, str]) -> None:
    assert split_name(text) == parts


@given(st.text(max_size=60))
def test_no_letter_of_a_name_is_lost(text: str) -> None:
    parts = split_name(text)
    assert sorted("".join("".join(parts.values()).split())) == sorted(
        "".join(text.split()).replace(",", "", 1 if "firstName" in parts else 0)
    )
