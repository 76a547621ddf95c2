"""What a customer is asked for in the currency of the shop's account (D-85)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paymatch.domain.money import Currency, Money
from paymatch.domain.orders.exchange import at_rate


@pytest.mark.parametrize(
    ("minor", "currency", "rate", "to", "asked"),
    [
        (10000, "GBP", "0.855", "EUR", 11696),  # 116.959
        (8500, "EUR", "1", "EUR", 8500),
        (101, "EUR", "2", "USD", 51),  # half a cent is rounded up
        (99, "EUR", "2", "USD", 50),
        (1000, "JPY", "160", "EUR", 625),  # yen have no minor unit
        (625, "EUR", "0.00625", "JPY", 1000),
        (3310, "KWD", "0.331", "EUR", 1000),  # dinars have a thousand
        (1, "EUR", "0.0000033333333333333333", "EUR", 300000),
    ],
)
def test_amount_is_changed_at_the_rate_and_rounded_to_the_minor_unit(
    minor: int, currency: str, rate: str, to: str, asked: int
) -> None:
    assert at_rate(Money(minor, Currency(currency)), Decimal(rate), Currency(to)) == Money(asked, Currency(to))
