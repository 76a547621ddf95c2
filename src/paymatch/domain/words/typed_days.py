"""Dates as people type them: in numbers with the day first, with the name of the month, or in ISO 8601."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_NUMBERS: Final = re.compile(r"(\d{1,2}) ?[./ -] ?(\d{1,2}) ?[./ -] ?(\d{4}|\d{2})", re.ASCII)
_NAMED: Final = re.compile(r"(\d{1,2})\.? ?([^\W\d_]{3,})\.?,? ?(\d{4}|\d{2})")
_NAMED_FIRST: Final = re.compile(r"([^\W\d_]{3,})\.? ?(\d{1,2})(?:st|nd|rd|th)?,? ?(\d{4})")
_MONTHS: Final = {
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "mae": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8,
    "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
_SHORT: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def typed_day(text: str) -> date | None:
    """The typed date; None for an empty text and for invalid dates.

    In numbers the day comes first, as all users of this service write it.
    """
    plain = " ".join(text.split())
    if found := _ISO.fullmatch(plain):
        return _day(found[1], int(found[2]), found[3])
    if found := _NUMBERS.fullmatch(plain):
        return _day(found[3], int(found[2]), found[1])
    if found := _NAMED.fullmatch(plain):
        return _day(found[3], _MONTHS.get(found[2][:3].casefold(), 0), found[1])
    if found := _NAMED_FIRST.fullmatch(plain):
        return _day(found[3], _MONTHS.get(found[1][:3].casefold(), 0), found[2])
    return None


def written_day(day: date, language: str) -> str:
    """The day as a field shows it: 1 Dec 2026, in German 01.12.2026."""
    if language.startswith("de"):
        return f"{day.day:02d}.{day.month:02d}.{day.year:04d}"
    return f"{day.day} {_SHORT[day.month - 1]} {day.year:04d}"


def _day(year: str, month: int, day: str) -> date | None:
    try:
        return date(int(year) + (2000 if len(year) == 2 else 0), month, int(day))
    except ValueError:
        return None
