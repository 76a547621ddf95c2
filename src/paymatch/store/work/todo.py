"""What waits for a person in a shop, counted in one statement; and of when its statements are."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from paymatch.store.database import ShopId, Tx

_AS_OF: Final = """
SELECT b.account, b.currency, b.bank_name,
       (SELECT max(s.last_date) FROM statements s
        WHERE s.shop_id = $1 AND s.account = b.account AND s.currency = b.currency) AS last_date
FROM bank_accounts b WHERE b.shop_id = $1 AND b.confirmed ORDER BY b.created_at, b.account, b.currency LIMIT 5"""

_TODO: Final = f"""
SELECT (SELECT count(*) FROM postings WHERE shop_id = $1 AND status IN ('suggested', 'unmatched')
        AND aside_reason = '') AS postings,
       (SELECT coalesce(sum(amount_minor), 0)::bigint FROM postings WHERE shop_id = $1 AND currency = $2
        AND status IN ('suggested', 'unmatched') AND aside_reason = '' AND amount_minor > 0) AS postings_minor,
       (SELECT count(*) FROM refunds WHERE shop_id = $1 AND status = 'NEW' AND held_reason = ANY($3)) AS refunds,
       (SELECT coalesce(sum(amount_minor), 0)::bigint FROM refunds WHERE shop_id = $1 AND currency = $2
        AND status = 'NEW' AND held_reason = ANY($3)) AS refunds_minor,
       (SELECT count(*) FROM callbacks WHERE shop_id = $1 AND status = 'PENDING' AND attempts > 0)
       + (SELECT count(*) FROM callbacks WHERE shop_id = $1 AND status = 'PAUSED') AS callbacks,
       (SELECT count(*) FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL) AS alerts,
       EXISTS (SELECT FROM api_keys WHERE shop_id = $1 AND last_used_at IS NOT NULL) AS key_used,
       EXISTS (SELECT FROM orders WHERE shop_id = $1) AS has_orders,
       EXISTS (SELECT FROM imports WHERE shop_id = $1) AS has_statements,
       EXISTS (SELECT FROM orders WHERE shop_id = $1 AND status = 'PAID') AS has_paid,
       (SELECT coalesce(json_agg(b), '[]') FROM ({_AS_OF}) b) AS accounts"""


def todo(tx: Tx, shop: ShopId, currency: str, release_reasons: list[str]) -> dict[str, Any]:
    """Postings to decide, refunds to release, callbacks that fail, and how far a new shop has come; minor units.

    `accounts` are up to five of the shop's own, with the last day that a statement tells of; None without any.
    """
    [row] = tx.named(_TODO, shop, currency, release_reasons)
    for account in row["accounts"]:
        account["last_date"] = date.fromisoformat(account["last_date"]) if account["last_date"] else None
    return row
