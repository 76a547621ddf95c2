"""Credit that was kept of a payment which is no longer its order's: it goes back to the order (D-87)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.domain.calendar import today_in
from paymatch.domain.customers.credits import AdjustmentKind, to_return
from paymatch.store.customers import credits as store
from paymatch.store.customers.credits import AdjustmentRow
from paymatch.store.ids import new_id
from paymatch.store.orders.ledger import OrderBalance
from paymatch.store.transactions import ShopTx


def return_kept_credit(tx: ShopTx, lost: Sequence[OrderBalance], now: datetime) -> bool:
    """Returns kept credit to orders that have lost a payment, as far as they lack it; whether any went back.

    What of it pays another order by now stays there: its customer owes it with this order. The caller holds the locks.
    """
    found = False
    kept = store.kept_of(tx, [books.number for books in lost]) if lost else {}
    for books in lost:
        if books.number not in kept:
            continue
        customer, currency, minor = kept[books.number]
        store.lock_customer(tx, customer)
        left = store.balance(tx, customer, currency)
        back = to_return(books.ledger.due_minor, books.ledger.net_minor, minor, left)
        if back:
            day = today_in(tx.shop.timezone, now)
            row = AdjustmentRow(
                new_id("adj", now), books.number, customer, currency, AdjustmentKind.RETURNED, back, day, now,
                tx.actor.name,
            )  # fmt: skip
            store.add(tx, row)
            found = True
    return found
