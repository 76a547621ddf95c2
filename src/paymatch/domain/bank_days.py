"""Bank days: on which days a euro bank books, and until when (TARGET holidays)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

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
