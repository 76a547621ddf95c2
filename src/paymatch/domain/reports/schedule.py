"""Schedule of exports: their times and the days that they cover (docs/exports.md)."""

from __future__ import annotations

from datetime import date, timedelta
from enum import StrEnum

from paymatch.domain.reports.asked import month_end


class Every(StrEnum):
    """The frequency; each export covers the last whole day, week from Monday, or month."""

    OFF = "off"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


def last_whole(every: Every, today: date) -> tuple[date, date]:
    """The first and the last day of the last whole period before `today`."""
    match every:
        case Every.MONTH:
            last = today.replace(day=1) - timedelta(days=1)
            return last.replace(day=1), last
        case Every.WEEK:
            last = today - timedelta(days=today.weekday() + 1)
            return last - timedelta(days=6), last
        case _:
            return today - timedelta(days=1), today - timedelta(days=1)


def next_period(every: Every, until: date | None, today: date) -> tuple[date, date] | None:
    """The first whole period that is over and not exported, after the days up to `until`; None if there is none.

    None for `until` begins with the last whole period. After a change of `every` a period may begin in its middle.
    """
    first, last = last_whole(every, today)
    if until is None:
        return first, last
    if until >= last:
        return None
    first = until + timedelta(days=1)
    match every:
        case Every.MONTH:
            return first, month_end(first)
        case Every.WEEK:
            return first, first + timedelta(days=6 - first.weekday())
        case _:
            return first, first


def begins_after(every: Every, until: date, today: date) -> date:
    """The day up to which exports count as sent when they are switched on again: the next is the last whole period."""
    return max(until, last_whole(every, today)[0] - timedelta(days=1))
