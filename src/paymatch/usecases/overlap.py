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

    Memory holds 16 bytes per entry. The file is a scratch pad that one statement after the other uses.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._file.seek(0)
        self._amounts = array("q")
        self._places = array("Q", [0])
        self.part_amounts: set[int] = set()
        self.days = (date.max, date.min)  # first and last of the entries

    def add(self, groups: Sequence[Group]) -> None:
        """Puts entries aside."""
        for group in groups:
            written = self._file.write(_ENCODE(group))
            self._amounts.append(sum(posting.amount_minor for posting in group))
            self._places.append(self._places[-1] + written)
            day = group[0].booking_date
            self.days = min(self.days[0], day), max(self.days[1], day)
            if len(group) > 1:
                self.part_amounts.update(posting.amount_minor for posting in group)

    def by_amount(self, size: int) -> Iterator[list[Group]]:
        """The entries in the order of their amounts, about `size` at a time, never one amount in two parts."""
        chunk: list[Group] = []
        before: int | None = None
        for place in sorted(range(len(self._amounts)), key=self._amounts.__getitem__):
            if len(chunk) >= size and self._amounts[place] != before:
                yield chunk
                chunk = []
            before = self._amounts[place]
            chunk.append(self._read(place))
        if chunk:
            yield chunk

    def _read(self, place: int) -> Group:
        start, end = self._places[place], self._places[place + 1]
        self._file.seek(start)
        return _DECODE(self._file.read(end - start))
