"""Open receivables by age, and days until paid, in the shop's currency."""

from __future__ import annotations

from datetime import date, timedelta
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


def days_until_paid(tx: Tx, shop: Shop, today: date, days: int) -> tuple[float | None, float | None]:
    """(the days before, the last `days` days): the mean days from order to payment; None without a paid order."""
    middle = today - timedelta(days=days - 1)
    return store.days_until_paid(tx, ShopId(shop.id), middle - timedelta(days=days), middle, today)
