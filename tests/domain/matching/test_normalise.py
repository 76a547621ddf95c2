"""Texts of all scripts in flat capitals: the same length, digits as 0 to 9, nothing between them that no one sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.text.normalise import flat


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SW-1\u200b0001 x", "SW-10001  X"),
        ("\u2068SW-7\u2069", "SW-7  "),
        ("So\u00adfi\u00ada", "SOFIA  "),
        ("Mu\u0308ller Ju\u0308rgen", "MULLER  JURGEN "),
        ("\uff33\uff37\uff0d\uff11\uff12", "SW\uff0d12"),
        ("\u0661\u06f2\u0969\U0001d7d2", "1234"),
        ("10 m\u00b2 \u2460 \u00bd", "10 M\u00b2 \u2460 \u00bd"),
        ("Иван № 7", "ИВАН № 7"),
        ("a\x00\u200bb", "A B "),
        ("\u200b", " "),
        ("ŉ €5", "ŉ €5"),
    ],
)
def test_flat_capitals(text: str, expected: str) -> None:
    assert flat(text) == expected


@given(st.text())
def test_flat_capitals_have_the_length_of_the_text(text: str) -> None:
    found = flat(text)
    assert len(found) == len(text)
    assert flat(found) == found
