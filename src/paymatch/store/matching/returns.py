"""Returned payments of orders in PostgreSQL: those that matching has decided, and orders that would owe twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.store.transactions import ShopTx

_AUTOMATIC: Final = """
SELECT DISTINCT p.id, p.booking_date FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind = 'return' AND a.amount_minor < 0
  AND p.status = 'matched' AND NOT p.by_hand AND p.id <> ALL($3)
  AND NOT EXISTS (SELECT FROM allocations b WHERE b.shop_id = $1 AND b.posting_id = p.id
                    AND b.order_number <> ALL($2))
ORDER BY p.booking_date, p.id"""

_BELOW_NOTHING: Final = """
SELECT a.order_number FROM allocations a
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind IN ('payment', 'return') AND a.posting_id <> ALL($3)
GROUP BY a.order_number HAVING sum(a.order_amount_minor) < 0"""


def automatic_returns(tx: ShopTx, numbers: Sequence[str], but: Sequence[str]) -> list[str]:
    """Ids of the returns that were matched automatically to these orders alone; without the postings `but`."""
    return [row[0] for row in tx.rows(_AUTOMATIC, tx.shop_id, list(numbers), list(but))]


def below_nothing(tx: ShopTx, numbers: Sequence[str], but: Sequence[str]) -> list[str]:
    """Those of the orders that have lost more than they received, if the postings `but` are left out."""
    return [row[0] for row in tx.rows(_BELOW_NOTHING, tx.shop_id, list(numbers), list(but))]
