"""Dates as the API writes them, the shop's day, and the days on which a euro bank books (TARGET holidays)."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

_DATE: Final = re.compile(r"(\d{2})-(\d{2})-(\d{4})", re.ASCII)

MAX_DUE_MONTHS: Final = 6
"""docs/api.md, Limits: dueDate at most 6 months in the future."""


@lru_cache(maxsize=4096)
def parse_date(text: str) -> date:
    """The date of a text `dd-MM-yyyy`; ValueError for any other form and for dates that do not exist."""
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

    None for the first page, and for any other text: it comes from a URL, which anyone can edit.
    """
    moment, _, last = text.partition(" ")
    try:
        return (datetime.fromisoformat(moment), last) if last else None
    except ValueError:
        return None


_FIXED: Final = frozenset({(1, 1), (5, 1), (12, 25), (12, 26)})
"""New Year, Labour Day, both days of Christmas."""


def is_bank_day(day: date) -> bool:
    """False on weekends and on the holidays of TARGET."""
    if day.weekday() >= 5 or (day.month, day.day) in _FIXED:
        return False
    easter = easter_sunday(day.year)
    return day not in (easter - timedelta(days=2), easter + timedelta(days=1))


def next_bank_day(day: date) -> date:
    """The day itself if banks book on it, otherwise the first one after it on which they do."""
    while not is_bank_day(day):
        day += timedelta(days=1)
    return day


def last_bank_day(day: date) -> date:
    """The day itself if banks book on it, otherwise the last one before it on which they do."""
    while not is_bank_day(day):
        day -= timedelta(days=1)
    return day


def plus_bank_days(day: date, count: int) -> date:
    """The `count`-th bank day after `day`."""
    for _ in range(count):
        day = next_bank_day(day + timedelta(days=1))
    return day


def minus_bank_days(day: date, count: int) -> date:
    """The `count`-th bank day before `day`."""
    for _ in range(count):
        day -= timedelta(days=1)
        while not is_bank_day(day):
            day -= timedelta(days=1)
    return day


def easter_sunday(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous algorithm of 1876)."""
    century, within = divmod(year, 100)
    golden = year % 19
    leap_centuries, rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leap_centuries - correction + 15) % 30
    leap, left = divmod(within, 4)
    weekday = (32 + 2 * rest + 2 * leap - moon - left) % 7
    shift = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)
