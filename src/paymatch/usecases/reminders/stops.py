"""A person stops the reminders of one order, and lets them go on."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders as store
from paymatch.usecases.audit import record
from paymatch.usecases.orders import orders


def stop(tx: Tx, shop: Shop, number: str, clock: datetime) -> None:
    """No reminder of the order goes out until `resume`, whatever the shop submits. OrderUnknown."""
    _set(tx, shop, number, clock, stopped=True)


def resume(tx: Tx, shop: Shop, number: str, clock: datetime) -> None:
    """The plan decides again about the order's reminders. OrderUnknown."""
    _set(tx, shop, number, clock, stopped=False)


def _set(tx: Tx, shop: Shop, number: str, clock: datetime, *, stopped: bool) -> None:
    shop_id = ShopId(shop.id)
    order_store.lock(tx, shop_id, [number])
    orders.require(tx, shop, number)
    if store.set_stopped(tx, shop_id, number, stopped=stopped):
        record(tx, shop, AuditAction.REMINDERS_STOPPED if stopped else AuditAction.REMINDERS_RESUMED, number)
        if shop.sends_mail:
            store.schedule_review(tx, shop_id, [number], shop.now(clock))
