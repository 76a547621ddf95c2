"""What a customer is asked for where the shop has no account in the order's currency (API document, exchangeRate)."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from paymatch.domain.money import Currency, Money, digits_of


def at_rate(amount: Money, rate: Decimal, currency: Currency) -> Money:
    """The amount in another currency: one unit of the order's currency is worth `rate` units of it (D-41).

    Rounded half up to the minor unit: 33.33 USD at 0.9155 is 30.51 EUR.
    """
    scaled = Decimal(amount.minor).scaleb(digits_of(currency) - digits_of(amount.currency)) * rate
    return Money(int(scaled.to_integral_value(ROUND_HALF_UP)), currency)
