"""What a posting says as one text, for the API and for people."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domain.matching.world import posting


@pytest.mark.parametrize(
    ("said", "text", "shown"),
    [
        ({"remittance_lines": ("Bestel", "lung 1834")}, "Bestellung 1834", "Bestellung 1834"),
        ({"structured_references": ("RF18", "RF19")}, "RF18 RF19", "RF18 RF19"),
        ({"remittance_lines": ("1834",), "structured_references": ("RF18",)}, "1834", "1834"),
        ({"extra_texts": ("1834", "1835")}, "", "1834 1835"),
        ({"remittance_lines": ("1834",), "extra_texts": ("1835",)}, "1834", "1834"),
        ({}, "", ""),
    ],
)
def test_the_text_is_the_remittance_information_else_what_the_bank_says_beside_it(
    said: dict[str, Any], text: str, shown: str
) -> None:
    given = posting("", **said).posting
    assert (given.text, given.shown_text) == (text, shown)
