"""Speeds of single refunds, in PostgreSQL (D-131)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.refunds.transfers import TransferSpeed
from paymatch.store.transactions import ShopTx


def set_speed(tx: ShopTx, refund_id: str, speed: str, now: datetime) -> None:
    """Writes the refund's speed; "" is the shop's setting."""
    tx.run(
        "UPDATE refunds SET speed = $3, updated_at = $4 WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        refund_id,
        speed,
        now,
    )


def follow_instant(tx: ShopTx, refund_id: str, status: str, now: datetime) -> None:
    """Makes the new attempt a normal transfer, which no longer waits just because of its number."""
    tx.run(
        "UPDATE refunds SET speed = $3, follows_instant = true, status = $4, updated_at = $5, held_reason = ''"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        refund_id,
        TransferSpeed.NORMAL,
        status,
        now,
    )
