"""Entries that a payer may have typed into a text: what the balances of their statement say of them (D-80)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from msgspec.structs import replace

from paymatch.domain.words.message import Message
from paymatch.formats.balances.proof import Reading, booked_minor
from paymatch.formats.statement import Entry, EntryStatus, UnreadableEntry

_MOST_TOGETHER: Final = 3
"""Entries that one text can hold at most: a payer has 140 characters."""
_MOST_TRIED: Final = 40
"""Of more entries only pairs are tried."""


class DoubtfulEntries:
    """The entries of a statement that may be text of the payment before them; kept until its balances are known."""

    def __init__(self) -> None:
        self._held: list[Reading] = []

    def hold(self, entry: Reading) -> None:
        """Keeps an entry for the end of the statement."""
        self._held.append(entry)

    @property
    def readable(self) -> list[Entry]:
        """Those that can be read."""
        return [each for each in self._held if isinstance(each, Entry)]

    def settle(self, excess_minor: int | None, *, provisional: bool) -> list[Reading]:
        """The entries as they are booked: what may be text is not.

        `excess_minor`: by how much the statement's entries exceed its balances; None if these say nothing. A person
        sees an entry that may be text; a `provisional` statement shows it as pending until the final one proves it.
        """
        typed = None if excess_minor is None else list(self._find_typed(excess_minor))
        if typed == [] and not provisional:
            return self._held  # nothing explains the difference: the whole statement is doubtful
        doubted = set[int]().union(*typed) if typed else set(range(len(self._held)))
        is_proved = bool(typed) and () not in (typed or ())
        return [
            _as_doubtful(each, is_proved=is_proved, provisional=provisional) if place in doubted else each
            for place, each in enumerate(self._held)
        ]

    def _find_typed(self, excess_minor: int) -> Iterator[tuple[int, ...]]:
        """The places of the entries that together may be text: without them the balances are right."""
        if excess_minor == 0:
            yield ()
        minors = [booked_minor(each) for each in self._held]
        places = [place for place, minor in enumerate(minors) if minor]
        if len(places) > _MOST_TRIED:
            yield from _pairs([minors[place] or 0 for place in places], places, excess_minor)
            return
        for count in range(1, _MOST_TOGETHER + 1):
            for chosen in combinations(places, count):
                if sum(minors[place] or 0 for place in chosen) == excess_minor:
                    yield chosen


def _pairs(minors: Sequence[int], places: Sequence[int], wanted: int) -> Iterator[tuple[int, ...]]:
    """One or two of many entries that add up to `wanted`."""
    seen: dict[int, int] = {}
    for minor, place in zip(minors, places, strict=True):
        if minor == wanted:
            yield (place,)
        if wanted - minor in seen:
            yield (seen[wanted - minor], place)
        seen[minor] = place


def _as_doubtful(entry: Reading, *, is_proved: bool, provisional: bool) -> Reading:
    """The entry as one that is not booked."""
    if isinstance(entry, UnreadableEntry):
        return entry
    if provisional:
        return replace(entry, status=EntryStatus.PENDING)
    texts = ("".join(detail.remittance_lines) for detail in entry.details)
    raw = "\n".join((f"{entry.booking_date} {entry.amount_minor} {entry.currency}", *filter(None, texts)))
    reason = Message(
        "file-line", line=str(entry.line), what=Message("mt940-typed" if is_proved else "mt940-maybe-typed")
    )
    return UnreadableEntry(entry.position, entry.line, reason, raw)
