"""Which payments of a file are already booked: identity of postings and the multiset rule (DESIGN.md section 5).

Content alone is never identity: two customers do pay 19.90 on one day with the same text. Equal postings within one
statement are different payments; an overlapping statement adds max(0, new - known) of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.domain.postings import Posting, PostingSource

PROVISIONAL_DAYS: Final = 3
"""A final statement may book a payment up to this many days off the day that its announcement named."""

_RANK: Final = {PostingSource.FINAL: 2, PostingSource.NOTIFICATION: 1, PostingSource.INTRADAY: 0}
_FORMAT_RANK: Final = {"camt": 3, "MT940": 2, "OFX": 1, "CSV": 0}


@dataclass(frozen=True, slots=True)
class Trace:
    """What identifies a posting; texts are squashed to letters and digits, so that wraps and charsets do not count."""

    booking_date: date
    amount_minor: int
    reference: str  # of the bank, for the posting or else its entry
    detail_index: int
    end_to_end_id: str
    transaction_id: str
    mandate_id: str
    iban: str
    name: str
    text: str
    source: PostingSource
    format: str  # camt, MT940, CSV, OFX


@dataclass(frozen=True, slots=True)
class Known:
    """A booked posting as the store knows it."""

    id: str
    trace: Trace


def trace_of(posting: Posting, source: PostingSource, file_format: str) -> Trace:
    """The trace of a posting that was read from a file of this format."""
    return Trace(
        booking_date=posting.booking_date,
        amount_minor=posting.amount_minor,
        reference=posting.bank_reference or posting.entry_reference,
        detail_index=posting.detail_index,
        end_to_end_id=_squash(posting.end_to_end_id),
        transaction_id=posting.transaction_id,
        mandate_id=_squash(posting.mandate_id),
        iban=posting.counterparty_iban,
        name=_squash(posting.counterparty_name),
        text=_squash(posting.text),
        source=source,
        format=file_format,
    )


def rank(source: PostingSource, file_format: str) -> int:
    """How much a sighting is to be believed; the facts of the highest one are kept, whatever the order of import."""
    return _RANK[source] * 10 + _FORMAT_RANK[file_format]


def pair(known: Sequence[Known], incoming: Sequence[Trace]) -> list[str | None]:
    """Per incoming posting the id of the booked one that it is, or None if it is new.

    Each booked posting is given once; the closest pairs are made first, so that the result does not depend on the
    order in which either side is given.
    """
    by_amount: dict[int, list[Known]] = defaultdict(list)
    for each in known:
        by_amount[each.trace.amount_minor].append(each)
    edges: list[tuple[int, int, str, int]] = []
    for place, trace in enumerate(incoming):
        for each in by_amount.get(trace.amount_minor, ()):
            closeness = _closeness(each.trace, trace)
            if closeness:
                edges.append((-closeness, abs((each.trace.booking_date - trace.booking_date).days), each.id, place))
    edges.sort()
    taken: set[str] = set()
    result: list[str | None] = [None] * len(incoming)
    for _, _, known_id, place in edges:
        if result[place] is None and known_id not in taken:
            result[place] = known_id
            taken.add(known_id)
    return result


def _closeness(a: Trace, b: Trace) -> int:
    """0 if they are different payments, else the higher the more they have in common."""
    if not _days_agree(a, b):
        return 0
    same_reference = bool(a.reference) and _references_agree(a, b)
    if a.reference and b.reference and not same_reference and a.format == b.format:
        return 0
    if a.transaction_id and b.transaction_id and a.transaction_id != b.transaction_id:
        return 0
    shared = 0
    for mine, yours in (
        (a.end_to_end_id, b.end_to_end_id),
        (a.mandate_id, b.mandate_id),
        (a.iban, b.iban),
        (a.text, b.text),
        (a.name, b.name),
    ):
        if mine and yours:
            if mine == yours:
                shared += 2
            elif _begins_alike(mine, yours) and a.format != b.format:
                shared += 1
            else:
                return 0
    same_place = same_reference and a.detail_index == b.detail_index
    return 1 + shared + (20 if same_reference else 0) + (5 if same_place else 0) + (3 if a.source == b.source else 0)


def _days_agree(a: Trace, b: Trace) -> bool:
    if a.booking_date == b.booking_date:
        return True
    announced = PostingSource.FINAL not in (a.source, b.source) or a.source != b.source
    return announced and abs((a.booking_date - b.booking_date).days) <= PROVISIONAL_DAYS


def _references_agree(a: Trace, b: Trace) -> bool:
    """Equal; MT940 has room for 16 characters, so there a beginning counts."""
    if a.reference == b.reference:
        return True
    return a.format != b.format and bool(b.reference) and _begins_alike(a.reference, b.reference)


def _begins_alike(a: str, b: str) -> bool:
    """One is the beginning of the other: the shorter was cut by its format."""
    short, long = sorted((a, b), key=len)
    return len(short) >= 8 and long.startswith(short)


_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def _squash(text: str) -> str:
    return "".join(char for char in text.lower().translate(_UMLAUTS) if char.isalnum())
