"""Refunds without a transfer in progress."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class UnsentRefund:
    """A refund without a transfer in progress; the amount in the order's currency."""

    id: str
    order_number: str
    external_reference: str
    amount_minor: int
    currency: str
    created_at: datetime


def filed_before(tx: ShopTx, moment: datetime) -> list[UnsentRefund]:
    """Earlier refunds without a transfer in progress, oldest first."""
    rows = tx.rows(
        "SELECT id, order_number, external_reference, order_amount_minor AS amount_minor, currency, created_at"
        " FROM refunds WHERE shop_id = $1 AND status IN ('NEW', 'BANKDETAILS_MISSING', 'ERROR', 'RETURNED')"
        " AND created_at < $2 ORDER BY filed",
        tx.shop_id,
        moment,
    )
    return [build(UnsentRefund, row) for row in rows]
