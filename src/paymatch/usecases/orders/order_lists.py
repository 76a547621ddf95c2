"""Orders for people: lists, search results, counts per state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.orders import order_list as store
from paymatch.store.orders.order_list import ListedOrder, OrderSums
from paymatch.store.transactions import ShopTx
from paymatch.usecases.search import matches

OVERPAID: Final = "OVERPAID"
"""Counted beside the statuses: orders of any status with more paid than is due."""


def page(
    tx: ShopTx,
    *,
    statuses: Sequence[str] = (),
    overpaid: bool = False,
    text: str = "",
    asked: AskedPage,
    sums: Sequence[OrderSums] | None = None,
) -> PageOfRows[ListedOrder]:
    """A page of orders, latest first unless sorted.

    `text` is what a caller says: words of name and address, a number, the amount, the IBAN that paid it. `sums` are
    those of all orders, if the caller has them.
    """
    found = matches.listed_orders(tx, text) if text else None
    if found is not None or overpaid or not asked.counts:
        return store.page(tx, statuses=statuses, overpaid=overpaid, found=found, asked=asked)
    shown = store.page(tx, statuses=statuses, asked=replace(asked, counts=False))
    return replace(shown, totals=store.totals(store.sums(tx) if sums is None else sums, statuses))


def find_orders(
    tx: ShopTx, *, statuses: Sequence[str] = (), overpaid: bool = False, text: str = "", limit: int = 50
) -> Sequence[ListedOrder]:
    """The first orders of `page`, latest first."""
    return page(tx, statuses=statuses, overpaid=overpaid, text=text, asked=AskedPage(limit)).rows


def sums(tx: ShopTx) -> list[OrderSums]:
    """The number of orders of each status and currency, and their total amounts."""
    return store.sums(tx)


def counts(tx: ShopTx, found: Sequence[OrderSums]) -> dict[str, int]:
    """Status -> number of orders, with those that are OVERPAID."""
    none = {str(status): 0 for status in PaymentStatus}
    return none | store.counts(found) | {OVERPAID: store.count_overpaid(tx)}


def overpaid(tx: ShopTx) -> tuple[int, int]:
    """(how many orders have more paid than is due, by how much those in the shop's currency, in minor units)."""
    return store.sum_overpaid(tx, tx.shop.currency)
