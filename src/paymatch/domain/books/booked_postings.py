"""Postings of a booked entry: the books' record of each, its statement lines, and its stable id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paymatch.domain.books.fold import BookedEntry
from paymatch.domain.books.pairing import pair
from paymatch.domain.books.statement_lines import ResolvedPosting, ShownEntry, resolve_lines
from paymatch.domain.postings import Posting

Line = tuple[ShownEntry, int]
"""A line by its place in its entry."""


@dataclass(slots=True, eq=False)
class FoldedPosting:
    """A posting as its lines give it; `sums` are the lines with the sum of its batch, or that a person left aside."""

    lines: list[Line]
    sums: Sequence[Line] = ()
    stands_for_sums: bool = False  # the first of a batch: the lines of its sum are kept with it
    id: str = ""
    _resolved: ResolvedPosting | None = field(default=None, init=False)

    @property
    def resolved(self) -> ResolvedPosting:
        """The books' record of it."""
        if self._resolved is None:
            self._resolved = resolve_lines(map(_content_key, self.lines), map(_content_key, self.sums))
        return self._resolved

    @property
    def own_lines(self) -> Iterator[Line]:
        """The lines that are kept with it."""
        yield from self.lines
        if self.stands_for_sums:
            yield from self.sums


def _content_key(line: Line) -> tuple[Any, Posting]:
    entry, place = line
    return entry.statement, entry.lines[place]


def postings_of_entry(booked: BookedEntry) -> list[FoldedPosting]:
    """One posting, or those of the batch that the entry is."""
    division = booked.division
    if division is None:
        sums = [(entry, place) for entry in booked.entries if entry.is_divided for place in range(len(entry.lines))]
        return [FoldedPosting([(entry, 0) for entry in booked.entries if not entry.is_divided], sums, True)]
    found = [FoldedPosting([(division, place)]) for place in range(len(division.lines))]
    sums = []
    for entry in booked.entries:
        if entry is division:
            continue
        for place, of in enumerate(_places(division, entry)):
            if of is None:
                sums.append((entry, place))
            else:
                found[of].lines.append((entry, place))
    for posting in found:
        posting.sums = sums
    found[0].stands_for_sums = True
    return found


def _places(division: ShownEntry, entry: ShownEntry) -> Sequence[int | None]:
    """For each line of an entry, its payment in the division; none for a sum."""
    if not entry.is_divided:
        return [None]
    if division.lines == entry.lines:
        return range(len(entry.lines))
    return pair(division.keys_of_lines, entry.keys_of_lines)


def keep_ids(postings: Iterable[FoldedPosting], amounts: Mapping[str, int]) -> None:
    """Gives each posting the id of the booked posting whose best line it has, if the amounts are equal.

    `amounts` are those of the postings that were booked. Of several ids the one that a person decided stays, else that
    of the best line.
    """
    names = {posting: _names(posting, amounts) for posting in postings}
    times = Counter(name for each in names.values() for name in each)
    contested: list[tuple[tuple[Any, ...], str, FoldedPosting]] = []
    for posting, lines_of in names.items():
        if len(lines_of) == 1 and times[name := next(iter(lines_of))] == 1:
            posting.id = name
            continue
        for name, lines in lines_of.items():
            ranks = [(name not in each.held, *each.statement.rank, each.content) for each in lines]
            contested.append((min(ranks), name, posting))
    contested.sort(key=lambda candidate: candidate[0])
    elected: set[str] = set()
    for _, name, posting in contested:
        if name not in elected:
            elected.add(name)
            posting.id = posting.id or name


def _names(posting: FoldedPosting, amounts: Mapping[str, int]) -> dict[str, list[ShownEntry]]:
    """The postings of the same amount that its lines stood for, and the entries of these lines."""
    found: dict[str, list[ShownEntry]] = {}
    for entry, place in posting.lines:
        name = entry.stands_for[place]
        if name and amounts.get(name) == entry.lines[place].amount_minor:
            found.setdefault(name, []).append(entry)
    return found
