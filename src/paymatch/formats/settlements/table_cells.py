"""The cells of a settlement's rows by what they hold, in the number and date forms of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import known_currency
from paymatch.formats.settlements.layouts import Layout, RowBroken, RowWidths, SettlementColumn, heading_word, places_of
from paymatch.formats.settlements.values import amount_of, date_order_in, day_of, decimal_mark_in

_C = SettlementColumn
_AMOUNTS: Final = (_C.GROSS, _C.GROSS_DEBIT, _C.FEE, _C.NET, _C.NET_DEBIT, _C.BALANCE, _C.ORIGINAL)
_DEBITS: Final = {_C.GROSS: _C.GROSS_DEBIT, _C.NET: _C.NET_DEBIT}
_NOTHING: Final = frozenset({"-", "--", "---", "\N{EN DASH}", "\N{EM DASH}"})
"""How some write that a cell is empty."""
_DAYS: Final = (_C.TIME, _C.PAYOUT_DATE)
_ALIKE: Final = frozenset(SettlementColumn) - {_C.TEXT, _C.ORDER, _C.DETAIL}
"""Columns that a file has only once by the same name."""
_TELLING: Final = (*_AMOUNTS[:-1], _C.CURRENCY, _C.KIND, _C.ID, _C.TIME, _C.PAYOUT_ID)
"""What a row that lacks it cannot say, though the rows above do."""
_MAX_TEXT: Final = 500


class TableCells:
    """Reads the cells of rows below one heading; `sample` shows how numbers and dates are written."""

    def __init__(self, layout: Layout, heading: list[str], sample: list[list[str]]) -> None:
        self.layout = layout
        self.places = places_of(layout, heading)
        self.widths = RowWidths(heading, (place for what in _TELLING for place in self.places.get(what, ())))
        _refuse_twins(self.places, heading)
        self.mark = layout.decimal_mark or decimal_mark_in(
            cells[place] for cells in sample for what in _AMOUNTS for place in self._in(what, cells)
        )
        self.order: str = layout.date_order
        if self.order in {"", "ymd"}:  # a spreadsheet program rewrites dates in the form of its country
            self.order = date_order_in(
                (cells[place] for cells in sample for what in _DAYS for place in self._in(what, cells)),
                {cells[place] for cells in sample for place in self._in(_C.ZONE, cells)},
            )

    def _in(self, what: SettlementColumn, cells: list[str]) -> list[int]:
        return [place for place in self.places.get(what, ()) if place < len(cells)]

    def has(self, what: SettlementColumn) -> bool:
        """Whether the file has such a column."""
        return what in self.places

    def first(self, cells: list[str], what: SettlementColumn) -> str:
        """The first of the column's cells that is filled."""
        for place in self.places.get(what, ()):
            if place < len(cells) and (text := cells[place].strip()) and text not in _NOTHING:
                return text
        return ""

    def find_filled(self, cells: list[str], what: SettlementColumn) -> list[str]:
        """All cells of the column that are filled, best first."""
        places = (place for place in self.places.get(what, ()) if place < len(cells))
        return [text for place in places if (text := cells[place].strip()) and text not in _NOTHING]

    def join_cells(self, cells: list[str], what: SettlementColumn) -> str:
        """All cells of the column that are filled, each once."""
        parts = [text for place in self._in(what, cells) if (text := cells[place].strip()) and text not in _NOTHING]
        return " ".join(dict.fromkeys(parts))[:_MAX_TEXT]

    def joined_of(self, cells: list[str]) -> Callable[[SettlementColumn], str]:
        """`joined` of these cells."""
        return lambda what: self.join_cells(cells, what)

    def amount(self, cells: list[str], what: SettlementColumn, currency: str) -> int | None:
        """The sum of the column's cells less its debits; None where all are empty or the file lacks it."""
        found = self._sum(cells, what, currency)
        debit = _DEBITS.get(what)
        if debit is None or debit not in self.places:
            return found
        out = self._sum(cells, debit, currency)
        return found if out is None else (found or 0) - abs(out)  # some write it with a minus

    def _sum(self, cells: list[str], what: SettlementColumn, currency: str) -> int | None:
        found: int | None = None
        for place in self.places.get(what, ()):
            if place < len(cells) and (text := cells[place].strip()) and text not in _NOTHING:
                found = (found or 0) + amount_of(text, self.mark, currency)
        return found

    def currency(self, cells: list[str], what: SettlementColumn = _C.CURRENCY) -> str:
        """The code in capitals, "" where the row names none; AmountUnreadable for one that does not exist."""
        said = self.first(cells, what).upper()
        if said and not known_currency(said):
            raise AmountUnreadable(Message("amount-currency", currency=repr(said[:20])))
        return said

    def day(self, cells: list[str], what: SettlementColumn) -> date | None:
        """The date as the file writes it, in the zone that the file writes in."""
        said = self.first(cells, what)
        return day_of(said, self.order) if said else None


def _refuse_twins(places: Mapping[str, Sequence[int]], heading: Sequence[str]) -> None:
    """RowBroken where two columns have one name: nothing says which of them counts."""
    for what in _ALIKE:
        seen: set[str] = set()
        for place in places.get(what, ()):
            if (word := heading_word(heading[place])) in seen:
                raise RowBroken(Message("settlement-twin-headings", heading=repr(heading[place][:40])))
            seen.add(word)
