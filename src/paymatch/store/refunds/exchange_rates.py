"""Orders whose exchange rate is far away from the last one of the same two currencies (D-85)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from paymatch.store.transactions import ShopTx


def mark(tx: ShopTx, before: Mapping[str, Decimal | None]) -> None:
    """Writes per order the rate that its own is far away from; None if it is usual, or if it has none."""
    tx.put(
        "UPDATE orders o SET rate_before = r.rate FROM unnest($2::text[], $3::numeric[]) r(number, rate)"
        " WHERE o.shop_id = $1 AND o.number = r.number AND o.rate_before IS DISTINCT FROM r.rate",
        tx.shop_id,
        list(before),
        list(before.values()),
    )


def unusual_of(tx: ShopTx, numbers: Sequence[str]) -> frozenset[str]:
    """Those of the orders whose rate is unusual."""
    rows = tx.rows(
        "SELECT number FROM orders WHERE shop_id = $1 AND number = ANY($2) AND rate_before IS NOT NULL",
        tx.shop_id,
        list(numbers),
    )
    return frozenset(row[0] for row in rows)
