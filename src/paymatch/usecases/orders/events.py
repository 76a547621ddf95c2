"""Events: the feed of a shop's changes of paymentStatus."""

from __future__ import annotations

from paymatch.store.orders import events as store
from paymatch.store.orders.events import EventRow
from paymatch.store.transactions import ShopTx


def after(tx: ShopTx, seq: int, limit: int) -> list[EventRow]:
    """Up to `limit` events after the one numbered `seq`, in order."""
    return store.after(tx, seq, limit)
