"""Counts of tasks that wait for a person in a shop, in one statement; and the age of its statements."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from paymatch.domain.shops.shop import Shop, ShopUnknown
from paymatch.store.transactions import SHOP_COLUMNS, ShopTx, shop_of

_AS_OF: Final = """
SELECT b.account, b.currency, b.bank_name,
       (SELECT max(t.last_date) FROM statements t
        WHERE t.shop_id = $1 AND t.account = b.account AND t.currency = b.currency) AS last_date
FROM bank_accounts b WHERE b.shop_id = $1 AND b.confirmed ORDER BY b.created_at, b.account, b.currency LIMIT 5"""

_WAITING: Final = f"""
SELECT (SELECT count(*) FROM postings WHERE shop_id = $1 AND status IN ('suggested', 'unmatched')
        AND aside_reason = '') AS postings,
       (SELECT coalesce(sum(amount_minor), 0)::bigint FROM postings WHERE shop_id = $1 AND currency = s.currency
        AND status IN ('suggested', 'unmatched') AND aside_reason = '' AND amount_minor > 0) AS postings_minor,
       (SELECT count(*) FROM refunds WHERE shop_id = $1 AND status = 'NEW' AND held_reason = ANY($2)) AS refunds,
       (SELECT coalesce(sum(amount_minor), 0)::bigint FROM refunds WHERE shop_id = $1 AND currency = s.currency
        AND status = 'NEW' AND held_reason = ANY($2)) AS refunds_minor,
       (SELECT count(*) FROM callbacks WHERE shop_id = $1 AND status = 'PENDING' AND attempts > 0)
       + (SELECT count(*) FROM callbacks WHERE shop_id = $1 AND status = 'PAUSED') AS callbacks,
       (SELECT count(*) FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL) AS alerts,
       EXISTS (SELECT FROM api_keys WHERE shop_id = $1 AND last_used_at IS NOT NULL) AS key_used,
       EXISTS (SELECT FROM orders WHERE shop_id = $1) AS has_orders,
       EXISTS (SELECT FROM imports WHERE shop_id = $1) AS has_statements,
       EXISTS (SELECT FROM orders WHERE shop_id = $1 AND status = 'PAID') AS has_paid,
       NOT s.sandbox AND s.live_at IS NULL AND NOT s.payment_information AND NOT s.reminders AS in_setup,
       EXISTS (SELECT FROM provider_accounts WHERE shop_id = $1) AS has_payouts,
       (SELECT count(*) FROM payouts WHERE shop_id = $1 AND short_minor <> 0) AS payouts,
       (SELECT coalesce(json_agg(b), '[]') FROM ({_AS_OF}) b) AS accounts"""
_SHOP: Final = f"""
SELECT {SHOP_COLUMNS}, (SELECT row_to_json(w) FROM ({_WAITING}) w) AS waiting FROM shops s WHERE s.shop_id = $1"""


def shop_with_todo(tx: ShopTx, release_reasons: list[str]) -> tuple[Shop, dict[str, Any]]:
    """The shop, and its postings to decide, refunds to release, failing callbacks, and its setup progress.

    Sums in minor units of its currency. ShopUnknown if there is none.
    `accounts` are up to five of the shop's own, with the last day of a statement; None without any.
    """
    row = tx.row(_SHOP, tx.shop_id, release_reasons)
    if row is None:
        raise ShopUnknown(str(tx.shop_id))
    columns = row._asdict()
    waiting: dict[str, Any] = columns.pop("waiting")
    for account in waiting["accounts"]:
        account["last_date"] = date.fromisoformat(account["last_date"]) if account["last_date"] else None
    return shop_of(columns), waiting
