"""Shapes of rows in a table without a header: they tell a balance above or below from the entries."""

from __future__ import annotations

import re
from typing import Final

from paymatch.formats.bank_values import looks_like_amount
from paymatch.formats.tables.text import TextRow
from paymatch.formats.tables.values import csv_date

SAMPLE: Final = 50
_ACCOUNT: Final = re.compile(r"(?:\d\D{0,2}){8}")
_CENTS: Final = re.compile(r"[.,]\d\d(?!\d)")
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
