"""The last bank days of an account's feed: which came in time, came late, are missing, or are not due yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from paymatch.domain.calendar import last_bank_day, minus_bank_days, plus_bank_days

DAYS_SHOWN: Final = 30
"""Bank days, today or the last bank day included."""


class FeedDayState(StrEnum):
    """What is known of a bank day of an account."""

    BEFORE = "before"  # it was due before the first file of the account came
    IN_TIME = "in-time"  # a statement covers it, and came when it was due
    LATE = "late"  # a statement covers it, but came later
    QUIET = "quiet"  # no statement of its own, and the next one does not show that any is missing
    MISSING = "missing"  # the balances show that a statement is missing, or the feed is late
    EXPECTED = "expected"  # its statement is not due yet


@dataclass(frozen=True, slots=True)
class CoveredDays:
    """The days of a statement, both included, and the day on which it came, in the shop's time zone."""

    first_date: date
    last_date: date
    came_on: date


@dataclass(frozen=True, slots=True)
class FeedDay:
    """A bank day; `came_on`: when the first statement with it came, None if none did. `postings`: booked on it."""

    day: date
    state: FeedDayState
    came_on: date | None
    postings: int


@dataclass(frozen=True, slots=True)
class FeedSoFar:
    """An account's feed: its statements, the day of its first file, proven gaps, and whether it is late.

    `due_on`: bank day -> the last day on which its statement is in time, None for an account without a rhythm.
    """

    statements: Sequence[CoveredDays]
    begun_on: date
    gaps: Collection[date]
    is_late: bool
    due_on: Callable[[date], date] | None


def feed_days(
    feed: FeedSoFar, postings: Mapping[date, int], today: date, count: int = DAYS_SHOWN
) -> list[FeedDay]:  # fmt: skip
    """The last `count` bank days, oldest first; `postings`: day -> number."""
    last = last_bank_day(today)
    first = minus_bank_days(last, count - 1)
    known_until = max((each.last_date for each in feed.statements), default=date.min)
    found, day = [], first
    for _place in range(count):
        came_on = min((each.came_on for each in feed.statements if _covers(each, day)), default=None)
        state = _state_of(feed, day, came_on, today, is_past=day <= known_until)
        found.append(FeedDay(day, state, came_on, postings.get(day, 0)))
        day = plus_bank_days(day, 1)
    return found


def _covers(statement: CoveredDays, day: date) -> bool:
    return statement.first_date <= day <= statement.last_date


def _state_of(feed: FeedSoFar, day: date, came_on: date | None, today: date, *, is_past: bool) -> FeedDayState:
    usual = plus_bank_days(day, 1)  # a bank hands out the statement of a bank day on the next one
    due_on = usual if feed.due_on is None else feed.due_on(day)
    if day in feed.gaps:
        return FeedDayState.MISSING
    if due_on < feed.begun_on:
        return FeedDayState.BEFORE
    if came_on is not None:
        is_late = feed.due_on is not None and came_on > due_on
        return FeedDayState.LATE if is_late else FeedDayState.IN_TIME
    if is_past:
        return FeedDayState.QUIET
    return FeedDayState.MISSING if feed.is_late and usual < today else FeedDayState.EXPECTED
