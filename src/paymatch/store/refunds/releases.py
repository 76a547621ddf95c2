"""Which person has released which refund (D-37): this amount, to this account, in this attempt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.store.refunds.refunds import RefundRow
from paymatch.store.transactions import ShopTx


def add(tx: ShopTx, refund: RefundRow, released_by: str, now: datetime) -> None:
    """Records a release; one that the person has given before stays as it is."""
    tx.run(
        "INSERT INTO refund_releases (shop_id, refund_id, attempt, account_version, released_by, released_at)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        tx.shop_id,
        refund.id,
        refund.attempt,
        refund.account_version,
        released_by,
        now,
    )


def valid(tx: ShopTx, refund_ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """Refund -> who has released it as it stands; releases of an earlier attempt or account do not count."""
    rows = tx.rows(
        "SELECT r.id, array_agg(l.released_by) FROM refunds r JOIN refund_releases l ON l.shop_id = r.shop_id"
        " AND l.refund_id = r.id AND l.attempt = r.attempt AND l.account_version = r.account_version"
        " WHERE r.shop_id = $1 AND r.id = ANY($2) GROUP BY r.id",
        tx.shop_id,
        list(refund_ids),
    )
    return {row[0]: frozenset(row[1]) for row in rows}
