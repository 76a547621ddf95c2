"""The mask of a QR code is the one that segno finds by looking at each module."""

from __future__ import annotations

import random
from typing import Literal, cast

import pytest
import segno
from hypothesis import given, settings
from hypothesis import strategies as st

from paymatch.formats.codes.masks import best_mask
from paymatch.formats.codes.pictures import qr_code

LEVELS = cast("tuple[Literal['l', 'm', 'q', 'h'], ...]", ("l", "m", "q", "h"))


@settings(max_examples=40)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=80), st.sampled_from(LEVELS))
def test_the_mask_is_segno_s(text: str, level: Literal["l", "m", "q", "h"]) -> None:
    wanted = segno.make_qr(text, error=level, encoding="utf-8", mode="byte", boost_error=False)
    assert best_mask(wanted) == wanted.mask
    assert [bytes(row) for row in qr_code(text, level).matrix] == [bytes(row) for row in wanted.matrix]


@pytest.mark.parametrize("length", [1, 40, 90, 150, 400, 1000])
def test_every_size_of_symbol_and_finder_patterns_that_share_modules(length: int) -> None:
    """Few kinds of letters: what looks like a finder pattern comes often, also two that share modules."""
    text = "".join(random.Random(length).choices("]\x00\x5d\xae", k=length))
    wanted = segno.make_qr(text, error="l", encoding="iso-8859-1", mode="byte", boost_error=False)
    assert best_mask(wanted) == wanted.mask


@pytest.mark.parametrize("mask", range(8))
def test_the_mask_that_a_symbol_has_does_not_matter(mask: int) -> None:
    assert best_mask(segno.make_qr("Beispiel", error="m", mode="byte", mask=mask, boost_error=False)) == 1
