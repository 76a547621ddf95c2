"""Settling: the one place where an order's paymentStatus is written, with its event and callback (D-1)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from paymatch.domain.settlement import PaymentStatus, payment_status
from paymatch.domain.shops import Shop
from paymatch.store import ledger
from paymatch.store.database import ShopId, Tx


def settle(tx: Tx, shop: Shop, numbers: Iterable[str], *, cause: str, now: datetime) -> dict[str, PaymentStatus]:
    """Recomputes the orders from their books and writes what differs; the new status of those whose status changed.

    The caller holds the orders' locks and calls this last: the shop's event counter is locked until the commit.
    """
    shop_id = ShopId(shop.id)
    changes: list[ledger.Change] = []
    for books in ledger.load(tx, shop_id, sorted(set(numbers)), shop.tolerance_minor):
        status = payment_status(books.ledger, books.mark)
        moved = status is not books.status
        same_amounts = (
            books.ledger.paid_minor == books.written_paid_minor
            and books.ledger.refunded_minor == books.written_refunded_minor
            and books.last_posting_date == books.written_last_posting_date
        )
        if same_amounts and not moved:
            continue
        changes.append(
            ledger.Change(
                number=books.number,
                before=books.status,
                status=status,
                paid_minor=books.ledger.paid_minor,
                refunded_minor=books.ledger.refunded_minor,
                last_posting_date=books.last_posting_date,
                event_count=books.event_count + moved,
            )
        )
    ledger.write(tx, shop_id, changes, cause=cause, sends_callbacks=shop.sends_callbacks, now=now)
    return {change.number: change.status for change in changes if change.status is not change.before}
