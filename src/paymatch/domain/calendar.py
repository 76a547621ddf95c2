"""Dates as the API writes them, and the shop's day."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

_DATE: Final = re.compile(r"(\d{2})-(\d{2})-(\d{4})", re.ASCII)

MAX_DUE_MONTHS: Final = 6
"""docs/api.md, Limits: dueDate at most 6 months in the future."""


@lru_cache(maxsize=4096)
def parse_date(text: str) -> date:
    """The date of a text `dd-MM-yyyy`; ValueError for any other form and for days that do not exist."""
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a date dd-MM-yyyy")
    day, month, year = found.groups()
    return date(int(year), int(month), int(day))


def date_text(day: date) -> str:
    """`dd-MM-yyyy`."""
    return f"{day.day:02d}-{day.month:02d}-{day.year:04d}"


def today_in(timezone: str, now: datetime) -> date:
    """The calendar day of the moment `now` in a shop's time zone."""
    return now.astimezone(ZoneInfo(timezone)).date()


def day_begins(day: date, timezone: str) -> datetime:
    """The moment, in UTC, at which the day begins in the time zone."""
    return datetime.combine(day, time(), ZoneInfo(timezone)).astimezone(UTC)


def moment_text(moment: datetime, timezone: str) -> str:
    """`dd-MM-yyyy HH:mm:ss` in the shop's time zone (D-10)."""
    return moment.astimezone(ZoneInfo(timezone)).strftime("%d-%m-%Y %H:%M:%S")


def plus_months(day: date, months: int) -> date:
    """The same day `months` later, or the last day of that month where it has no such day (31 Aug + 6 = 28 Feb)."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    _, last = monthrange(year, month + 1)
    return date(year, month + 1, min(day.day, last))


def latest_due_date(today: date) -> date:
    """The last due date that an order may carry today."""
    return plus_months(today, MAX_DUE_MONTHS)


def place_after(text: str) -> tuple[datetime, str] | None:
    """(moment, id) of the row that a page of a list begins after, as `2026-03-09T08:00:00+00:00 id`.

    None for the first page, and for what is no such place: it stands in an address, where anybody can write.
    """
    moment, _, last = text.partition(" ")
    try:
        return (datetime.fromisoformat(moment), last) if last else None
    except ValueError:
        return None
