"""Lookup keys of orders: kept up to date, so that postings find the orders that await money."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from paymatch.domain.matching.lookup.keys import MAX_HITS, amount_key, order_keys, split_keys
from paymatch.domain.matching.model import OrderFacts, OrderState
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.matching import matching as store
from paymatch.store.orders import orders as order_store
from paymatch.store.search import order_texts
from paymatch.store.transactions import ShopTx

UNMANAGED: Final = "OTHER"
"""Orders of this type are stored and read, but never found by matching (D-41)."""
_PAGE: Final = 200
_LOCK_SECONDS: Final = 60


def save(tx: ShopTx, facts: Iterable[OrderFacts], replaced: Sequence[str], now: datetime) -> None:
    """Stores the keys of the orders; open postings that share one are matched again (docs/matching.md)."""
    keys: dict[str, tuple[frozenset[int], frozenset[int]]] = {}
    for order in facts:
        if order.type == UNMANAGED:
            continue
        lasting, while_open = split_keys(order)
        keys[order.number] = (lasting, while_open if order.state is OrderState.OPEN else frozenset())
    store.save_order_keys(tx, keys, replaced)
    every = frozenset(key for pair in keys.values() for found in pair for key in found)
    store.mark_for_rematch(tx, every, now, MAX_HITS)


def renew(tx: ShopTx, number: str, now: datetime) -> None:
    """Makes the order findable, in matching and by people, by a number that it got after its submission."""
    save(tx, store.load_orders(tx, [number]).values(), [number], now)
    order_texts.renew(tx, [number])


def refresh_after_settlement(
    tx: ShopTx, left: Sequence[tuple[str, int, str]], awaiting: Sequence[str], now: datetime
) -> None:
    """Orders (number, amount, currency) have `left` the open ones; others are `awaiting` another amount, or again.

    Those that left lose the key of the amount alone at once: thousands of paid orders would overflow it. The keys of
    names and words are few per customer; their results are weighed against the order's present state.
    """
    store.drop_keys(tx, [(number, amount_key(amount, currency)) for number, amount, currency in left])
    if awaiting:
        store.drop_open_keys(tx, awaiting)
        save(tx, store.load_orders(tx, awaiting).values(), (), now)


def add_missing(database: Database, shop: Shop, clock: datetime, *, page: int = _PAGE) -> int:
    """Adds keys to orders that await money and were stored by an earlier version with fewer; returns their number.

    Open postings that share an added key are matched again. It may be interrupted and repeated.
    """
    added, after = 0, ""
    while True:
        with database.of_shop(shop, _LOCK_SECONDS, at=clock) as tx:
            numbers = order_store.awaiting_money(tx, after, page)
            order_store.lock(tx, numbers)
            known = store.keys_of_orders(tx, numbers)
            lacking = [
                order
                for order in store.load_orders(tx, numbers).values()
                if order.type != UNMANAGED and not order_keys(order) <= known.get(order.number, set())
            ]
            save(tx, lacking, (), shop.now(clock))
        added += len(lacking)
        if len(numbers) < page:
            return added
        after = numbers[-1]
