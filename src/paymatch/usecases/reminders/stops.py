"""A person stops the reminders of one order, and lets them go on."""

from __future__ import annotations

from paymatch.domain.shops.audit import AuditAction
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.orders import orders


def stop(tx: ShopTx, number: str) -> None:
    """No reminder of the order is sent until `resume`, even if the shop submits it again. OrderUnknown."""
    _set(tx, number, stopped=True)


def resume(tx: ShopTx, number: str) -> None:
    """The plan decides again about the order's reminders. OrderUnknown."""
    _set(tx, number, stopped=False)


def _set(tx: ShopTx, number: str, *, stopped: bool) -> None:
    order_store.lock(tx, [number])
    orders.require(tx, number)
    if store.set_stopped(tx, number, stopped=stopped):
        record(tx, tx.shop, AuditAction.REMINDERS_STOPPED if stopped else AuditAction.REMINDERS_RESUMED, number)
        if tx.shop.sends_mail:
            store.schedule_review(tx, [number], tx.now)
