"""Orders for people: lists, what a word finds, how many there are of each state."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.store.orders import order_list as store
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.search import matches

OVERPAID: Final = "OVERPAID"
"""Counted beside the statuses: orders of any status with more paid than is due."""


def find_orders(
    tx: ShopTx,
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
    found = matches.listed_orders(tx, text) if text else None
    return store.page(tx, statuses=statuses, overpaid=overpaid, found=found, after=after, limit=limit)


def totals(
    tx: ShopTx, *, statuses: Sequence[str] = (), overpaid: bool = False, text: str = ""
) -> list[tuple[str, int, int]]:
    """(currency, orders, their amounts together) of what `find_orders` finds, the most orders first."""
    found = matches.listed_orders(tx, text) if text else None
    return store.totals(tx, statuses=statuses, overpaid=overpaid, found=found)


def counts(tx: ShopTx) -> dict[str, int]:
    """Status -> number of orders, with those that are OVERPAID."""
    none = {str(status): 0 for status in PaymentStatus}
    return none | store.counts(tx) | {OVERPAID: store.count_overpaid(tx)}


def overpaid(tx: ShopTx) -> tuple[int, int]:
    """(how many orders have more paid than is due, by how much those in the shop's currency, in minor units)."""
    return store.sum_overpaid(tx, tx.shop.currency)
