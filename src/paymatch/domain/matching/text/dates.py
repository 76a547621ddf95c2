"""Dates: those of a text, and digits that are one."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

DATES: Final = re.compile(
    r"(?<![0-9])(?:[0-3]?[0-9]\.[01]?[0-9]\.(?:20[0-9]{2}|[0-9]{2}(?![0-9]))?|20[0-9]{2}-[01][0-9]-[0-3][0-9]|"
    r"[0-3]?[0-9]/[01]?[0-9]/20[0-9]{2}|[0-2]?[0-9][.:][0-5][0-9] ?UHR)(?![0-9])"
)
_DIGITS: Final = re.compile("[0-9]+")


def ordinal_of(text: str, booked: date) -> int:
    """The date in `text` as ordinal, 0 if it is none; without a year the last such day up to the month of `booked`."""
    if "UHR" in text or len(text) > len("2026-03-09"):
        return 0
    parts = [int(part) for part in _DIGITS.findall(text)]
    if len(parts) not in (2, 3):
        return 0
    if parts[0] > 31:
        parts.reverse()
    day, month = parts[0], parts[1]
    year = parts[2] if len(parts) == 3 else booked.year - (month > booked.month)
    try:
        return date(year + 2000 if year < 100 else year, month, day).toordinal()
    except ValueError:
        return 0


def is_calendar_date(digits: str, near: date) -> bool:
    """True if eight digits read as a date (year first or last) about two years around `near`."""
    if len(digits) != 8 or not digits.isdigit():
        return False
    if abs(int(digits[:4]) - near.year) <= 2 and "01" <= digits[4:6] <= "12" and "01" <= digits[6:] <= "31":
        return True
    return abs(int(digits[4:]) - near.year) <= 2 and "01" <= digits[2:4] <= "12" and "01" <= digits[:2] <= "31"
