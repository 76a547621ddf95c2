"""Entries of a file that wait to be booked: kept on disk, and taken up again sum by sum."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

import msgspec

from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import Posting
from paymatch.store.statements.statement_lines import TouchedSum

_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(tuple[Posting, ...]).decode


@dataclass(frozen=True, slots=True)
class Lot:
    """Entries of one account and currency that are folded at once, of some sums and from a first to a last day."""

    account: str
    currency: str
    entries: list[ShownEntry]
    amounts: list[int]
    first: date
    last: date


def lots_of(sums: Iterable[TouchedSum], size: int) -> Iterator[Lot]:
    """Sums of which lines are taken away, without entries of their own, about `size` lines at a time."""
    for (account, currency), same in groupby(sums, key=lambda each: (each.account, each.currency)):
        waiting: list[TouchedSum] = []
        for each in same:
            if sum(other.lines for other in waiting) >= size:
                yield _lot_of(account, currency, waiting)
                waiting = []
            waiting.append(each)
        yield _lot_of(account, currency, waiting)


def _lot_of(account: str, currency: str, sums: Sequence[TouchedSum]) -> Lot:
    first, last = min(each.first_date for each in sums), max(each.last_date for each in sums)
    return Lot(account, currency, [], [each.amount_minor for each in sums], first, last)


class Scratch:
    """All entries of one sum come together, so that each line is looked at once. Memory holds 26 bytes per entry."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  closed by `close`
        self._statements: list[ShownBy] = []
        self._accounts: dict[tuple[str, str], int] = {}
        self._sums, self._of_account, self._of_statement = array("q"), array("H"), array("L")
        self._days, self._positions, self._places = array("L"), array("L"), array("Q", [0])

    def close(self) -> None:
        """Forgets what waited."""
        self._file.close()

    def begin(self, statement: ShownBy) -> None:
        """The entries that follow are of this statement."""
        self._statements.append(statement)

    def add(self, position: int, lines: tuple[Posting, ...]) -> None:
        """Puts an entry aside."""
        account = lines[0].account, lines[0].currency
        self._of_account.append(self._accounts.setdefault(account, len(self._accounts)))
        self._sums.append(sum(line.amount_minor for line in lines))
        self._days.append(lines[0].booking_date.toordinal())
        self._of_statement.append(len(self._statements) - 1)
        self._positions.append(position)
        self._places.append(self._places[-1] + self._file.write(_ENCODE(lines)))

    def range_of_days(self) -> tuple[list[str], date, date] | None:
        """The accounts, the first and the last day of all entries; None if there are none."""
        if not self._days:
            return None
        accounts = sorted({account for account, _ in self._accounts})
        return accounts, date.fromordinal(min(self._days)), date.fromordinal(max(self._days))

    def lots(self, size: int, *, by_day: bool) -> Iterator[Lot]:
        """About `size` entries at a time. No sum is in two lots, or no sum of one day where days are by themselves."""
        self._file.flush()
        accounts = list(self._accounts)
        lot: list[int] = []
        for place in sorted(range(len(self._sums)), key=self._key):
            if lot and (
                self._of_account[place] != self._of_account[lot[0]]
                or (len(lot) >= size and not self._belongs(place, lot[-1], by_day=by_day))
            ):
                yield self._lot(accounts[self._of_account[lot[0]]], lot)
                lot = []
            lot.append(place)
        if lot:
            yield self._lot(accounts[self._of_account[lot[0]]], lot)

    def _belongs(self, place: int, last: int, *, by_day: bool) -> bool:
        return self._sums[place] == self._sums[last] and not (by_day and self._days[place] != self._days[last])

    def _key(self, place: int) -> int:
        """By account and currency, sum and day, in one number: a tuple would take more memory than the entries."""
        return (self._of_account[place] << 96) + (self._sums[place] << 32) + self._days[place]

    def _lot(self, account: tuple[str, str], places: list[int]) -> Lot:
        days = [self._days[place] for place in places]
        amounts = sorted({self._sums[place] for place in places})
        entries = [self._read(place) for place in places]
        return Lot(*account, entries, amounts, date.fromordinal(min(days)), date.fromordinal(max(days)))

    def _read(self, place: int) -> ShownEntry:
        start, end = self._places[place], self._places[place + 1]
        lines = _DECODE(os.pread(self._file.fileno(), end - start, start))
        return ShownEntry(self._statements[self._of_statement[place]], self._positions[place], lines)
