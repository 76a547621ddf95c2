"""Looking at many orders of a shop, a batch in each transaction; one that fails stops only itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.said import Said
from paymatch.store.database import Database, ShopId, Tx
from paymatch.usecases.isolation import each_alone, tell

BATCH: Final = 100


def in_batches(
    database: Database,
    shop: Shop,
    page: Callable[[Tx, str], list[str]],
    decide: Callable[[Tx, Sequence[str]], int],
    item: str,
    clock: datetime,
) -> int:
    """The sum of what `decide` counts over all pages of order numbers; `page` gives those behind a number, in order.

    An order that `decide` raises for is left, and an alert names it by the sentence `item`.
    """
    shop_id, count, after = ShopId(shop.id), 0, ""
    while True:
        with database.transaction(shop_id) as tx:
            numbers = page(tx, after)
        if not numbers:
            return count

        def together(some: Sequence[str]) -> int:
            with database.transaction(shop_id) as tx:
                return decide(tx, some)

        def failed(number: str, error: Exception) -> None:
            with database.transaction(shop_id) as tx:
                tell(tx, shop_id, Said(item, order=number), error, shop.now(clock))

        count += sum(each_alone(numbers, together, failed))
        after = numbers[-1]
