"""The postings on a provider's account that a payout is made of."""

from __future__ import annotations

from typing import Final

from paymatch.store.payouts.payouts import PayoutRow
from paymatch.store.transactions import ShopTx

_IDS: Final = """
SELECT p.id FROM postings p
WHERE p.shop_id = $1 AND p.account = $2 AND p.currency = $3 AND p.entry_reference <> ''
  AND (p.entry_reference = $5 OR p.entry_reference IN (
    SELECT l.event FROM settlement_lines l WHERE l.shop_id = $1 AND l.account = $2 AND l.currency = $3
      AND l.paid_by <> '' AND l.paid_by = $4))
ORDER BY p.booking_date, p.id LIMIT $6"""


def ids_of_payout(tx: ShopTx, row: PayoutRow, event: str, limit: int) -> list[str]:
    """The postings of the payout's rows and of its own movement, the `event`, by day."""
    rows = tx.rows(_IDS, tx.shop_id, row.account, row.currency, row.payout_id, event, limit)
    return [each[0] for each in rows]
