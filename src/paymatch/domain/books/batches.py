"""Batches: one statement shows their sum, another their payments; both mean the same money (DESIGN.md section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from paymatch.domain.books.identity import PROVISIONAL_DAYS, announced_before
from paymatch.domain.postings import Posting, PostingSource


@dataclass(frozen=True, slots=True)
class BatchKey:
    """What identifies a batch, be it one sum or its payments."""

    amount_minor: int
    booking_date: date
    references: tuple[str, ...]  # of the entry, and the batch's own id
    source: PostingSource
    format: str
    lent_day: bool = False  # by another format than the rest


def key_of_whole(posting: Posting, source: PostingSource, file_format: str) -> BatchKey:
    """The identity key of a posting that may be the sum of a batch."""
    names = (posting.bank_reference, posting.batch_id)
    return BatchKey(posting.amount_minor, posting.booking_date, _given(names), source, file_format)


def key_of_parts(postings: Sequence[Posting], source: PostingSource, file_format: str) -> BatchKey:
    """The identity key of the payments of one entry."""
    first = postings[0]
    names = (first.entry_reference, first.batch_id)
    total = sum(posting.amount_minor for posting in postings)
    return BatchKey(total, first.booking_date, _given(names), source, file_format)


def may_be_whole(posting: Posting) -> bool:
    """True if the posting may be the sum of a batch: nobody is named who paid it."""
    return not posting.counterparty_iban and not posting.end_to_end_id


def pair_batches(batches: Sequence[BatchKey], others: Sequence[BatchKey]) -> list[int | None]:
    """Per batch the place among `others` of the one that is the same, None if there is none; each is given once.

    The same sum on the same day, or near it where one side is an announcement. Pairs that carry a common reference come
    first, then the nearest days. References that differ contradict in one format, and in two formats on different days.
    """
    by_amount: dict[int, list[int]] = defaultdict(list)
    for place, other in enumerate(others):
        by_amount[other.amount_minor].append(place)
    pairs = sorted(
        (
            distance,
            batch.booking_date,
            batch.references,
            others[there].booking_date,
            others[there].references,
            here,
            there,
        )
        for here, batch in enumerate(batches)
        for there in by_amount.get(batch.amount_minor, ())
        if (distance := _distance(batch, others[there])) is not None
    )
    found: list[int | None] = [None] * len(batches)
    taken: set[int] = set()
    for *_, here, there in pairs:
        if found[here] is None and there not in taken:
            found[here] = there
            taken.add(there)
    return found


def _distance(batch: BatchKey, other: BatchKey) -> tuple[int, int, bool] | None:
    """How far apart they are: names before days, days before sources; None if they are different batches."""
    gap = abs((batch.booking_date - other.booking_date).days)
    other_source = batch.source is not other.source
    if gap > PROVISIONAL_DAYS:
        return None
    if gap and not other_source:
        return (0, gap, False) if (batch.lent_day or other.lent_day) and name_the_same(batch, other) else None
    if name_the_same(batch, other):
        return 0, gap, other_source
    contradict = batch.references and other.references and (gap or batch.format == other.format)
    return None if contradict or not announced_before(batch, other) else (1, gap, other_source)


def name_the_same(a: BatchKey, b: BatchKey) -> bool:
    """True if they carry a common reference; of another format its beginning is enough."""
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
