"""Values of a camt message: amounts, dates, codes. What cannot be read for certain raises `ValueUnreadable`."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache
from typing import Final

from paymatch.domain.money import CURRENCIES, AmountUnreadable, Currency, text_to_minor
from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.camt.plan import Paths

SIGNS: Final = {"CRDT": 1, "DBIT": -1}
FLAGS: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,]{5,20})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?")
_GVC: Final = re.compile(r"(?:[A-Z][A-Z0-9]{3}\+)?([0-9]{3})(?:\+.*)?")


CODES: Final[dict[str, Paths]] = {
    "domain": "BkTxCd/Domn/Cd",
    "family": "BkTxCd/Domn/Fmly/Cd",
    "sub-family": ("BkTxCd/Domn/Fmly/SubFmlyCd", "BkTxCd/Domn/Fmly/SubFmly/Cd"),
    "proprietary": "BkTxCd/Prtry/Cd",
    "issuer": "BkTxCd/Prtry/Issr",
}
"""Fields of the bank transaction code, for the plan of an entry or a detail."""


class ValueUnreadable(UnreadableValue):
    """The text is not what the element must hold; the entry is shown to a person."""


def amount_of(text: str, currency: str, element: str) -> int:
    """Minor units of an amount of ISO 20022 (decimal point, no sign); ValueUnreadable if it is not exactly one."""
    if text[-3:-2] == "." and CURRENCIES.get(currency) == 2:
        digits = text[:-3] + text[-2:]
        if digits.isdigit() and digits.isascii() and len(digits) < 16:
            return int(digits)
    if currency not in CURRENCIES:
        if not currency:
            raise ValueUnreadable(Message("camt-no-currency", element=element))
        raise ValueUnreadable(Message("camt-unknown-currency", element=element, currency=repr(currency)))
    try:
        minor = text_to_minor(text, Currency(currency))
    except AmountUnreadable as error:
        raise ValueUnreadable(Message("file-named", name=element, what=error.message)) from None
    if minor < 0:
        raise ValueUnreadable(Message("camt-sign", element=element, text=repr(text)))
    return minor


def amount_if_readable(text: str, currency: str) -> int | None:
    """As `amount_of`, for amounts that only inform (instructed amount, counter value): None if it cannot be read."""
    try:
        return amount_of(text, currency, "Amt") if text else None
    except ValueUnreadable:
        return None


FIRST_YEAR: Final = 1980
LAST_YEAR: Final = 2099
"""Plausible years of a booking: 0001-01-01 or 9999-12-31 mean "no date"."""


@lru_cache(maxsize=4096)
def day_of(text: str) -> date | None:
    """Calendar day of an ISO date or date-time, as written, regardless of its time zone; None for ""."""
    if not text:
        return None
    if not _DAY.fullmatch(text):
        raise ValueUnreadable(Message("day-none", text=repr(text)))
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise ValueUnreadable(Message("day-none", text=repr(text))) from None


def moment_of(text: str) -> datetime | None:
    """Moment of an ISO date-time, naive if the bank gave no time zone; None if it cannot be read."""
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def gvc_of(proprietary_code: BankWord, issuer: str) -> BankWord:
    """German business transaction code in a proprietary code (`NTRF+166+9248/...` of issuer DK or ZKA); "" if none.

    DFÜ agreement, annex 3, chapter 7: SWIFT transaction code, GVC, primanota and text key, joined by `+`.
    """
    found = _GVC.fullmatch(proprietary_code) if proprietary_code else None
    if found and ("+" in proprietary_code or issuer in {"DK", "ZKA", "BBK"}):
        return BankWord(found[1])
    return BankWord("")


@lru_cache(maxsize=4096)
def joined_code(domain: str, family: str, sub_family: str) -> str:
    """`PMNT/RCDT/ESCT`; shorter if the bank gave less, "" if nothing."""
    return "/".join((domain, family, sub_family)).strip("/")


def count_of(text: str) -> int | None:
    """A number of entries; None if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
