"""The fields of a MT940/942 message but :86:: statement line, balances, account, sequence (SWIFT MT940, DK annex 3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import known_currency, swift_amount
from paymatch.formats.statement import Balance

_SIGN: Final = {"C": 1, "D": -1, "RC": -1, "RD": 1, "EC": 1, "ED": -1}
"""Effect on the account: RC takes a credit back, RD a debit; EC and ED are expected (MT942)."""

_LINE: Final = re.compile(
    r"(?P<dates>[0-9]{6,16})\s*+(?P<mark>R[CD]|E[CD]|[CD])(?P<funds>[A-Z])?\s*+"
    r"(?P<amount>[0-9.,][0-9.,' ]*+)\s*+(?P<type>[A-Z][A-Z0-9 ]{3})(?P<rest>.*)"
)
_TYPELESS_LINE: Final = re.compile(
    r"(?P<dates>[0-9]{6,16})\s*+(?P<mark>R[CD]|E[CD]|[CD])(?P<funds>[A-Z])?\s*+"
    r"(?P<amount>[0-9.,][0-9.,' ]*+)\s*+(?P<type>)(?P<rest>(?://.*)?)"
)
_BALANCE: Final = re.compile(r"(?P<mark>[CD])\s*(?P<date>[0-9]{8}|[0-9]{6})\s*(?P<currency>[A-Z]{3})\s*(?P<amount>\S+)")
_FLOOR: Final = re.compile(r"([A-Z]{3})[CD]?[0-9.,]*")
_SUM: Final = re.compile(r"(?P<count>[0-9]{1,9})(?P<currency>[A-Z]{3})(?P<amount>[0-9.,]+)")
_USUAL: Final = 31  # days between value and booking that need no explanation
_NO_REFERENCE: Final = frozenset({"", "N", "NONREF", "KREF+", "KREF", "EREF", "EREF+", "MARF", "PREF", "NOTPROVIDED"})


class LineUnreadable(UnreadableValue):
    """The :61: line is not a statement line; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class SwiftLine:
    """A :61:, which SWIFT calls the statement line."""

    value_date: date
    booking_date: date
    mark: str
    amount_minor: int  # signed: effect on the account
    transaction_type: str  # NTRF
    customer_reference: str  # "" for NONREF and for pointers to :86: such as KREF+
    bank_reference: str
    supplement: str  # second line

    @property
    def reversal(self) -> bool:
        return self.mark.startswith("R")

    @property
    def expected(self) -> bool:
        return self.mark.startswith("E")


def parse_statement_line(lines: tuple[str, ...], currency: str, day: date | None = None) -> SwiftLine:
    """The content of a :61:; LineUnreadable if date, mark, amount or transaction type cannot be read with certainty.

    An entry date has no year: it is the one nearest to the statement's `day` (of its opening balance), or to the value
    date where that day is unknown, or long past because nothing was booked in between.
    """
    found = _LINE.fullmatch(lines[0].strip())
    if found is None:
        raise LineUnreadable(Message("mt940-line"))
    return _line_of(found, lines, currency, day)


def parse_typeless_line(lines: tuple[str, ...], currency: str, day: date | None = None) -> SwiftLine | None:
    """What a :61: without its transaction type says (`2011301130CN220000,00//4711`); None if it says no more than that.

    Only its place marks the amount, so it is to be believed only where the balances prove it.
    """
    found = _TYPELESS_LINE.fullmatch(lines[0].strip())
    try:
        return _line_of(found, lines, currency, day) if found else None
    except LineUnreadable:
        return None


def _line_of(found: re.Match[str], lines: tuple[str, ...], currency: str, day: date | None) -> SwiftLine:
    value_date, booking_date = _dates(found["dates"], day)
    try:
        minor = swift_amount(found["amount"].replace(" ", ""), currency)
    except AmountUnreadable as error:
        raise LineUnreadable(error.message) from error
    customer, _, bank = found["rest"].partition("//")
    customer = customer.strip()
    return SwiftLine(
        value_date=value_date,
        booking_date=booking_date,
        mark=found["mark"],
        amount_minor=_SIGN[found["mark"]] * minor,
        transaction_type=found["type"].strip(),
        customer_reference="" if customer in _NO_REFERENCE else customer,
        bank_reference="" if bank.strip() == "NONREF" else bank.strip(),
        supplement="\n".join(line.rstrip() for line in lines[1:] if line.strip()),
    )


def _dates(digits: str, day: date | None) -> tuple[date, date]:
    """Value and booking date. Without a booking date it is the value date (SWIFT: entry date is optional)."""
    readings: list[tuple[date, date]] = []
    for value_length, entry_length in _LAYOUTS.get(len(digits), ()):
        value = _date(digits[:value_length], february_30=True)
        entry = _entry_date(digits[value_length:], value, entry_length, day) if value else None
        if value and entry:
            readings.append((value, entry))
    if not readings:
        raise LineUnreadable(Message("day-none", text=digits))
    return min(readings, key=lambda pair: abs((pair[0] - pair[1]).days))


_LAYOUTS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    6: ((6, 0),),
    8: ((8, 0),),
    10: ((6, 4),),
    12: ((8, 4), (6, 6)),
    14: ((6, 8), (8, 6)),
    16: ((8, 8),),
}
"""Lengths of value and entry date by the number of digits; SWIFT knows 6 and 10."""


def _entry_date(digits: str, value: date, length: int, statement_day: date | None) -> date | None:
    if length == 0:
        return value
    if length > 4:
        return _date(digits)
    by_value = _nearest(digits, value)
    if statement_day is None or by_value is None:
        return by_value
    quiet = statement_day <= min(value, by_value) and abs((by_value - value).days) <= _USUAL
    return by_value if quiet else _nearest(digits, statement_day)


def _nearest(digits: str, near: date) -> date | None:
    """The date of MMDD that is nearest to a known one; None if there is no such day."""
    around = (_date(f"{year:04d}{digits}") for year in (near.year - 1, near.year, near.year + 1))
    return min((day for day in around if day), key=lambda day: abs((day - near).days), default=None)


def _date(digits: str, *, february_30: bool = False) -> date | None:
    """The date of YYMMDD (2000-2079, 1980-1999) or YYYYMMDD; None if there is no such day.

    German banks value interest on a 30th of February (months of 30 days): the last day of the month is meant.
    """
    if len(digits) == 6:
        digits = ("19" if digits >= "80" else "20") + digits
    year, month, day = int(digits[:4]), int(digits[4:6]), int(digits[6:])
    if not 1980 <= year <= 2099:
        return None
    if february_30 and month == 2 and day in {29, 30}:
        day = min(day, 29 if year % 4 == 0 else 28)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def parse_balance(tag: str, text: str) -> Balance | None:
    """The balance of :60F: and the like, signed; None if it cannot be read: it is then missing, never guessed."""
    found = _BALANCE.fullmatch(text.strip())
    if found is None or not known_currency(found["currency"]):
        return None
    try:
        minor = swift_amount(found["amount"], found["currency"])
    except AmountUnreadable:
        return None
    signed = minor if found["mark"] == "C" else -minor
    return Balance(_BALANCE_CODES[tag], signed, found["currency"], _date(found["date"], february_30=True))


_BALANCE_CODES: Final = {
    "60": "OPBD",
    "60F": "OPBD",
    "60M": "ITBD",
    "62": "CLBD",
    "62F": "CLBD",
    "62M": "ITBD",
    "64": "CLAV",
    "64F": "CLAV",
    "65": "FWAV",
    "65F": "FWAV",
}


def parse_floor_currency(text: str) -> str:
    """The currency of a floor limit :34F:; "" if it names none that is known."""
    found = _FLOOR.fullmatch(text.strip())
    return found[1] if found and known_currency(found[1]) else ""


def parse_sum(text: str) -> tuple[int, int] | None:
    """Number and sum in minor units of :90C: or :90D:; None if it cannot be read."""
    found = _SUM.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return int(found["count"]), swift_amount(found["amount"], found["currency"])
    except AmountUnreadable:
        return None


def parse_sequence(text: str) -> tuple[str, int | None]:
    """Statement number and page of :28C: `00004/00001`; ("", None) where the bank sends zeros or nothing."""
    number, _, page = (part.strip() for part in text.strip().partition("/"))
    number = number.lstrip("0") if number.isdecimal() else number
    return number[:35], int(page) if page.isdecimal() and len(page) < 7 and int(page) else None
