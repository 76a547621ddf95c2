"""The payment's own amount in its text is not a number of an order."""

from __future__ import annotations

from datetime import date
from typing import Final

import pytest

from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.own_amount import without_own_amount
from paymatch.domain.matching.text.reading import read_text

DAY: Final = date(2026, 3, 2)
STATED: Final = {
    "EUR 1234.56": (123_456, []),
    "EUR1234.56": (123_456, []),
    "1234.56": (123_456, []),
    "1.234,56 Einkauf": (123_456, []),
    "1'234.56 CHF": (123_456, []),
    "Betrag: EUR 1234,56": (123_456, []),
    "(1234.56)": (123_456, []),
    "1234 EUR": (123_400, []),
    "EUR 1234": (123_400, []),
    "1234 €": (123_400, []),
    "1234,- EUR": (123_400, []),
    "1234,--": (123_400, []),
    "USD 1234": (123_400, []),
    # numbers, not amounts
    "1234": (123_400, ["1234"]),
    "Bestellung 1234 EUR 1234,00": (123_400, ["1234"]),
    "SW-1234 EUR": (123_400, ["1234", "SW1234"]),
    "NEUR 1234": (123_400, ["1234", "NEUR1234"]),
    "1234 EUROPA": (123_400, ["1234"]),
    "1234.56.78": (123_456, ["1234", "1256", "1278", "123456", "12345678", "5678"]),
    # other amounts than the payment's
    "EUR 1234.57": (123_456, ["1234", "123457", "EUR1234", "EUR123457"]),
}


@pytest.mark.parametrize("text", STATED)
def test_own_amounts_are_no_numbers(text: str) -> None:
    minor, kept = STATED[text]
    read, _ = read_text(flat(text), DAY)
    found = {each.compact for each in without_own_amount(read, flat(text), minor)}
    assert {each for each in found if sum(map(str.isdigit, each)) > 3} == set(kept)
