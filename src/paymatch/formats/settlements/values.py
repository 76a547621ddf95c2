"""Amounts and moments as settlement files write them: exact or refused, never a guess."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import digits_of_code, printed_amount

_FIRST_YEAR: Final = 1990
_LAST_YEAR: Final = 2199
_TWO_DECIMALS: Final = {".": re.compile(r"(-?)(\d{1,12})\.(\d\d)"), ",": re.compile(r"(-?)(\d{1,12}),(\d\d)")}
_CENTS: Final = re.compile(r"[.,]\d{1,2}\)?-?\s*(?:[A-Z]{3}|€)?$")
_NUMERIC: Final = re.compile(
    r"(\d{1,4})[-./](\d{1,2})[-./](\d{2,4})(?:,?[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?\s*([AaPp]\.?[Mm]\.?)?)?"
    r"\s*(.{0,40})"
)
_WORDED: Final = re.compile(
    r"(?:(\d{1,2})(?:\. ?|[ -])([^\W\d]{3,10})\.?|([^\W\d]{3,10})\.? (\d{1,2}),?)[ -](\d{4})"
    r"(?:,? (\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp]\.?[Mm]\.?)?)?\s*(.{0,40})"
)
_DAY: Final = re.compile(
    r"\d{1,4}[-./]\d{1,2}[-./]\d{2,4}"
    r"|(?:\d{1,2}(?:\. ?|[ -])[^\W\d]{3,10}\.?|[^\W\d]{3,10}\.? \d{1,2},?)[ -]\d{4}"
)
_OFFSET: Final = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?")
_MONTHS: Final = {
    word: month
    for month, words in enumerate(
        (
            "jan januar january janv janvier gen gennaio ene enero januari",
            "feb februar february fév févr février febbraio febrero februari",
            "mar mär mrz märz march mars marzo maart mrt",
            "apr april avr avril aprile abr abril",
            "may mai mag maggio mayo mei",
            "jun juni june juin giu giugno junio",
            "jul juli july juil juillet lug luglio julio",
            "aug august août aout ago agosto augustus",
            "sep sept september septembre set settembre septiembre",
            "oct okt october oktober octobre ott ottobre octubre",
            "nov november novembre noviembre",
            "dec dez december dezember déc décembre dic dicembre diciembre",
        ),
        start=1,
    )
    for word in words.split()
}
_ZONES: Final = {
    "": 0, "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "BST": 1, "CET": 1, "MEZ": 1, "WEST": 1, "CEST": 2, "MESZ": 2,
    "EET": 2, "EEST": 3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip


class MomentUnreadable(UnreadableValue):
    """The text is not a moment that its layout allows."""


def amount_of(text: str, decimal_mark: str, currency: str) -> int:
    """Signed minor units; AmountUnreadable if the text is not surely an amount of this currency."""
    plain = _TWO_DECIMALS[decimal_mark].fullmatch(text)
    if plain is not None and digits_of_code(currency) == 2:
        minor = int(plain[2]) * 100 + int(plain[3])
        return -minor if plain[1] else minor
    if not text.strip():
        raise AmountUnreadable(Message("amount-some-missing"))
    return printed_amount(text.strip(), decimal_mark, currency)


def decimal_mark_in(cells: Iterable[str]) -> str:
    """The mark before one or two last digits of most amounts; a point where none has decimals."""
    commas = points = 0
    for cell in cells:
        found = _CENTS.search(cell.strip())
        commas += found is not None and found[0][0] == ","
        points += found is not None and found[0][0] == "."
    return "," if commas > points else "."


def date_order_in(cells: Iterable[str], zones: Iterable[str] = ()) -> str:
    """`ymd`, `dmy` or `mdy`, as the dates show; with neither shown the month comes first in American time zones."""
    first_above = second_above = False
    for cell in cells:
        found = _NUMERIC.match(cell.strip())
        if found is None:
            continue
        if len(found[1]) == 4:
            return "ymd"
        if "." in cell.partition(" ")[0]:
            return "dmy"
        first_above |= int(found[1]) > 12
        second_above |= int(found[2]) > 12
    if first_above or second_above:
        return "dmy" if first_above else "mdy"
    american = any(zone in {"PST", "PDT", "EST", "EDT", "CST", "CDT"} or zone.startswith("America/") for zone in zones)
    return "mdy" if american else "dmy"


@lru_cache(maxsize=8192)
def moment_of(text: str, order: str, zone: str = "UTC") -> datetime:
    """The moment in UTC; `zone` counts where the text names none. MomentUnreadable if it is not surely one."""
    plain = text.strip()
    found = _NUMERIC.fullmatch(plain)
    if found is not None:
        one, two, three, hour, minute, second, half, said = found.groups()
        year, month, day = (one, two, three) if len(one) == 4 else (three, two, one)
        if len(one) != 4 and order == "mdy":
            month, day = day, month
        numbers = (_year(year), int(month), int(day))
    else:
        worded = _WORDED.fullmatch(plain)
        if worded is None:
            raise MomentUnreadable(Message("day-none", text=repr(text[:40])))
        day, word, other_word, other_day, year, hour, minute, second, half, said = worded.groups()
        numbers = (int(year), _month(word or other_word), int(day or other_day))
    try:
        if not _FIRST_YEAR <= numbers[0] <= _LAST_YEAR:
            raise ValueError(numbers)
        local = datetime(
            *numbers,
            _hour(int(hour or 0), half),
            int(minute or 0),
            int(second or 0),
            tzinfo=_zone(said.strip() or zone),
        )
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        raise MomentUnreadable(Message("day-none", text=repr(text[:40]))) from None


def day_of(text: str, order: str) -> date:
    """The date as written, regardless of the time and zone after it; MomentUnreadable if it is not certainly one."""
    found = _DAY.match(text.strip())
    return moment_of(found[0] if found else text, order).date()


def is_day(text: str) -> bool:
    """Whether the text begins with what is written like a day."""
    return _DAY.match(text.strip()) is not None


def _year(text: str) -> int:
    return int(text) + 2000 if len(text) == 2 else int(text)


def _month(word: str) -> int:
    month = _MONTHS.get(word.casefold())
    if month is None:
        raise MomentUnreadable(Message("month-none", text=repr(word[:40])))
    return month


def _hour(hour: int, half: str | None) -> int:
    if not half:
        return hour
    return hour % 12 + (12 if half[0] in "Pp" else 0)


@lru_cache(maxsize=256)
def _zone(text: str) -> tzinfo:
    """ValueError for an unknown zone."""
    if text in _ZONES:
        return timezone(timedelta(hours=_ZONES[text]))
    found = _OFFSET.fullmatch(text)
    if found is not None:
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(offset if found[1] == "+" else -offset)
    if re.fullmatch(r"[A-Z][A-Za-z_]+(?:/[A-Za-z_]+){1,2}", text):
        try:
            return ZoneInfo(text)
        except (KeyError, OSError, ValueError):
            pass
    raise ValueError(f"unknown time zone {text[:40]!r}")
