"""Amounts as people type them."""

from __future__ import annotations

from paymatch.area.language.reader_language import decimal_mark
from paymatch.domain.money import Currency, digits_of, text_to_minor

_SPACES = str.maketrans({" ": None, "\u00a0": None, "\u202f": None, "'": None, "\u2212": "-"})


def typed_minor(text: str, currency: Currency) -> int:
    """Minor units of a typed amount: 1,234.50 and 1.234,50, a lone separator by its digits; AmountUnreadable."""
    plain = text.translate(_SPACES)
    decimal_mark = _decimal_mark(plain, digits_of(currency))
    grouping = "." if decimal_mark == "," else ","
    return text_to_minor(plain.replace(grouping, "").replace(decimal_mark, "."), currency)


def _decimal_mark(text: str, digits: int) -> str:
    """Of two separators the last one; of one alone the reader's language decides where its digits leave it open."""
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return "."
    other = "," if text[last] == "." else "."
    if other in text:
        return text[last]
    if text.count(text[last]) > 1:
        return other
    if len(text) - last - 1 != 3 or digits == 3:
        return text[last]
    return "," if decimal_mark() == "," else "."
