"""Shapes of rows: they tell a balance from the entries of a table without a header, and where a file breaks off."""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.money import CURRENCIES
from paymatch.formats.bank_values import known_currency, looks_like_amount
from paymatch.formats.tables.column_words import words
from paymatch.formats.tables.profiles import CsvField, header_word
from paymatch.formats.tables.text import TextRow, plain_cell
from paymatch.formats.tables.values import csv_date

_F = CsvField
SAMPLE: Final = 50
_ACCOUNT: Final = re.compile(r"(?:\d\D{0,2}){8}")
_CENTS: Final = re.compile(r"[.,]\d\d(?!\d)")
_AMOUNTS: Final = frozenset({_F.AMOUNT, _F.CREDIT, _F.DEBIT, _F.FEE})
_DATES: Final = frozenset({_F.BOOKING_DATE, _F.VALUE_DATE})
_ACCOUNTS: Final = frozenset({_F.ACCOUNT, _F.IBAN, _F.PAYER_IBAN, _F.PAYEE_IBAN})
DECIDING: Final = (*_AMOUNTS, *_DATES, *_ACCOUNTS, _F.CURRENCY, _F.STATUS, _F.EFFECT)
"""Fields whose cells say something else if cut in half: another amount, day, account or state."""
_MARKS: Final = ".,'’"  # of an amount, behind which digits follow
_KEPT: Final = 1000  # contents of last cells
_FOREIGN: Final = 2  # things in a row that are in none of the others


class RowShapes:
    """Learned from the first rows of a file."""

    def __init__(self, rows: list[TextRow]) -> None:
        self._rows = rows

    def is_foreign(self, row: TextRow) -> bool:
        """Whether the row says, at its places, two things or more that no other row says there.

        An account where the others have a text, a currency where theirs is empty, fewer cells than all of them: some
        banks put the balance of the account, with its number and holder, as one more row with date and amount. That a
        place is empty in it says nothing, as fees have no payer.
        """
        others = [other for other in self._rows if other.line != row.line]
        if not others:
            return False
        found = int(all(len(row.cells) < len(other.cells) for other in others))
        for index, cell in enumerate(row.cells):
            if kind := _kind(cell):
                found += kind not in {_kind(other.cells[index]) for other in others if index < len(other.cells)}
        return found >= _FOREIGN


def without_foreign_edges(rows: list[TextRow]) -> list[TextRow]:
    """The rows without a first or last one that looks unlike all others, as it says nothing about the columns."""
    if len(rows) <= _FOREIGN:
        return rows  # each of two looks unlike the other
    shapes = RowShapes(rows[:SAMPLE])
    edges = [row for row in {id(each): each for each in (*rows[:1], *rows[-1:])}.values() if shapes.is_foreign(row)]
    return [row for row in rows if row not in edges]


def _kind(cell: str) -> str:
    text = cell.strip()
    if not text:
        return ""
    if csv_date(text, "dmy") or csv_date(text, "mdy"):
        return "date"
    if looks_like_amount(text) and _CENTS.search(text):
        return "amount"  # 1.234.567,89 has as many digits as an account
    if _ACCOUNT.match(text.lstrip("'")):
        return "account"
    return "amount" if looks_like_amount(text) else "text"


class RowEnds:
    """How the rows before ended: what the last cell of a file must be like to be whole, where no line end follows."""

    def __init__(self) -> None:
        self._cells: set[str] = set()

    def learn(self, cell: str) -> None:
        """Takes the last cell of a row."""
        if len(self._cells) < _KEPT:
            self._cells.add(cell.strip())

    def is_whole(self, what: CsvField, cell: str, decimal_mark: str, currency: str) -> bool:
        """Whether nothing can be missing of the cell: it is as one before, or has all that its kind can have."""
        text = cell.strip()
        if what in _AMOUNTS:
            return not text or self._is_whole_amount(text, decimal_mark, currency)
        if text in self._cells:
            return True
        if what in _DATES:
            return not text or len(text) in map(len, self._cells) or len(text) >= len("2026-03-10")
        if what in _ACCOUNTS:
            return is_iban(re.sub(r"\s", "", plain_cell(text)))
        if what is _F.CURRENCY:
            return known_currency(text.upper())
        word = header_word(text)
        return word in words().pending or word in words().void or words().booked.search(word) is not None

    def _is_whole_amount(self, text: str, decimal_mark: str, currency: str) -> bool:
        """An amount has all decimals of its currency, and a sign or mark behind it where others have one."""
        digits = CURRENCIES.get(currency, 0)
        decimals = len(text.rpartition(decimal_mark)[2]) if decimal_mark in text else 0
        if text[-1] in _MARKS:
            return False
        if not text[-1].isdigit():
            return True
        return 0 < digits <= decimals and all(cell[-1:].isdigit() or not cell for cell in self._cells)
