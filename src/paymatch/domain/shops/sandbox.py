"""The sandbox: how a customer of the simulated bank writes a reference, from which account, and spans of time."""

from __future__ import annotations

import hashlib
import re
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.bank_accounts import german_iban
from paymatch.domain.calendar import next_bank_day
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

BANK_DAY_ENDS: Final = time(18, 0)
"""When the simulated bank closes its day and delivers its files, in the shop's time zone."""

_BANKS: Final = ("37040044", "50010517", "20050550", "70150000", "10010010", "43060967")
_DAY_OF_API: Final = re.compile(r"^(\d{2})-(\d{2})-(\d{4})(?=$|[ T])")
_SPAN: Final = re.compile(r"(?:(\d{1,3})w)?(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?", re.ASCII)


class SandboxRefused(Refused):
    """The sandbox cannot do this; the text says why."""


class ClockHeld(SandboxRefused):
    """Another process moves the shop's clock at present."""


class Reference(StrEnum):
    """How well the customer writes the order's number."""

    EXACT = "exact"
    SPACED = "spaced"  # with blanks within the number
    TYPO = "typo"  # two digits changed places
    MISSING = "missing"  # no text at all
    WRONG = "wrong"  # a number that is not one of the shop's
    NAME_ONLY = "name-only"  # the customer's name instead of a number
    STRUCTURED = "structured"  # the payment reference of the order (D-19), nothing else


def write_duration(reference: Reference, number: str, customer: str, payment_reference: str = "") -> str:
    """The text of a payment for the order `number` of `customer`, whose mail names the `payment_reference`."""
    match reference:
        case Reference.EXACT:
            return f"Bestellung {number}"
        case Reference.SPACED:
            return f"Bestellung {_space_out(number)}"
        case Reference.TYPO:
            return f"Bestellung {_with_typo(number)}"
        case Reference.MISSING:
            return ""
        case Reference.WRONG:
            return "Bestellung " + re.sub(r"\d", lambda digit: str((int(digit[0]) + 5) % 10), number)
        case Reference.NAME_ONLY:
            return customer
        case Reference.STRUCTURED:
            return payment_reference


def _space_out(number: str) -> str:
    """Separators become blanks, and every run of digits is cut in the middle."""
    return re.sub(
        r"\d{4,}",
        lambda run: f"{run[0][: len(run[0]) // 2]} {run[0][len(run[0]) // 2 :]}",
        re.sub(r"[-_/.]+", " ", number),
    )


def _with_typo(number: str) -> str:
    """The last two neighbouring digits that differ change places; a number without such digits is unchanged."""
    for place in range(len(number) - 2, -1, -1):
        one, other = number[place], number[place + 1]
        if one.isdigit() and other.isdigit() and one != other:
            return number[:place] + other + one + number[place + 2 :]
    return number


def iban_of(name: str) -> str:
    """A person's account at the simulated bank: always the same for the same name."""
    digest = int.from_bytes(hashlib.sha256(name.casefold().encode()).digest()[:8])
    return german_iban(f"{_BANKS[digest % len(_BANKS)]}/{digest // len(_BANKS) % 10**10:010d}")


def booking_day(now: datetime, timezone: str) -> date:
    """The day on which a payment made now is booked: today until the bank closes, otherwise the next bank day."""
    local = now.astimezone(ZoneInfo(timezone))
    day = local.date()
    return next_bank_day(day if local.time() < BANK_DAY_ENDS else day + timedelta(days=1))


def day_ends_at(day: date, timezone: str) -> datetime:
    """The moment at which the simulated bank delivers the files of a day."""
    return datetime.combine(day, BANK_DAY_ENDS, ZoneInfo(timezone))


def after_span(now: datetime, text: str, timezone: str) -> datetime:
    """The moment a span later: `3d`, `2w`, `12h`, `15m`, `1d6h`. SandboxRefused for anything else.

    Days and weeks keep the time of day in the shop's time zone; hours and minutes are elapsed time.
    """
    found = _SPAN.fullmatch(text.strip())
    if not text.strip() or found is None:
        raise SandboxRefused(Message("sandbox-not-span-time-3d", text=repr(text)))
    weeks, days, hours, minutes = (int(part or 0) for part in found.groups())
    zone = ZoneInfo(timezone)
    local = now.astimezone(zone) + timedelta(weeks=weeks, days=days)
    try:
        return local.astimezone(ZoneInfo("UTC")) + timedelta(hours=hours, minutes=minutes)
    except OverflowError:
        raise SandboxRefused(Message("sandbox-too-long", text=repr(text))) from None


def moment_of(text: str, timezone: str) -> datetime:
    """The moment of `2026-12-01` (its beginning) or `2026-12-01 14:30` in the shop's time zone, or of an ISO text.

    Days may be written as in the API, `01-12-2026`, so that the moment that GET /sandbox/clock answers can be sent.
    """
    try:
        found = datetime.fromisoformat(_DAY_OF_API.sub(r"\3-\2-\1", text.strip()))
    except ValueError:
        raise SandboxRefused(Message("sandbox-not-date-2026-12", text=repr(text))) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=ZoneInfo(timezone))
