"""Batches of a shop's orders, each in its own transaction; an order that fails stops only itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.transactions import ShopTx
from paymatch.usecases.bisection import process_bisecting, raise_item_alert

BATCH: Final = 100


def in_batches(
    database: Database,
    shop: Shop,
    page: Callable[[ShopTx, str], list[str]],
    decide: Callable[[ShopTx, Sequence[str]], int],
    item: str,
    clock: datetime,
) -> int:
    """The sum of `decide` over all pages of order numbers; `page` returns those after a number, in order.

    An order for which `decide` raises is skipped, and an alert names it by the sentence `item`.
    """
    count, after = 0, ""
    while True:
        with database.of_shop(shop, at=clock) as tx:
            numbers = page(tx, after)
        if not numbers:
            return count

        def together(some: Sequence[str]) -> int:
            with database.of_shop(shop, at=clock) as tx:
                return decide(tx, some)

        def on_failure(number: str, error: Exception) -> None:
            with database.of_shop(shop, at=clock) as tx:
                raise_item_alert(tx, Message(item, order=number), error, shop.now(clock))

        count += sum(process_bisecting(numbers, together, on_failure))
        after = numbers[-1]
