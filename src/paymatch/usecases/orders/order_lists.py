"""Orders for people: lists, what a word finds, how many there are of each state."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import order_list as store
from paymatch.store.orders.order_list import ListedOrder
from paymatch.usecases.search import matches

OVERPAID: Final = "OVERPAID"
"""Counted beside the statuses: orders of any status with more paid than is due."""


def find_orders(
    tx: Tx,
    shop: Shop,
    *,
    statuses: Sequence[str] = (),
    overpaid: bool = False,
    text: str = "",
    after: tuple[date, str] | None = None,
    limit: int = 50,
) -> list[ListedOrder]:
    """Orders, latest first, behind the date and number `after`.

    `text` is what a caller says: words of name and address, a number, the amount, the IBAN that it was paid from.
    """
    shop_id = ShopId(shop.id)
    found = matches.listed_orders(tx, shop_id, text) if text else None
    return store.page(tx, shop_id, statuses=statuses, overpaid=overpaid, found=found, after=after, limit=limit)


def totals(
    tx: Tx, shop: Shop, *, statuses: Sequence[str] = (), overpaid: bool = False, text: str = ""
) -> list[tuple[str, int, int]]:
    """(currency, orders, their amounts together) of what `find_orders` finds, the most orders first."""
    shop_id = ShopId(shop.id)
    found = matches.listed_orders(tx, shop_id, text) if text else None
    return store.totals(tx, shop_id, statuses=statuses, overpaid=overpaid, found=found)


def counts(tx: Tx, shop: Shop) -> dict[str, int]:
    """Status -> number of orders, with those that are OVERPAID."""
    shop_id = ShopId(shop.id)
    none = {str(status): 0 for status in PaymentStatus}
    return none | store.counts(tx, shop_id) | {OVERPAID: store.count_overpaid(tx, shop_id)}


def overpaid(tx: Tx, shop: Shop) -> tuple[int, int]:
    """(how many orders have more paid than is due, by how much those in the shop's currency, in minor units)."""
    return store.sum_overpaid(tx, ShopId(shop.id), shop.currency)
