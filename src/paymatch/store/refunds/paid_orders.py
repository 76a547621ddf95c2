"""The orders that an account has paid, for deciding whether it is one customer's account (D-37)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from paymatch.domain.refunds.shared_accounts import PaidOrder
from paymatch.store.sealing import POSTING_PARTY, REFUND_PAYEE
from paymatch.store.transactions import ShopTx

_LATEST: Final = 100
"""Payments of an account that are looked at, the latest first."""

_NAMES: Final = ", ".join(
    f"concat_ws(' ', o.doc::json#>>'{{{address},firstName}}', o.doc::json#>>'{{{address},lastName}}'),"
    f" coalesce(o.doc::json#>>'{{{address},company}}', '')"
    for address in ("billing", "shipping")
)
_PAID: Final = f"""
SELECT w.iban, o.number, f.holder, ARRAY[{_NAMES}] AS names
FROM unnest($2::text[]) w(iban), LATERAL (
    SELECT a.order_number, p.counterparty_name AS holder
    FROM postings p JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
    WHERE p.shop_id = $1 AND p.counterparty_iban = w.iban AND p.counterparty_iban <> ''
      AND a.kind = 'payment' AND a.amount_minor > 0
    ORDER BY p.booking_date DESC, p.id DESC LIMIT $3) f
JOIN orders o ON o.shop_id = $1 AND o.number = f.order_number
UNION
SELECT w.iban, o.number, p.counterparty_name, ARRAY[{_NAMES}]
FROM unnest($4::text[]) n(number)
JOIN orders o ON o.shop_id = $1 AND o.number = n.number
JOIN allocations a ON a.shop_id = $1 AND a.order_number = o.number AND a.kind = 'payment' AND a.amount_minor > 0
JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
JOIN unnest($2::text[]) w(iban) ON w.iban = p.counterparty_iban"""

_CONFIRMED: Final = """
SELECT DISTINCT r.order_number, r.iban FROM refunds r
WHERE r.shop_id = $1 AND r.order_number = ANY($2) AND r.status IN ('IN_PROCESS', 'PROCESSED') AND r.iban <> ''
  AND (r.iban_given OR EXISTS (
      SELECT FROM refund_releases l WHERE l.shop_id = $1 AND l.refund_id = r.id AND l.attempt = r.attempt
        AND l.account_version = r.account_version))"""


def paid_orders(tx: ShopTx, numbers: Collection[str], accounts: Collection[str]) -> dict[str, list[PaidOrder]]:
    """Account -> the orders of its latest payments, and those of these orders that it has paid."""
    vault = tx.vault()
    stored = {text: account for account in accounts for text in vault.lookups(POSTING_PARTY, account)}
    rows = tx.rows(_PAID, tx.shop_id, sorted(stored), _LATEST, sorted(numbers)) if stored else []
    confirmed = _confirmed(tx, {row.number for row in rows})
    found: dict[str, list[PaidOrder]] = {}
    for row in rows:
        account = stored[row.iban]
        names = tuple(dict.fromkeys(name for name in row.names if name))
        found.setdefault(account, []).append(
            PaidOrder(row.number, row.holder, names, (row.number, account) in confirmed)
        )
    return found


def _confirmed(tx: ShopTx, numbers: Collection[str]) -> frozenset[tuple[str, str]]:
    """(order, account) of refunds that were sent to an account which a person or the customer has confirmed."""
    vault = tx.vault()
    rows = tx.rows(_CONFIRMED, tx.shop_id, sorted(numbers)) if numbers else []
    return frozenset((number, vault.open(REFUND_PAYEE, iban)) for number, iban in rows)
