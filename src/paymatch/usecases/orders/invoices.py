"""Invoice files of orders: which are known, and that their numbers find the order (API document, endpoint 8)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.matching import matching
from paymatch.store.orders import invoices as store
from paymatch.store.orders import orders as order_store
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.usecases.orders import order_keys


def add(tx: Tx, shop: Shop, invoice: InvoiceRow, clock: datetime) -> bool:
    """Stores the invoice, and postings that name its number find the order; False if another call has just stored it.

    LockNotAcquired if other work holds the order.
    """
    shop_id, now, number = ShopId(shop.id), shop.now(clock), invoice.order_number
    order_store.lock(tx, shop_id, [number])
    if not store.add(tx, shop_id, invoice, now):
        return False
    order_keys.save(tx, shop_id, matching.load_orders(tx, shop_id, [number]).values(), [number], now)
    return True
