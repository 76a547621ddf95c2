"""Dates in the cells of account exports, and what a column of amounts or dates proves about how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.formats.bank_values import without_currency
from paymatch.formats.tables.column_words import words

_MAX_CELL: Final = 60
_GROUP: Final = 3


def decimal_mark_of(cells: Iterable[str], digits: int = 2) -> tuple[str, bool]:
    """The decimal mark of a column, and whether any cell proves it.

    Proof: both marks in one cell (the last is the decimal mark), or one mark that cannot group: not followed by three
    digits, or behind more than three of them, or behind a zero. A column of `1.000` alone proves nothing; the mark is
    taken to group, unless the currency has three `digits`.
    """
    votes = {",": 0, ".": 0}
    weak = {",": 0, ".": 0}
    for cell in cells:
        body = re.sub(r"[^\d.,]", "", without_currency(cell))
        last = max(body.rfind(","), body.rfind("."))
        if last < 0:
            continue
        mark, other = body[last], "." if body[last] == "," else ","
        alone = body.count(mark) == 1
        if other in body or (alone and (len(body) - last - 1 != 3 or last > _GROUP or body[0] == "0")):
            votes[mark] += 1
        else:
            weak[mark if digits == 3 and body.count(mark) == 1 else other] += 1
    if any(votes.values()):
        return ("," if votes[","] >= votes["."] else "."), True
    return ("," if weak[","] >= weak["."] else "."), False


_NUMERIC: Final = re.compile(r"(\d{1,4})[-/. ]\s?(\d{1,2})[-/. ]\s?(\d{1,4})(?:\.|[T ,].*)?")
_COMPACT: Final = re.compile(r"(\d{8})(?:[T ]?.*)?")
_WORDED: Final = re.compile(r"(\d{1,2})[-./ ]+(?:de )?([^\W\d_]{3,13})[-.,/ ]+(?:de )?(\d{4}|\d{2})(?:[T ,].*)?")
_WORD_FIRST: Final = re.compile(r"([^\W\d_]{3,10})\.?[- ]+(\d{1,2}),?[-, ]+(\d{4})(?:[T ,].*)?")
_YEARLESS: Final = re.compile(r"(\d{1,2})[-/.](\d{1,2})\.?")
_POINTED: Final = re.compile(r"\d{1,2}\.")
_SHORT_YEAR: Final = re.compile(r"\d{2}[-/ ]\d{2}[-/ ]\d{2}")
_WEEKDAY: Final = re.compile(r"[^\W\d_]{2,12}[.,]{1,2} ?(?=\d)")


@dataclass(frozen=True, slots=True)
class Yearless:
    """A day without a year."""

    month: int
    day: int

    def near(self, known: date) -> date | None:
        """The date nearest to a known one; None if there is no such day."""
        days = (_day(year, self.month, self.day) for year in (known.year - 1, known.year, known.year + 1))
        return min((day for day in days if day), key=lambda day: abs((day - known).days), default=None)


def csv_date(text: str, order: str) -> date | Yearless | None:
    """The date of a cell; `order` (dmy, mdy, ymd) decides where the digits do not. None if it is not a date."""
    text = text.strip()
    if len(text) > _MAX_CELL:
        return None
    text = text[weekday.end() :] if (weekday := _WEEKDAY.match(text)) else text
    if found := _WORDED.fullmatch(text):
        return _day(_year(found[3]), words().months.get(found[2].casefold(), 0), int(found[1]))
    if found := _WORD_FIRST.fullmatch(text):
        return _day(int(found[3]), words().months.get(found[1].casefold(), 0), int(found[2]))
    if found := _NUMERIC.fullmatch(text):
        return _numeric(found[1], found[2], found[3], order)
    if found := _COMPACT.fullmatch(text):
        digits = found[1]
        return _day(int(digits[:4]), int(digits[4:6]), int(digits[6:])) or _day(
            int(digits[4:]), int(digits[2:4]), int(digits[:2])
        )
    if found := _YEARLESS.fullmatch(text):
        first, second = int(found[1]), int(found[2])
        month, day = (first, second) if order == "mdy" else (second, first)
        return Yearless(month, day) if _day(2024, month, day) else None
    return None


def _numeric(first: str, second: str, third: str, order: str) -> date | None:
    if len(first) == 4:
        return _day(int(first), int(second), int(third)) if len(third) <= 2 else None
    if len(first) == 3 or len(third) == 1:
        return None
    if order == "ymd" and len(third) == 2:
        return _day(_year(first), int(second), int(third))
    month, day = (int(first), int(second)) if order == "mdy" else (int(second), int(first))
    return _day(_year(third), month, day)


def _year(text: str) -> int:
    return int(text) if len(text) != 2 else 2000 + int(text) - (100 if int(text) >= 80 else 0)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if 1980 <= year <= 2099 else None
    except ValueError:
        return None


def date_order_in_sequence(cells: Iterable[str]) -> str:
    """The order of day and month with which dates that prove none are in sequence; day first if both or none do."""
    cells = list(cells)
    month_first, day_first = (
        [day for cell in cells if isinstance(day := csv_date(cell, order), date)] for order in ("mdy", "dmy")
    )
    return "mdy" if _in_sequence(month_first) and not _in_sequence(day_first) else "dmy"


def _in_sequence(days: list[date]) -> bool:
    return days in (sorted(days), sorted(days, reverse=True))


def date_order_of(cells: Iterable[str]) -> tuple[str, bool]:
    """Order of day, month and year in a column, and whether a cell proves it (a 13th to 31st); day first if none does.

    The year comes first if it has two digits and the days lie closer together so (`26-11-20`, `26-11-19`).
    """
    cells = list(cells)
    if _has_short_years_first(cells):
        return "ymd", True
    day_first, month_first, others = _orders(cells)
    if not day_first and not month_first:
        return "dmy", not others
    return ("mdy" if len(month_first) > len(day_first) else "dmy"), True


def proven_order(cells: Iterable[str]) -> str | None:
    """The order that dates prove without a contradiction; None if none does."""
    day_first, month_first, _ = _orders(cells)
    return ("mdy" if month_first else "dmy") if bool(day_first) != bool(month_first) else None


def contradicting_dates(cells: Iterable[str]) -> tuple[str, str] | None:
    """A date that can only have the day first, and one that can only have the month first; None without both."""
    day_first, month_first, _ = _orders(cell for cell in cells if not is_pointed(cell))
    return (day_first[0], month_first[0]) if day_first and month_first else None


def is_pointed(cell: str) -> bool:
    """Whether the day and the month of a date are parted by a full stop: no country writes the month first so."""
    return _POINTED.match(cell.strip()) is not None


def _orders(cells: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """The dates that can only have the day first, only the month first, and those that can have either."""
    day_first: list[str] = []
    month_first: list[str] = []
    either: list[str] = []
    for cell in map(str.strip, cells):
        found = _NUMERIC.fullmatch(cell) or _YEARLESS.fullmatch(cell)
        if found is None or len(found[1]) == 4:
            continue
        first, second = int(found[1]), int(found[2])
        if is_pointed(cell) or first > 12 >= second:
            day_first.append(cell)
        elif second > 12 >= first:
            month_first.append(cell)
        else:
            either.append(cell)
    return day_first, month_first, either


def _has_short_years_first(cells: list[str]) -> bool:
    dates = [text for cell in cells if (text := cell.strip())]
    if not dates or not all(map(_SHORT_YEAR.fullmatch, dates)):
        return False
    year_first = _span(dates, "ymd")
    others = (_span(dates, order) for order in ("dmy", "mdy"))
    return year_first is not None and all(other is None or year_first < other for other in others)


def _span(cells: list[str], order: str) -> int | None:
    """How many days lie between the first and the last date; None if they are not all dates in this order."""
    days = [day for cell in cells if isinstance(day := csv_date(cell, order), date)]
    return (max(days) - min(days)).days if len(days) == len(cells) else None
