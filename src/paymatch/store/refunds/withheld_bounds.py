"""Amounts withheld from payments without a person's decision, against the bound of their source (D-84)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

from paymatch.domain.matching.catalogue import ADVICE
from paymatch.domain.matching.several.payouts import MANY_CUSTOMERS
from paymatch.domain.orders.fees import (
    COMMISSION_PERCENT,
    MOST_PERCENT,
    PARCEL_PERCENT,
    PARCEL_UNITS,
    PAYOUT_FEES,
    TARIFF_SLACK,
    USUAL_CHARGES,
    USUAL_PERCENT,
    USUAL_UNITS,
)
from paymatch.store.transactions import ShopTx

CHARGES: Final = "unconfirmed charges are within the limits of bank charges or the shop's fee tolerance"
DISCOUNT: Final = "unconfirmed cash discount is within what the shop grants"
PAYOUT: Final = "what a payer kept without a person is within what it has kept of other payouts"

_SETTINGS: Final = (
    "bank_charge_basis_points",
    "bank_charge_limit_minor",
    "fee_tolerance_minor",
    "discount_basis_points",
)

_WITHHELD: Final = """
WITH withheld AS (
    SELECT a.posting_id, min(a.created_at) AS made, min(a.fee_kind) AS kind, count(*) AS orders,
           sum(a.withheld_minor)::bigint AS kept,
           sum(a.amount_minor + a.withheld_minor)::bigint AS gross, min(p.currency) AS currency,
           sum(CASE WHEN o.currency = p.currency THEN o.amount_minor ELSE a.amount_minor + a.withheld_minor END)::bigint
           AS totals
    FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
    JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number JOIN shops s ON s.shop_id = $1
    WHERE a.shop_id = $1 AND a.kind = 'payment' AND a.withheld_minor > 0 AND NOT a.by_hand
      AND a.created_at > s.fees_bounded_since AND ($2::timestamptz IS NULL OR a.created_at > $2)
      AND NOT (a.fee_kind = 'CASH_DISCOUNT' AND o.invoice_terms <> '' AND EXISTS (
          SELECT FROM json_array_elements(o.invoice_terms::json->'discounts') d
          WHERE abs(a.withheld_minor * 10000 - (d->>'base_minor')::bigint * (d->>'basis_points')::bigint) <= 5000))
      AND coalesce(p.facts::json->>'charges_by', 'bank') <> 'provider'
    GROUP BY a.posting_id)
"""
_CHARGES: Final = (
    _WITHHELD
    + """
SELECT posting_id, kept, gross, currency FROM withheld WHERE kind = 'BANK_CHARGE' AND kept > $5 * orders
  AND NOT (kept <= $4 AND kept * 10000 <= gross * $3)"""
)
_DISCOUNT: Final = (
    _WITHHELD
    + """
SELECT posting_id, kept, gross, currency FROM withheld WHERE kind = 'CASH_DISCOUNT'
  AND (kept - orders) * 10000 >= greatest(totals, gross) * $3"""
)
_PAYOUT: Final = (
    _WITHHELD
    + f"""
SELECT w.posting_id, w.kept, w.gross, w.currency FROM withheld w
JOIN postings p ON p.shop_id = $1 AND p.id = w.posting_id
CROSS JOIN LATERAL (
    SELECT bool_or(x.by_hand OR k.orders >= {MANY_CUSTOMERS}) AS confirmed, max(k.kept::numeric / k.gross) AS share,
           max(k.kept::numeric / k.orders) AS each, max(k.kept) AS most,
           bool_or(k.orders = 1 AND k.kept > 0 AND k.made <= w.made) AS single
    FROM postings x, LATERAL (
        SELECT sum(a.withheld_minor) AS kept, sum(a.amount_minor + a.withheld_minor) AS gross, count(*) AS orders,
               min(a.created_at) AS made
        FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = x.id AND a.kind = 'payment') k
    WHERE x.shop_id = $1 AND x.counterparty_iban = p.counterparty_iban AND x.id <> p.id AND x.collective
      AND x.status = 'matched' AND k.gross > 0) other
CROSS JOIN LATERAL (SELECT least(w.gross / 2.0, CASE
    WHEN w.kind = 'COMMISSION' THEN w.gross * {COMMISSION_PERCENT} / 100.0
    WHEN w.kind = 'DELIVERY_FEE' AND w.orders = 1
    THEN w.gross * {PARCEL_PERCENT} / 100.0 + {PARCEL_UNITS} * 10 ^ p.digits
    ELSE w.gross * {USUAL_PERCENT} / 100.0 + ({USUAL_UNITS} + w.orders / 2.0) * 10 ^ p.digits END) AS most) usual
WHERE w.kind = ANY($3) AND w.kept <> coalesce((p.facts::json->>'charges_minor')::bigint, 0)
  AND NOT (w.kept <= usual.most AND (w.orders >= {MANY_CUSTOMERS} OR p.matched_by = '{ADVICE.code}'
           OR (w.orders = 1 AND coalesce(other.confirmed AND NOT other.single, false))))
  AND (NOT coalesce(other.confirmed, false) OR w.kept * 100 > w.gross * {MOST_PERCENT}
       OR (w.kept > other.share * {TARIFF_SLACK} * w.gross AND w.kept > other.each * w.orders + 1 + w.orders
           AND w.kept > other.most + 1))"""
)


def beyond_bounds(tx: ShopTx, since: datetime | None) -> list[tuple[str, str, int, int, str]]:
    """(rule, posting, withheld amount, credited amount, currency) of payments beyond their bound.

    `since`: only allocations made later. The limits are the highest that the shop has had, so that a limit lowered
    today makes no finding of what was right before.
    """
    most = _highest_settings(tx)
    basis, limit, borne, discount = (most[name] for name in _SETTINGS)
    rows = [(CHARGES, *row) for row in tx.rows(_CHARGES, tx.shop_id, since, basis, limit, borne)]
    rows += [(DISCOUNT, *row) for row in tx.rows(_DISCOUNT, tx.shop_id, since, discount)]
    return rows + [(PAYOUT, *row) for row in tx.rows(_PAYOUT, tx.shop_id, since, sorted(PAYOUT_FEES))]


def _highest_settings(tx: ShopTx) -> Mapping[str, int]:
    """The present limits, or the highest ones in the audit log."""
    (row,) = tx.rows(f"SELECT {', '.join(_SETTINGS)} FROM shops WHERE shop_id = $1", tx.shop_id)
    found = dict(zip(_SETTINGS, row, strict=True))
    found["bank_charge_basis_points"] = max(found["bank_charge_basis_points"], USUAL_CHARGES.basis_points)
    found["bank_charge_limit_minor"] = max(found["bank_charge_limit_minor"], USUAL_CHARGES.most_minor)
    for texts in tx.rows(
        "SELECT before, after FROM audit_log WHERE shop_id = $1 AND deed = 'settings-changed'", tx.shop_id
    ):
        for text in texts:
            _raise_to(found, text)
    return found


def _raise_to(found: dict[str, int], text: str) -> None:
    values = msgspec.json.decode(text) if text else {}
    for name in _SETTINGS:
        value = values.get(name)
        if isinstance(value, int):
            found[name] = max(found[name], value)
