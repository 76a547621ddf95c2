"""Files to delete: queued in the transaction that deletes their rows, deleted after it, then removed from the queue."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from paymatch.store.transactions import ShopTx

_QUEUE: Final = """
INSERT INTO leaving_files (shop_id, file_key, since)
SELECT $1, key, $3 FROM unnest($2::text[]) key ON CONFLICT DO NOTHING"""


def queue(tx: ShopTx, keys: Sequence[str], now: datetime) -> None:
    """Queues the files for deletion after the commit."""
    if keys:
        tx.run(_QUEUE, tx.shop_id, list(keys), now)


def waiting_files(tx: ShopTx, limit: int) -> list[str]:
    """Keys of files to be deleted."""
    statement = "SELECT file_key FROM leaving_files WHERE shop_id = $1 ORDER BY since, file_key LIMIT $2"
    rows = tx.rows(statement, tx.shop_id, limit)
    return [row[0] for row in rows]


def remove_files(tx: ShopTx, keys: Sequence[str]) -> None:
    """These files are gone."""
    tx.run("DELETE FROM leaving_files WHERE shop_id = $1 AND file_key = ANY($2)", tx.shop_id, list(keys))


_OLD_INVOICES: Final = """
DELETE FROM invoices i USING (
    SELECT x.order_number, x.invoice_number FROM invoices x WHERE x.shop_id = $1 AND x.created_at < $2
      AND NOT EXISTS (SELECT FROM orders o WHERE o.shop_id = $1 AND o.number = x.order_number
                      AND o.status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION'))
    ORDER BY x.created_at LIMIT $3) old
WHERE i.shop_id = $1 AND i.order_number = old.order_number AND i.invoice_number = old.invoice_number
RETURNING i.file_key"""


def forget_invoices(tx: ShopTx, before: datetime, limit: int, now: datetime) -> int:
    """Deletes invoices uploaded before a moment; those of orders that are open or in collection stay."""
    keys = [row[0] for row in tx.rows(_OLD_INVOICES, tx.shop_id, before, limit)]
    queue(tx, keys, now)
    return len(keys)
