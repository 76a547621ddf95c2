"""Which payments exchange their days: a statement without references meant the other one (DESIGN.md section 5).

A table or MT940 shows mere sums. Of two equal ones it may confirm the wrong announcement, and lend it a day that is not
its own. Once a statement with references says the right day, the line that the table has for that day is taken in
exchange; otherwise it would stay booked beside the payment that it means.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from paymatch.domain.batches import BatchTrace, name_the_same
from paymatch.domain.identity import PROVISIONAL_DAYS, Trace, closeness


@dataclass(frozen=True, slots=True)
class Standing:
    """A booked payment, or the payments of a batch, on the day that the books keep."""

    sum: BatchTrace
    date_rank: int
    single: Trace | None = None  # None for a batch that is booked in its payments


def exchanges(standing: Sequence[Standing], shown: Sequence[BatchTrace], date_rank: int) -> list[tuple[int, int]]:
    """Pairs of places in `standing` that exchange their days, one after the other.

    `shown` are the entries of a statement whose days are believed as much as `date_rank` says. The first of a pair then
    stands on the day that its reference has there. Which days there are, and how often, does not change.
    """
    entries: dict[int, list[BatchTrace]] = defaultdict(list)
    for entry in shown:
        entries[entry.amount_minor].append(entry)
    named = {
        place: day
        for place, each in enumerate(standing)
        if each.sum.lent_day and each.date_rank < date_rank
        if (day := _day_of(each.sum, entries[each.sum.amount_minor])) is not None
    }
    alike: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, each in enumerate(standing):
        alike[_lender(each)].append(place)
    days = [each.sum.booking_date for each in standing]
    found: list[tuple[int, int]] = []
    for place in sorted(named, key=lambda place: _order(standing[place])):
        if days[place] == named[place]:
            continue
        others = [
            other
            for other in alike[_lender(standing[place])]
            if days[other] == named[place] != named.get(other) and _may_be_meant(standing[place], standing[other])
        ]
        if others:
            # One that is known by its line alone comes first: it has no day but that.
            other = min(others, key=lambda other: (standing[other].sum.lent_day, _order(standing[other])))
            days[place], days[other] = days[other], days[place]
            found.append((place, other))
    return found


def _lender(each: Standing) -> tuple[int, int]:
    return each.sum.amount_minor, each.date_rank


def _day_of(batch: BatchTrace, entries: Sequence[BatchTrace]) -> date | None:
    """The one day on which the statement shows its reference; None if there is none near."""
    days = {entry.booking_date for entry in entries if name_the_same(batch, entry)}
    near = len(days) == 1 and abs((min(days) - batch.booking_date).days) <= PROVISIONAL_DAYS
    return min(days) if near else None


def _may_be_meant(one: Standing, other: Standing) -> bool:
    """Nothing but day and reference speaks against the line of the one being that of the other."""
    if one.single is not None and other.single is not None:
        return closeness(_undated(one.single), _undated(other.single)) > 0
    return all(each.single is None or not (each.single.iban or each.single.end_to_end_id) for each in (one, other))


def _undated(trace: Trace) -> Trace:
    return replace(trace, reference="", transaction_id="", booking_date=date.min)


def _order(each: Standing) -> tuple[date, tuple[str, ...], str]:
    return each.sum.booking_date, each.sum.references, repr(each.single)
