"""Entries of a statement that others may have shown: kept on disk, and taken up again amount by amount."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from datetime import date
from typing import IO, Final

import msgspec

from paymatch.domain.postings import Posting

Group = tuple[Posting, ...]
"""The postings of one entry."""

_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(Group).decode


class Overlap:
    """All entries of one amount come together, so that each booked posting is looked at once and the closest is found.

    Amounts of two currencies never do. Memory holds 18 bytes per entry. The file is a scratch pad that one statement
    after the other uses.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._file.seek(0)
        self._amounts = array("q")
        self._currencies = array("H")  # places in `_known_currencies`
        self._known_currencies: dict[str, int] = {}
        self._places = array("Q", [0])
        self.part_amounts: set[int] = set()
        self.days = (date.max, date.min)  # first and last of the entries

    def add(self, groups: Sequence[Group]) -> None:
        """Puts entries aside."""
        for group in groups:
            written = self._file.write(_ENCODE(group))
            self._amounts.append(sum(posting.amount_minor for posting in group))
            self._currencies.append(self._known_currencies.setdefault(group[0].currency, len(self._known_currencies)))
            self._places.append(self._places[-1] + written)
            day = group[0].booking_date
            self.days = min(self.days[0], day), max(self.days[1], day)
            if len(group) > 1:
                self.part_amounts.update(posting.amount_minor for posting in group)

    def by_amount(self, size: int) -> Iterator[list[Group]]:
        """The entries in the order of their amounts, about `size` at a time.

        Each lot is of one currency, and no amount is in two lots.
        """
        chunk: list[Group] = []
        currency = amount = 0
        for place in sorted(range(len(self._amounts)), key=self._key):
            is_next_currency = self._currencies[place] != currency
            if chunk and (is_next_currency or (len(chunk) >= size and self._amounts[place] != amount)):
                yield chunk
                chunk = []
            currency, amount = self._currencies[place], self._amounts[place]
            chunk.append(self._read(place))
        if chunk:
            yield chunk

    def _key(self, place: int) -> int:
        """By currency, then by amount, in one number: a tuple per entry would take more memory than the entries."""
        return (self._currencies[place] << 64) + self._amounts[place]

    def _read(self, place: int) -> Group:
        start, end = self._places[place], self._places[place + 1]
        self._file.seek(start)
        return _DECODE(self._file.read(end - start))
