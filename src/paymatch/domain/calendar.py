"""Dates as the API writes them, the shop's day, and the days on which banks settle."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

_DATE: Final = re.compile(r"(\d{2})-(\d{2})-(\d{4})", re.ASCII)

MAX_DUE_MONTHS: Final = 6
"""API document, Limits: dueDate at most 6 months in the future."""


@lru_cache(maxsize=4096)
def parse_date(text: str) -> date:
    """The date of a text `dd-MM-yyyy`; ValueError for any other form and for days that do not exist."""
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no date dd-MM-yyyy")
    day, month, year = found.groups()
    return date(int(year), int(month), int(day))


def date_text(day: date) -> str:
    """`dd-MM-yyyy`."""
    return f"{day.day:02d}-{day.month:02d}-{day.year:04d}"


def today_in(timezone: str, now: datetime) -> date:
    """The calendar day of the moment `now` in a shop's time zone."""
    return now.astimezone(ZoneInfo(timezone)).date()


def moment_text(moment: datetime, timezone: str) -> str:
    """`dd-MM-yyyy HH:mm:ss` in the shop's time zone (D-10)."""
    return moment.astimezone(ZoneInfo(timezone)).strftime("%d-%m-%Y %H:%M:%S")


def plus_months(day: date, months: int) -> date:
    """The same day `months` later, or the last day of that month where it has no such day (31 Aug + 6 = 28 Feb)."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(year, month + 1, min(day.day, last))


def latest_due_date(today: date) -> date:
    """The last due date that an order may carry today."""
    return plus_months(today, MAX_DUE_MONTHS)


def easter(year: int) -> date:
    """Easter Sunday of the western churches (Gregorian computus, anonymous algorithm of 1876)."""
    golden, century, rest = year % 19, year // 100, year % 100
    skipped, corrected = century // 4, (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - skipped - corrected + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


_CLOSED: Final = frozenset({(1, 1), (5, 1), (12, 25), (12, 26)})


def is_bank_day(day: date) -> bool:
    """True if TARGET is open: not on weekends, 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December.

    These are the days on which SEPA transfers are settled (ECB, calendar of TARGET closing days).
    """
    if day.weekday() >= 5 or (day.month, day.day) in _CLOSED:
        return False
    sunday = easter(day.year)
    return day not in (sunday - timedelta(days=2), sunday + timedelta(days=1))


def next_bank_day(day: date) -> date:
    """`day` itself if banks settle on it, else the next day on which they do."""
    while not is_bank_day(day):
        day += timedelta(days=1)
    return day


def plus_bank_days(day: date, count: int) -> date:
    """The `count`-th bank day after `day`."""
    for _ in range(count):
        day = next_bank_day(day + timedelta(days=1))
    return day
