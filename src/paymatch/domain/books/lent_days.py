"""Which payments exchange their days: a statement without references meant the other one (DESIGN.md section 5).

A table or MT940 shows mere sums. Of two equal ones it may confirm the wrong announcement, and lend it a day that is not
its own. Once a statement that says more tells the right day, the line that the table has for that day is taken in
exchange; otherwise it would stay booked beside the payment that it means.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from paymatch.domain.books.batches import BatchKey, name_the_same
from paymatch.domain.books.identity import PROVISIONAL_DAYS, IdentityKey, closeness


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry of a statement, or what is booked of one: its sum, and what its payments say."""

    sum: BatchKey
    content: tuple[tuple[str, ...], ...] = ()  # of each payment; () if one says nothing


@dataclass(frozen=True, slots=True)
class BookedEntry:
    """A booked payment, or the payments of a batch, on the day that the books keep."""

    entry: Shown
    date_rank: int
    single: IdentityKey | None = None  # None for a batch that is booked in its payments


@dataclass(frozen=True, slots=True)
class Move:
    """The one at `place` goes to its own day; `other` gets the day that it had, None if nobody has the line for it."""

    place: int
    day: date
    other: int | None


def content_of(identities: Sequence[IdentityKey]) -> tuple[tuple[str, ...], ...]:
    """What the payments of an entry say; () if one of them says nothing that tells it from others."""
    if not all(each.iban or each.end_to_end_id or each.text for each in identities):
        return ()
    return tuple(sorted((str(t.amount_minor), t.end_to_end_id, t.iban, t.name, t.text) for t in identities))


def moves(
    standing: Sequence[BookedEntry], shown: Sequence[Shown], date_rank: int, covered: tuple[date, date]
) -> list[Move]:
    """Who goes to which day, one after the other.

    `shown` are the entries of a statement whose days are believed as much as `date_rank` says, `covered` the days that
    it shows. Who is shown there under its reference, or with its content, belongs to that day. If another one has the
    table's line for it they exchange their days: which days there are, and how often, does not change. If none has, the
    statement must cover the day that was lent too; otherwise it may show a twin of the payment.
    """
    entries: dict[int, list[Shown]] = defaultdict(list)
    for entry in shown:
        entries[entry.sum.amount_minor].append(entry)
    named = {
        place: day
        for place, each in enumerate(standing)
        if each.entry.sum.lent_day and each.date_rank < date_rank
        if (day := _day_of(each.entry, entries[each.entry.sum.amount_minor])) is not None
    }
    alike: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, each in enumerate(standing):
        alike[_lender(each)].append(place)
    days = [each.entry.sum.booking_date for each in standing]
    found: list[Move] = []
    for place in sorted(named, key=lambda place: _order(standing[place])):
        day, lent = named[place], days[place]
        others = [
            other
            for other in alike[_lender(standing[place])]
            if days[other] == day != named.get(other) and _may_be_meant(standing[place], standing[other])
        ]
        # One that is known by its line alone comes first: it has no day but that.
        key = {other: (standing[other].entry.sum.lent_day, _order(standing[other])) for other in others}
        chosen = min(others, key=key.__getitem__, default=None)
        if lent != day and (chosen is not None or covered[0] <= lent <= covered[1]):
            days[place] = day
            if chosen is not None:
                days[chosen] = lent
            found.append(Move(place, day, chosen))
    return found


def _lender(each: BookedEntry) -> tuple[int, int]:
    return each.entry.sum.amount_minor, each.date_rank


def _day_of(own: Shown, entries: Sequence[Shown]) -> date | None:
    """The one day on which the statement shows it; None if there is none near."""
    days = {entry.sum.booking_date for entry in entries if name_the_same(own.sum, entry.sum)}
    days = days or {entry.sum.booking_date for entry in entries if _say_the_same(own, entry)}
    near = len(days) == 1 and abs((min(days) - own.sum.booking_date).days) <= PROVISIONAL_DAYS
    return min(days) if near else None


def _say_the_same(own: Shown, entry: Shown) -> bool:
    both_named = own.sum.references and entry.sum.references
    return own.content != () and own.content == entry.content and own.sum.format == entry.sum.format and not both_named


def _may_be_meant(one: BookedEntry, other: BookedEntry) -> bool:
    """Nothing but day and reference speaks against the line of the one being that of the other."""
    if one.single is not None and other.single is not None:
        return closeness(_undated(one.single), _undated(other.single)) > 0
    return all(each.single is None or not (each.single.iban or each.single.end_to_end_id) for each in (one, other))


def _undated(identity: IdentityKey) -> IdentityKey:
    return replace(identity, reference="", transaction_id="", booking_date=date.min)


def _order(each: BookedEntry) -> tuple[date, tuple[str, ...], str]:
    return each.entry.sum.booking_date, each.entry.sum.references, repr(each.single or each.entry.content)
