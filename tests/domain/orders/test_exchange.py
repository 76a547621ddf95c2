"""What a customer is asked for in the currency of the shop's account (D-41)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paymatch.domain.money import Currency, Money
from paymatch.domain.orders.exchange import at_rate


@pytest.mark.parametrize(
    ("minor", "currency", "rate", "to", "asked"),
    [
        (3333, "USD", "0.9155", "EUR", 3051),
        (100, "EUR", "1.005", "USD", 101),  # half a cent is rounded up
        (100, "EUR", "1.00499", "USD", 100),
        (1000, "JPY", "0.0061", "EUR", 610),  # yen have no minor unit
        (610, "EUR", "163.93", "JPY", 1000),
        (1000, "EUR", "0.331", "KWD", 3310),  # dinars have a thousand
    ],
)
def test_amount_is_changed_at_the_rate_and_rounded_to_the_minor_unit(
    minor: int, currency: str, rate: str, to: str, asked: int
) -> None:
    assert at_rate(Money(minor, Currency(currency)), Decimal(rate), Currency(to)) == Money(asked, Currency(to))
