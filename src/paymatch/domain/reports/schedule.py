"""Schedule of exports: when they are sent, and which days they cover (docs/reports.md)."""

from __future__ import annotations

from datetime import date, timedelta
from enum import StrEnum


class Every(StrEnum):
    """How often; each time the last whole day, week from Monday on, or month."""

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
