"""Amounts as banks write them in MT940, CSV and OFX: text to minor units, never a guess."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from paymatch.domain.money import CURRENCIES, MAX_MINOR, WITHDRAWN, AmountUnreadable

_PLAIN: Final = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+")
_GROUPED_COMMA: Final = re.compile(r"\d{1,3}(?:[.' ]\d{3})+,\d*")
_GROUPED_POINT: Final = re.compile(r"\d{1,3}(?:[,' ]\d{3})+\.\d*")
_MAX_TEXT: Final = 40  # no bank writes longer amounts; 12 (MT940: 15d) to 18 digits are what the standards allow


def known_currency(code: str) -> bool:
    """Whether `code` is a currency of today or of yesterday (DEM) that a statement can be kept in."""
    return code in CURRENCIES or code in WITHDRAWN


def digits_of_code(code: str) -> int:
    """Digits of the minor unit; AmountUnreadable for a currency nobody knows."""
    digits = CURRENCIES.get(code, WITHDRAWN.get(code))
    if digits is None:
        raise AmountUnreadable(f"unknown currency {code!r}")
    return digits


def scale(amount: Decimal, code: str) -> int:
    """`amount` in minor units of `code`, exact; AmountUnreadable if decimals would be lost or it is out of range."""
    digits = digits_of_code(code)
    if not amount.is_finite() or (amount and not -20 < amount.adjusted() < 20):
        raise AmountUnreadable(f"{amount} is out of range")
    scaled = amount.scaleb(digits)
    minor = int(scaled)
    if minor != scaled:
        raise AmountUnreadable(f"{amount} has more decimals than {code} has")
    if abs(minor) > MAX_MINOR:
        raise AmountUnreadable(f"{amount} is out of range")
    return minor


def swift_amount(text: str, code: str) -> int:
    """Minor units of an unsigned amount as in MT940: `1234,`, `,50`, `1234,5`, `1234.50`, `1.234,50`.

    SWIFT asks for a decimal comma and no grouping; banks also write a point, leading zeros, or groups of three
    together with the other mark. A single mark is always the decimal mark. AmountUnreadable for everything else.
    """
    if len(text) > _MAX_TEXT or not text.isascii():
        raise AmountUnreadable(f"{text[:_MAX_TEXT]!r} is no amount")
    if _PLAIN.fullmatch(text):
        plain = text.replace(",", ".")
    elif _GROUPED_COMMA.fullmatch(text):
        plain = re.sub(r"[.' ]", "", text).replace(",", ".")
    elif _GROUPED_POINT.fullmatch(text):
        plain = re.sub(r"[,' ]", "", text)
    else:
        raise AmountUnreadable(f"{text!r} is no amount")
    return scale(Decimal(plain), code)
