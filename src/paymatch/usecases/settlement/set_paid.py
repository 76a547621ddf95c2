"""Orders that are set paid without money are booked: from the debtor to the account that was chosen (D-98)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.domain.calendar import today_in
from paymatch.domain.orders.set_paid import set_paid_changes, set_paid_minor
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders.ledger import OrderBalance
from paymatch.store.reports import set_paid as store


def book_set_paid(tx: Tx, shop: Shop, orders: Sequence[OrderBalance], now: datetime) -> None:
    """Books what orders that were set paid owe, and takes it back where they are not so any more or were paid."""
    shop_id = ShopId(shop.id)
    for books in orders:
        wanted = set_paid_minor(books.ledger, books.mark)
        if wanted == books.set_paid_minor:
            continue
        booked, chosen = store.booked(tx, shop_id, books.number)
        for account, minor in set_paid_changes(wanted, booked, chosen).items():
            day = today_in(shop.timezone, now)
            store.add(tx, shop_id, books.number, day, account, minor, books.currency, "", now)
