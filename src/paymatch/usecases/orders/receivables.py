"""Open receivables by age, and days until paid, in the shop's currency."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import receivables as store

AGES: Final = (1, 15, 31, 61)
"""Days overdue at which the next class of age begins; what is not due yet comes before the first."""


def by_age(tx: Tx, shop: Shop, today: date) -> list[tuple[int, int]]:
    """(orders, open minor units) of each class of age, those that are not due first."""
    found = store.by_age(tx, ShopId(shop.id), shop.currency, today, AGES)
    return [found.get(place, (0, 0)) for place in range(len(AGES) + 1)]


def days_until_paid(tx: Tx, shop: Shop, begins: Sequence[date], today: date) -> list[tuple[int, int]]:
    """(days from an order to its last payment, summed, of how many orders), by spans of time in which that came.

    The spans begin on the days; the final one ends today.
    """
    found = store.days_until_paid(tx, ShopId(shop.id), begins, today)
    return [found.get(place, (0, 0)) for place in range(len(begins))]
