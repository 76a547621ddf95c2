"""Alerts: what a person should look at, one open row per kind and subject."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from paymatch.store.database import ShopId, Tx
from paymatch.store.ids import new_id


def add(tx: Tx, shop: ShopId, kind: str, subject: str, text: str, now: datetime) -> bool:
    """Raises an alert unless there is an open one of this kind about this subject; whether it is new."""
    return bool(
        tx.run(
            "INSERT INTO alerts (shop_id, id, kind, subject, text, created_at) VALUES ($1, $2, $3, $4, $5, $6)"
            " ON CONFLICT (shop_id, kind, subject) WHERE resolved_at IS NULL DO NOTHING",
            shop,
            new_id("al", now),
            kind,
            subject,
            text,
            now,
        )
    )


def subjects(tx: Tx, shop: ShopId, kind: str) -> set[str]:
    """What alerts of this kind have ever been raised about, resolved ones included."""
    return {row[0] for row in tx.rows("SELECT subject FROM alerts WHERE shop_id = $1 AND kind = $2", shop, kind)}


def resolve_others(tx: Tx, shop: ShopId, kind: str, still_open: Collection[str], now: datetime) -> None:
    """Resolves the open alerts of this kind whose subject is not among `still_open`."""
    tx.run(
        "UPDATE alerts SET resolved_at = $4 WHERE shop_id = $1 AND kind = $2 AND resolved_at IS NULL"
        " AND NOT subject = ANY($3)",
        shop,
        kind,
        list(still_open),
        now,
    )
