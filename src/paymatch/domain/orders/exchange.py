"""What a customer is asked for where the shop has no account in the order's currency (API document, exchangeRate)."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from paymatch.domain.money import Currency, Money, digits_of

UNUSUAL_PERCENT: Final = 10
"""How far a rate may be away from the last one of its two currencies before people are alerted (D-85)."""


def at_rate(amount: Money, rate: Decimal, currency: Currency) -> Money:
    """The amount in another currency, one unit of which costs `rate` units of the amount's own (D-85).

    Rounded half up to the minor unit: 100.00 GBP at 0.855 is 116.96 EUR.
    """
    return Money(minor_at_rate(amount.minor, amount.currency, rate, currency), currency)


def minor_at_rate(minor: int, own: Currency, rate: Decimal, other: Currency) -> int:
    """As `at_rate`, in minor units of both currencies; exact, whatever the number of digits."""
    units, one = rate.as_integer_ratio()
    return _scaled(minor, own, other, units, one)


def minor_at_inverse_rate(minor: int, own: Currency, rate: Decimal, other: Currency) -> int:
    """What the amount would be if `rate` were meant the other way round, as some payers and shops read it."""
    units, one = rate.as_integer_ratio()
    return _scaled(minor, own, other, one, units)


def _scaled(minor: int, own: Currency, other: Currency, units: int, one: int) -> int:
    """`minor` of `own` in `other`, where `units` / `one` of it cost one unit of the other; halves rounded up."""
    top, bottom = minor * one * _minor_units(other), units * _minor_units(own)
    return (2 * top + bottom) // (2 * bottom)


def _minor_units(currency: Currency) -> int:
    """Minor units in one of the currency."""
    return int(10 ** digits_of(currency))


def is_unusual(rate: Decimal, last: Decimal) -> bool:
    """True if a rate is more than 10 % away from the last one of the same two currencies (D-85)."""
    return abs(rate - last) * 100 > last * UNUSUAL_PERCENT
