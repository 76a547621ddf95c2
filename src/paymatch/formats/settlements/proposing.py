"""Proposed meanings of the columns of an unknown settlement file, by their headings, for a person to confirm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from paymatch.domain.payouts.movements import MovementKind
from paymatch.formats.bank_values import known_currency
from paymatch.formats.settlements.cell_forms import AMOUNTS, amount_in, has_form_of
from paymatch.formats.settlements.heading_words import LEFT, PAIRS, PARTS, WHOLE, WORDS
from paymatch.formats.settlements.kind_words import kind_by_words
from paymatch.formats.settlements.layouts import SettlementColumn, heading_word, plain_kind, tables_in
from paymatch.formats.settlements.values import decimal_mark_in

_C = SettlementColumn
_FEWEST: Final = 3


@dataclass(frozen=True, slots=True)
class SettlementProposal:
    """A reading of an unknown file: its headings, what each may hold, which words of the kind's column mean what."""

    headings: tuple[str, ...]
    columns: Mapping[SettlementColumn, str]
    kinds: Mapping[str, MovementKind]
    words: tuple[str, ...]  # all that the kind's column holds, so far as was read

    @property
    def is_likely(self) -> bool:
        """Whether lists of orders have no such columns: a net amount beside its fee or its payout."""
        return _C.NET in self.columns and bool({_C.FEE, _C.PAYOUT_ID} & self.columns.keys())


def propose_settlement(stream: BinaryIO) -> SettlementProposal | None:
    """The most that the headings of a table say; None if it is not a table with amounts. `stream` is put back."""
    best: SettlementProposal | None = None
    for rows in tables_in(stream):
        for place, cells in enumerate(rows):
            below = [row for row in rows[place + 1 :] if len(row) >= len(cells)]
            columns = _columns(cells, below)
            if len(columns) >= _FEWEST and (best is None or len(columns) > len(best.columns)):
                words = _words(cells, columns, below)
                kinds = {word: kind for word in words if (kind := kind_by_words(plain_kind(word))) is not None}
                best = SettlementProposal(tuple(cells), columns, kinds, words)
    if best is None or not ({_C.GROSS, _C.NET} & best.columns.keys()):
        return None
    return best


def _columns(cells: Sequence[str], below: Sequence[Sequence[str]]) -> dict[SettlementColumn, str]:
    """Meaning -> heading: the surest words first, and only where the cells below are what the heading says."""
    table = _Table(cells, below)
    found = {what: table.first(what, names) for what, names in WORDS.items()}
    for what, credits, debit, debits in PAIRS:
        came_in, went_out = table.first(what, credits), table.first(debit, debits)
        if not found[what] and came_in and went_out:
            found |= {what: came_in, debit: went_out}
    _add_by_parts(found, table)
    if not found[_C.GROSS] and found[_C.NET]:
        found[_C.GROSS] = table.first(_C.GROSS, WHOLE)
    if found[_C.GROSS] and found[_C.FEE] and not found[_C.NET]:
        found[_C.NET] = table.first(_C.NET, LEFT)
    found[_C.FEE] = _proved_fee(found, table)
    return {what: heading for what, heading in found.items() if heading}


class _Table:
    """The headings of a table and the cells below each."""

    def __init__(self, cells: Sequence[str], below: Sequence[Sequence[str]]) -> None:
        self._below = below
        self._places = {cell: place for place, cell in reversed([*enumerate(cells)])}
        self.by_word = {heading_word(cell): cell for cell in reversed(cells) if cell.strip()}
        self.by_word |= {_without_code(word): cell for word, cell in self.by_word.items()}

    def column(self, heading: str) -> list[str]:
        """The cells below a heading, as they are."""
        return [row[self._places[heading]].strip() for row in self._below]

    def fits(self, what: SettlementColumn, heading: str) -> bool:
        """Whether the cells below the heading can be what a column of this meaning holds."""
        return has_form_of(what, [cell for cell in self.column(heading) if cell])

    def first(self, what: SettlementColumn, names: Sequence[str]) -> str:
        """The heading of the first of these names that fits; "" without one."""
        headings = (self.by_word[name] for name in names if name in self.by_word)
        return next((heading for heading in headings if self.fits(what, heading)), "")


def _add_by_parts(found: dict[SettlementColumn, str], table: _Table) -> None:
    """What headings say that are none of the usual ones: `Processing Fee`, `Provision (EUR)`, `Settlement Batch`."""
    free = {word: heading for word, heading in table.by_word.items() if heading not in found.values()}
    for what, parts, excluded in PARTS:
        if found.get(what):
            continue
        for part in parts:
            fits = [
                word
                for word in free
                if part in f" {word}" and not any(each in word for each in excluded) and table.fits(what, free[word])
            ]
            if fits:
                found[what] = heading = free[min(fits, key=len)]
                free = {word: other for word, other in free.items() if other != heading}
                break


def _proved_fee(found: Mapping[SettlementColumn, str], table: _Table) -> str:
    """The headings of the fee: the one that was found, or all that may be one, if gross and net prove these alone.

    "" where gross or net amount is missing: nothing would prove the fee.
    """
    if not found[_C.FEE] or not found[_C.GROSS] or not found[_C.NET]:
        return ""
    ((parts, excluded),) = [(parts, excluded) for what, parts, excluded in PARTS if what is _C.FEE]
    taken = set(found.values()) - {found[_C.FEE]}
    alike = [
        heading
        for word, heading in reversed(table.by_word.items())
        if heading not in taken
        and any(part in word for part in parts)
        and not any(each in word for each in excluded)
        and table.fits(_C.FEE, heading)
    ]
    every = "|".join(dict.fromkeys(alike))
    return next((each for each in (found[_C.FEE], every) if each and _is_proved(each, found, table)), found[_C.FEE])


def _is_proved(fees: str, found: Mapping[SettlementColumn, str], table: _Table) -> bool:
    """Whether gross and net amounts differ by these columns in every row that has all of them."""
    columns = {what: table.column(found[what]) for what in AMOUNTS if found.get(what)}
    kept = [table.column(heading) for heading in fees.split("|")]
    mark = decimal_mark_in(cell for column in (*columns.values(), *kept) for cell in column)
    for place in range(len(kept[0])):
        row = {what: amount_in(column[place], mark) for what, column in columns.items()}
        fee = [minor for minor in (amount_in(column[place], mark) for column in kept) if minor is not None]
        gross, net = _less(row, _C.GROSS, _C.GROSS_DEBIT), _less(row, _C.NET, _C.NET_DEBIT)
        if gross is not None and net is not None and fee and abs(gross - net) != abs(sum(fee)):
            return False
    return True


def _less(row: Mapping[SettlementColumn, int | None], amount: SettlementColumn, debit: SettlementColumn) -> int | None:
    came_in, went_out = row.get(amount), row.get(debit)
    return came_in if went_out is None else (came_in or 0) - abs(went_out)


def _without_code(word: str) -> str:
    """A heading without the currency that it names: `provision eur` is `provision`."""
    words = word.split()
    return " ".join(words[:-1]) if len(words) > 1 and known_currency(words[-1].upper()) else word


def _words(
    cells: Sequence[str], columns: Mapping[SettlementColumn, str], below: Sequence[Sequence[str]]
) -> tuple[str, ...]:
    if _C.KIND not in columns:
        return ()
    place = cells.index(columns[_C.KIND])
    return tuple(dict.fromkeys(row[place].strip() for row in below if row[place].strip()))
