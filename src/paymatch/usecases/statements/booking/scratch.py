"""Entries of a file that wait for booking: kept on disk, and read again sum by sum, day by day."""

from __future__ import annotations

import os
import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from typing import Final, TypeVar

import msgspec

from paymatch.domain.books.statement_lines import ShownBy, ShownEntry
from paymatch.domain.postings import Posting
from paymatch.store.statements.statement_lines import TouchedSum

_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(tuple[Posting, ...]).decode

T = TypeVar("T")

LOT_SIZE: Final = 2000
"""The number of entries booked at once, except those of one sum and day."""


@dataclass(frozen=True, slots=True)
class Lot:
    """Sums of one account and currency that are folded at once, from a first to a last day."""

    account: str
    currency: str
    amounts: Collection[int]
    first: date
    last: date
    lines: int  # about how many of its own
    size: int  # at most this many at once
    entries: Callable[[Collection[int], date, date], Iterable[ShownEntry]]
    """Its own entries with one of these sums, between two days."""


def lots_of(sums: Iterable[TouchedSum], size: int) -> Iterator[Lot]:
    """Sums whose lines are removed, without own entries, about `size` lines at a time."""
    for (account, currency), same in groupby(sums, key=lambda each: (each.account, each.currency)):
        for some in _at_most(size, ((each.lines, each) for each in same)):
            first, last = min(each.first_date for each in some), max(each.last_date for each in some)
            lines = sum(each.lines for each in some)
            yield Lot(account, currency, [each.amount_minor for each in some], first, last, lines, size, lambda *_: ())


def _at_most(size: int, weighed: Iterable[tuple[int, T]]) -> Iterator[list[T]]:
    """Groups that weigh at most `size`; a heavier one stays alone."""
    together: list[T] = []
    weight = 0
    for own, each in weighed:
        if together and weight + own > size:
            yield together
            together, weight = [], 0
        together.append(each)
        weight += own
    if together:
        yield together


class Scratch:
    """All entries of one sum come together, so each line is read once. Memory holds 26 bytes per entry."""

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

    def lots(self, size: int) -> Iterator[Lot]:
        """About `size` entries at a time, or one sum; no sum is in two lots."""
        self._file.flush()
        accounts = list(self._accounts)
        for account, own in groupby(sorted(range(len(self._sums)), key=self._key), key=self._of_account.__getitem__):
            sums = (list(same) for _, same in groupby(own, key=self._sums.__getitem__))
            for some in _at_most(size, ((len(same), same) for same in sums)):
                places = sorted((place for same in some for place in same), key=self._days.__getitem__)
                amounts = [self._sums[same[0]] for same in some]
                first, last = (date.fromordinal(self._days[places[at]]) for at in (0, -1))
                yield Lot(*accounts[account], amounts, first, last, len(places), size, partial(self._entries, places))

    def _key(self, place: int) -> int:
        """By account and currency, and sum, in one number: a tuple would take more memory than the entries."""
        return (self._of_account[place] << 64) + self._sums[place]

    def _entries(
        self, places: Sequence[int], amounts: Collection[int], first: date, last: date
    ) -> Iterator[ShownEntry]:
        """The entries of these sums between two days; `places` are in the order of days."""
        begin = bisect_left(places, first.toordinal(), key=self._days.__getitem__)
        end = bisect_left(places, last.toordinal() + 1, key=self._days.__getitem__)
        return (self._read(place) for place in places[begin:end] if self._sums[place] in amounts)

    def _read(self, place: int) -> ShownEntry:
        start, end = self._places[place], self._places[place + 1]
        lines = _DECODE(os.pread(self._file.fileno(), end - start, start))
        statement = self._statements[self._of_statement[place]]
        return ShownEntry(statement, self._positions[place], lines, is_new=True)
