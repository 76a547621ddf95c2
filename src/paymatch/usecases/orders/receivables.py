"""Open receivables by age, and days until paid, in the shop's currency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.store.orders import receivables as store
from paymatch.store.transactions import ShopTx

AGES: Final = (1, 15, 31, 61)
"""Days overdue at which the next age class begins; orders not yet due come before the first."""


@dataclass(frozen=True, slots=True)
class OpenByAge:
    """(orders, open minor units) of each age class in the shop's currency, orders not yet due first.

    `others`: open amounts in other currencies, by currency.
    """

    ages: Sequence[tuple[int, int]]
    others: Mapping[str, int]


def by_age(tx: ShopTx, today: date) -> OpenByAge:
    """What is open, by age."""
    found = store.by_age(tx, today, AGES)
    others: dict[str, int] = {}
    for (currency, _place), (_orders, minor) in sorted(found.items()):
        if currency != tx.shop.currency and minor:
            others[currency] = others.get(currency, 0) + minor
    return OpenByAge([found.get((tx.shop.currency, place), (0, 0)) for place in range(len(AGES) + 1)], others)


def days_until_paid(tx: ShopTx, begins: Sequence[date], today: date) -> list[tuple[int, int]]:
    """(sum of days from an order to its last payment, number of orders), by the time span of that payment.

    The spans begin on the given days; the last one ends today.
    """
    found = store.days_until_paid(tx, begins, today)
    return [found.get(place, (0, 0)) for place in range(len(begins))]
