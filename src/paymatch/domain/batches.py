"""Batches: one statement shows their sum, another their payments; both mean the same money (DESIGN.md section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from paymatch.domain.identity import PROVISIONAL_DAYS, announced_before
from paymatch.domain.postings import Posting, PostingSource

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BatchTrace:
    """What identifies a batch, be it one sum or its payments."""

    amount_minor: int
    booking_date: date
    references: tuple[str, ...]  # of the entry, and the batch's own id
    source: PostingSource
    format: str


def trace_of_whole(posting: Posting, source: PostingSource, file_format: str) -> BatchTrace:
    """The trace of a posting that may be the sum of a batch."""
    names = (posting.bank_reference, posting.batch_id)
    return BatchTrace(posting.amount_minor, posting.booking_date, _given(names), source, file_format)


def trace_of_parts(postings: Sequence[Posting], source: PostingSource, file_format: str) -> BatchTrace:
    """The trace of the payments of one entry."""
    first = postings[0]
    names = (first.entry_reference, first.batch_id)
    total = sum(posting.amount_minor for posting in postings)
    return BatchTrace(total, first.booking_date, _given(names), source, file_format)


def may_be_whole(posting: Posting) -> bool:
    """True if the posting may be the sum of a batch: nobody is named who paid it."""
    return not posting.counterparty_iban and not posting.end_to_end_id


def find_batch(batch: BatchTrace, others: Sequence[BatchTrace]) -> int | None:
    """Place of the trace among `others` that is the same batch; None if there is none.

    The same sum on the same day, or near it where one side is an announcement; a reference that both carry decides, and
    only within one format two that differ contradict.
    """
    found: list[tuple[int, int, date, tuple[str, ...], int]] = []
    for place, other in enumerate(others):
        gap = abs((batch.booking_date - other.booking_date).days)
        if batch.amount_minor != other.amount_minor or gap > PROVISIONAL_DAYS:
            continue
        if gap and batch.source is other.source:
            continue
        if _name_the_same(batch, other):
            found.append((0, gap, other.booking_date, other.references, place))
        elif not (batch.references and other.references and batch.format == other.format) and (
            announced_before(batch, other)
        ):
            found.append((1, gap, other.booking_date, other.references, place))
    return min(found)[-1] if found else None


class Batches(Generic[T]):
    """Batches that wait for their other half."""

    def __init__(self, batches: Iterable[tuple[BatchTrace, T]]) -> None:
        self._by_amount: dict[int, list[tuple[BatchTrace, T]]] = defaultdict(list)
        for trace, batch in batches:
            self._by_amount[trace.amount_minor].append((trace, batch))

    def take(self, batch: BatchTrace) -> T | None:
        """The one that is the same batch; it is given once. None if there is none."""
        waiting = self._by_amount.get(batch.amount_minor, [])
        place = find_batch(batch, [trace for trace, _ in waiting])
        return None if place is None else waiting.pop(place)[1]


def _name_the_same(a: BatchTrace, b: BatchTrace) -> bool:
    if set(a.references) & set(b.references):
        return True
    if a.format == b.format:
        return False
    # MT940 has room for 16 characters.
    return any(
        min(len(one), len(two)) >= 8 and (one.startswith(two) or two.startswith(one))
        for one in a.references
        for two in b.references
    )


def _given(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name)
