"""What the cells of a column look like: a heading alone does not say what it holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from paymatch.domain.words.faults import UnreadableValue
from paymatch.formats.bank_values import known_currency
from paymatch.formats.settlements.kind_words import kind_by_words
from paymatch.formats.settlements.layouts import SettlementColumn, plain_kind
from paymatch.formats.settlements.values import amount_of, is_day

_C = SettlementColumn
AMOUNTS: Final = (_C.GROSS, _C.GROSS_DEBIT, _C.FEE, _C.NET, _C.NET_DEBIT)
_DAYS: Final = (_C.TIME, _C.PAYOUT_DATE)
_NUMBERS: Final = (_C.ORDER, _C.ID, _C.PAYMENT, _C.PAYOUT_ID)
_EMPTY: Final = re.compile(r"[-\N{EN DASH}\N{EM DASH}]*")
_AMOUNT: Final = re.compile(r"[-+(]?\s*(?:[A-Z]{3}|€)?\s*[-+]?\d[\d.,'\u2019\s]*\)?-?\s*(?:[A-Z]{3}|€)?")
_CENTS: Final = re.compile(r"[-+]?\d[\d.,' ]*[.,]\d\d")
_HAS_DIGIT: Final = re.compile(r"\d")


def has_form_of(what: SettlementColumn, cells: Sequence[str]) -> bool:
    """Whether cells, none of them blank, can be what such a column holds; no cells say nothing against it."""
    filled = [cell for cell in cells if not _EMPTY.fullmatch(cell)]
    if what in AMOUNTS:
        return all(map(_AMOUNT.fullmatch, filled))
    if what in _DAYS:
        return not filled or sum(map(is_day, filled)) * 2 >= len(filled)  # a total has none
    if what is _C.CURRENCY:
        return all(known_currency(cell.upper()) for cell in filled)
    if what is _C.KIND:
        return not filled or any(kind_by_words(plain_kind(cell)) for cell in filled)
    if what in _NUMBERS and filled:
        is_number = any(map(_HAS_DIGIT.search, filled))
        is_told_apart = what is not _C.ID or len(set(filled)) * 2 > len(filled)
        return is_number and is_told_apart and not all(is_day(cell) or _CENTS.fullmatch(cell) for cell in filled)
    return True


def amount_in(cell: str, mark: str) -> int | None:
    """Minor units of two decimals; None for an empty cell and for one that is no such amount."""
    if not cell or _EMPTY.fullmatch(cell):
        return None
    try:
        return amount_of(cell, mark, "EUR")
    except UnreadableValue:
        return None
