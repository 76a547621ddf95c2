"""Unpaid prepayment orders that lapse, if the shop wants that (D-42)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.domain.collection.handover import Terms, lapse
from paymatch.domain.reminders.policy import Planned
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.store import shops as shop_store
from paymatch.store.collection import cases as store
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders
from paymatch.usecases.collection.batches import BATCH, in_batches
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.reminders import terms_of


def lapse_due(database: Database, shop: Shop, clock: datetime) -> int:
    """Cancels prepayment orders that nobody has paid for as long as the shop waits, each with callback; how many."""

    def page(tx: Tx, after: str) -> list[str]:
        if shop_store.lapse_after(tx, ShopId(shop.id)) is None:
            return []
        return store.unpaid_prepayments(tx, ShopId(shop.id), after, BATCH)

    def decide(tx: Tx, numbers: Sequence[str]) -> int:
        return _lapse_some(tx, ShopId(shop.id), numbers, clock)

    return in_batches(database, shop, page, decide, "lapse", clock)


def _lapse_some(tx: Tx, shop_id: ShopId, numbers: Sequence[str], clock: datetime) -> int:
    """Decided once more under the orders' locks, by the settings of this moment."""
    order_store.lock(tx, shop_id, numbers)
    shop = shop_store.present(tx, shop_id)
    if shop.status is not ShopStatus.ACTIVE:
        return 0
    common, now = terms_of(tx, shop), shop.now(clock)
    terms = Terms(common.plan, shop_store.lapse_after(tx, shop_id), common.bank, now, shop.timezone)
    count = 0
    for order in reminders.load(tx, shop_id, numbers, shop.tolerance_minor, now):
        found = lapse(order.facts, terms, reminded=shop.reminders)
        if isinstance(found, Planned) and found.at <= now:
            orders.lapse(tx, shop, order.facts.number, clock)
            count += 1
    return count
