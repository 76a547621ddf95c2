"""The amount to ask for if the shop has no account in the order's currency (`exchangeRate`; D-85)."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from paymatch.domain.money import Currency, Money, digits_of

UNUSUAL_PERCENT: Final = 10
"""How far a rate may be away from the last one of its two currencies before people are alerted (D-85)."""


def at_rate(amount: Money, rate: Decimal, currency: Currency) -> Money:
    """The amount in another currency; one unit of it costs `rate` units of the amount's own (D-85).

    Rounded half up to the minor unit: 100.00 GBP at 0.855 is 116.96 EUR.
    """
    return Money(minor_at_rate(amount.minor, amount.currency, rate, currency), currency)


def minor_at_rate(minor: int, own: Currency, rate: Decimal, other: Currency) -> int:
    """As `at_rate`, in minor units of both currencies; exact for any number of digits."""
    units, one = rate.as_integer_ratio()
    return _scale(minor, own, other, units, one)


def minor_at_inverse_rate(minor: int, own: Currency, rate: Decimal, other: Currency) -> int:
    """The amount if `rate` were meant the other way round, as some payers and shops read it."""
    units, one = rate.as_integer_ratio()
    return _scale(minor, own, other, one, units)


def _scale(minor: int, own: Currency, other: Currency, units: int, one: int) -> int:
    """`minor` of `own` in `other`, where `units` / `one` of it cost one unit of the other; halves rounded up."""
    top, bottom = minor * one * _minor_units(other), units * _minor_units(own)
    return (2 * top + bottom) // (2 * bottom)


def _minor_units(currency: Currency) -> int:
    """Minor units in one of the currency."""
    return int(10 ** digits_of(currency))


def is_unusual(rate: Decimal, last: Decimal) -> bool:
    """True if a rate is more than 10 % away from the last one of the same two currencies (D-85)."""
    return abs(rate - last) * 100 > last * UNUSUAL_PERCENT


STALE_AFTER: Final = timedelta(days=7)
"""A last rate of this age may be replaced by an unusual one that a shop sends: markets move."""
LEAST_MINOR: Final = 10_00
"""Smaller amounts of an exchange give its rate too roughly for a comparison."""


class PairRate(NamedTuple):
    """A rate of two currencies in their one direction: units of `quoted` for one unit of `base`, `base` < `quoted`."""

    base: str
    quoted: str
    rate: Decimal


class LastRate(NamedTuple):
    """The last rate of a pair, and when it was seen."""

    rate: Decimal
    seen_at: datetime


def pair_rate(own: str, other: str, rate: Decimal) -> PairRate:
    """Where one unit of `other` costs `rate` units of `own`, the rate of the pair."""
    return PairRate(other, own, rate) if other < own else PairRate(own, other, 1 / rate)


def applied_rate(own: Money, other: Money) -> PairRate | None:
    """The rate at which a bank exchanged one amount into the other; None if they are too small for that."""
    if own.currency == other.currency or min(own.minor, other.minor) < LEAST_MINOR:
        return None
    return pair_rate(own.currency, other.currency, _units(own) / _units(other))


def _units(amount: Money) -> Decimal:
    return Decimal(amount.minor) / _minor_units(amount.currency)


def replaces(sent: PairRate, last: LastRate | None, now: datetime) -> bool:
    """Whether later rates are compared with this one that a shop sent; an unusual one does not count for some days."""
    if last is None:
        return True
    usual = not is_unusual(sent.rate, last.rate)
    return sent.rate != last.rate and (usual or now - last.seen_at >= STALE_AFTER)
