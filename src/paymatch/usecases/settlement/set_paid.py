"""Orders that are set paid without money are booked: from the debtor to the account that was chosen (D-98)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.domain.calendar import today_in
from paymatch.domain.orders.settlement import set_paid_changes, set_paid_minor
from paymatch.store.orders.ledger import OrderBalance
from paymatch.store.reports import set_paid as store
from paymatch.store.transactions import ShopTx


def book_set_paid(tx: ShopTx, orders: Sequence[OrderBalance], now: datetime) -> None:
    """Books what orders that were set paid owe, and takes it back where they are not so any more or were paid."""
    for books in orders:
        wanted = set_paid_minor(books.ledger, books.mark)
        if wanted == books.set_paid_minor:
            continue
        booked, chosen = store.booked(tx, books.number)
        for account, minor in set_paid_changes(wanted, booked, chosen).items():
            day = today_in(tx.shop.timezone, now)
            store.add(tx, books.number, day, account, minor, books.currency, "", now)
