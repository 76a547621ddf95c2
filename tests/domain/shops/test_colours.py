"""Colours that a shop chooses are always readable for everyone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.shops.colours import (
    BLACK,
    READABLE,
    USUAL_ACCENT,
    WHITE,
    Colour,
    ColourUnreadable,
    colour_of,
    contrast,
    ink_on,
    readable_on,
)

COLOURS = st.builds(Colour, *[st.integers(0, 255)] * 3)


@pytest.mark.parametrize(("one", "other", "ratio"), [
    ("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#0000ff", "#ffffff", 8.59),
    ("#ffff00", "#ffffff", 1.07), ("#0a0a0a", "#ffffff", 19.8), ("#0a0a0a", "#000000", 1.06),
])  # fmt: skip
def test_contrast_is_that_of_the_standard(one: str, other: str, ratio: float) -> None:
    assert round(contrast(colour_of(one), colour_of(other)), 2) == ratio


@pytest.mark.parametrize("text", ["", "red", "#fff", "#12345g", "#1234567", "#123456;}"])
def test_what_is_no_colour_is_refused(text: str) -> None:
    with pytest.raises(ColourUnreadable):
        colour_of(text)


def test_colours_that_have_a_name() -> None:
    assert [str(each) for each in (WHITE, BLACK, USUAL_ACCENT)] == ["#ffffff", "#000000", "#0f5c7a"]


def test_a_readable_colour_stays_and_a_pale_one_darkens() -> None:
    assert readable_on(colour_of("0F6B4F"), WHITE) == colour_of("#0f6b4f")
    assert str(readable_on(colour_of("#ffcc00"), WHITE)) == "#8f7300"


@given(COLOURS, COLOURS)
def test_every_colour_gives_readable_text(colour: Colour, background: Colour) -> None:
    assert contrast(ink_on(background), background) >= READABLE
    assert contrast(readable_on(colour, background), background) >= READABLE
    assert ink_on(colour) in (BLACK, WHITE)
