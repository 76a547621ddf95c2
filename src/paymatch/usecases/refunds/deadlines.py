"""Refunds that have to leave soon: the law gives a shop 14 days once an order was withdrawn (D-112)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.words.message import Message, Sum
from paymatch.store.refunds.unsent import filed_before
from paymatch.store.shops import shops
from paymatch.store.transactions import ShopTx

DAYS_AHEAD: Final = 4
"""How long before its last day a refund raises an alert: a weekend, and a bank day on each side."""


def deadline_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per refund that is not with the bank yet and has to be soon."""
    days = shops.refund_deadline(tx)
    for row in filed_before(tx, tx.now - timedelta(days=days - DAYS_AHEAD)):
        last = tx.shop.day_of(row.created_at) + timedelta(days=days)
        said = Message(
            "alert-refund-deadline", refund=row.external_reference, order=row.order_number, day=last,
            amount=Sum(row.amount_minor, row.currency),
        )  # fmt: skip
        yield Alert(AlertKind.REFUND_DEADLINE, f"{row.id} {last}", said)
