"""The shop's events in their order: one per change of paymentStatus (D-1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class EventRow:
    """A change of an order's paymentStatus. `seq` counts the shop's events from 1 without gaps."""

    seq: int
    order_number: str
    from_status: str
    to_status: str
    cause: str
    at: datetime


def after(tx: ShopTx, seq: int, limit: int) -> list[EventRow]:
    """Up to `limit` events after `seq`, in order.

    A number becomes visible only after all lower ones: the shop's counter is locked until the commit that writes it.
    """
    rows = tx.rows(
        "SELECT seq, order_number, from_status, to_status, cause, at FROM events WHERE shop_id = $1 AND seq > $2"
        " ORDER BY seq LIMIT $3",
        tx.shop_id,
        seq,
        limit,
    )
    return [build(EventRow, row) for row in rows]
