"""Events: the feed of a shop's changes of paymentStatus."""

from __future__ import annotations

from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import events as store
from paymatch.store.orders.events import EventRow


def after(tx: Tx, shop: Shop, seq: int, limit: int) -> list[EventRow]:
    """Up to `limit` events behind the one numbered `seq`, in order."""
    return store.after(tx, ShopId(shop.id), seq, limit)
