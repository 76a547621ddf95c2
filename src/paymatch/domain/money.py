"""Money: whole minor units with their currency; Decimal only where text is read or written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from paymatch.domain.words.currencies import (
    CURRENCIES,
    WITHDRAWN,
    Currency,
    digits_of,
    minor_to_decimal,
    minor_to_text,
    plain_text,
)
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message

__all__ = [
    "CURRENCIES", "EUR", "MAX_MINOR", "WITHDRAWN", "AmountUnreadable", "Currency", "Money", "currency_of",
    "decimal_to_minor", "digits_of", "minor_to_decimal", "minor_to_text", "plain_text", "text_to_minor", "total",
]  # fmt: skip

MAX_MINOR: Final = 10**15 - 1
"""The largest amount that the ledger takes, in minor units: it stays exact in a JSON number and in int8 sums."""

EUR: Final = Currency("EUR")


class AmountUnreadable(UnreadableValue):
    """The text is not an amount in this currency; the caller keeps the text and asks a person, never guesses."""


@dataclass(frozen=True, slots=True, order=False)
class Money:
    """An amount in minor units of one currency; EUR 12.30 is `Money(1230, EUR)`."""

    minor: int
    currency: Currency

    def __add__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.minor + other.minor, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.minor - other.minor, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.minor, self.currency)

    def __str__(self) -> str:
        return f"{minor_to_text(self.minor, self.currency)} {self.currency}"

    def _same(self, other: Money) -> None:
        assert self.currency == other.currency, f"{self.currency} and {other.currency} never mix"


def currency_of(code: str) -> Currency:
    """The currency of an ISO 4217 code; ValueError if it is not one."""
    if code not in CURRENCIES:
        raise ValueError(f"unknown currency {code!r}")
    return Currency(code)


def decimal_to_minor(amount: Decimal, currency: Currency) -> int:
    """`amount` in minor units, exact; AmountUnreadable if it has too many decimals, is not finite or too large."""
    if not amount.is_finite():
        raise AmountUnreadable(Message("amount-no-number", amount=str(amount)))
    if amount and abs(amount.adjusted()) >= 20:
        raise AmountUnreadable(Message("amount-range", amount=str(amount)))
    scaled = amount.scaleb(digits_of(currency))
    minor = int(scaled)
    if minor != scaled:
        raise AmountUnreadable(Message("amount-decimals", amount=str(amount), currency=currency))
    if abs(minor) > MAX_MINOR:
        raise AmountUnreadable(Message("amount-range", amount=str(amount)))
    return minor


def text_to_minor(text: str, currency: Currency) -> int:
    """Minor units of an amount written with a decimal point (`1234.50`); AmountUnreadable for anything else."""
    if not text or not text.isascii() or text.strip() != text or any(c not in "0123456789.-+" for c in text):
        raise AmountUnreadable(Message("amount-none", text=repr(text)))
    try:
        return decimal_to_minor(Decimal(text), currency)
    except InvalidOperation as error:
        raise AmountUnreadable(Message("amount-none", text=repr(text))) from error


def total(amounts: Iterable[int]) -> int:
    """Sum of minor units of one currency."""
    return sum(amounts)
