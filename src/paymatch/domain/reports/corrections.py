"""Corrections only go forward (D-86): exported bookings stay; a later change is reversed and booked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from paymatch.domain.reports.ledger import LedgerAccount, LedgerBooking, book


@dataclass(frozen=True, slots=True)
class BookedPeriod:
    """Days whose bookings are final: they were exported, or their month was closed. `booked_date` is when."""

    first: date
    last: date
    booked_date: date


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Consecutive days that are all final, or all not."""

    first: date
    last: date
    has_left: bool


def day_spans(first: date, last: date, periods: Sequence[BookedPeriod]) -> Iterator[DaySpan]:
    """The days from `first` to `last` in spans; the periods do not overlap."""
    day = first
    for period in sorted(periods, key=lambda each: each.first):
        if period.last < day or period.first > last:
            continue
        if period.first > day:
            yield DaySpan(day, period.first - timedelta(days=1), has_left=False)
        yield DaySpan(max(day, period.first), min(period.last, last), has_left=True)
        day = period.last + timedelta(days=1)
    if day <= last:
        yield DaySpan(day, last, has_left=False)


def first_open_day(day: date, periods: Sequence[BookedPeriod]) -> date:
    """The first day from `day` on that is not final: corrections of `day` are booked there."""
    for period in sorted(periods, key=lambda each: each.first):
        if period.first <= day <= period.last:
            day = period.last + timedelta(days=1)
    return day


_Key = tuple[LedgerAccount, LedgerAccount, str, str]


def corrections(left: Sequence[LedgerBooking], now: Sequence[LedgerBooking], day: date) -> list[LedgerBooking]:
    """The corrections, on a given day, from the final bookings of one posting or sale to its present bookings.

    Each sum that differs is reversed as a whole, then booked again. Bookings that differ only in words are left alone.
    """
    before, after = _sums(left), _sums(now)
    wrong = [key for key in before if before[key][0] != after.get(key, (0, None))[0]]
    missing = [key for key in after if after[key][0] != before.get(key, (0, None))[0]]
    found = [_correction_booking(before[key], -before[key][0], day) for key in wrong if before[key][0]]
    return found + [_correction_booking(after[key], after[key][0], day) for key in missing if after[key][0]]


def _sums(bookings: Sequence[LedgerBooking]) -> dict[_Key, tuple[int, LedgerBooking]]:
    """Signed sum of each pair of accounts, currency and document, with the first booking of it."""
    found: dict[_Key, tuple[int, LedgerBooking]] = {}
    for booking in bookings:
        pair = sorted((booking.debit, booking.credit), key=lambda each: (each.role, each.number))
        key = (pair[0], pair[1], booking.currency, booking.document)
        minor = booking.minor if booking.debit == pair[0] else -booking.minor
        sum_minor, first = found.get(key, (0, booking))
        found[key] = (sum_minor + minor, first)
    return found


def _correction_booking(summed: tuple[int, LedgerBooking], minor: int, day: date) -> LedgerBooking:
    _, like = summed
    one, other = sorted((like.debit, like.credit), key=lambda each: (each.role, each.number))
    made = book(day, one, other, minor, like.currency, like.document, like.text)
    return replace(
        made,
        posting=like.posting,
        invoice=like.invoice,
        is_sale=like.is_sale,
        source=like.source,
        rate=like.rate,
        rate_date=like.rate_date,
    )
