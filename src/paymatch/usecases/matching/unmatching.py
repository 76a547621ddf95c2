"""Undoing matches: the allocations of postings are removed and their orders settled again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.domain.shops.shop import ShopUnknown
from paymatch.store.orders import orders as order_store
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import postings as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds.feedback import take_back
from paymatch.usecases.settlement.ledger import settle


def release(tx: ShopTx, posting_ids: Sequence[str], now: datetime, *, undoes_refunds: bool = True) -> list[str]:
    """Drops the allocations of the postings; returns the numbers of the orders that were settled again.

    Refunds that they executed or brought back return to their earlier state, unless the parts of a posting that replace
    it are about to do the same (`undoes_refunds` False).
    """
    held = sorted({row.order_number for row in store.allocations(tx, posting_ids)})
    if not held:
        return []
    order_store.lock(tx, held)
    numbers = store.drop_allocations(tx, posting_ids, now)
    shop = shop_store.load(tx)
    if shop is None:
        raise ShopUnknown(str(tx.shop_id))
    take_back(tx, posting_ids, now, undoes=undoes_refunds)
    settle(tx, numbers, cause="match undone", now=now)
    return numbers


def settle_days(tx: ShopTx, posting_ids: Sequence[str], now: datetime) -> None:
    """Settles the orders of postings whose booking day has changed: an order knows the day of its last payment."""
    numbers = sorted({row.order_number for row in store.allocations(tx, posting_ids)})
    if not numbers:
        return
    order_store.lock(tx, numbers)
    shop = shop_store.load(tx)
    if shop is None:
        raise ShopUnknown(str(tx.shop_id))
    settle(tx, numbers, cause="booking day changed", now=now)
