"""Money that waits for a person and may pay an order whose reminder is due (D-134)."""

from __future__ import annotations

from typing import Final

WAITING_MONEY: Final = """
waiting AS MATERIALIZED (
    SELECT p.id, p.currency, p.amount_minor, p.booking_date, p.collective FROM postings p
    WHERE $3 AND p.shop_id = $1 AND p.status IN ('suggested', 'unmatched') AND p.amount_minor > 0),
amounts AS MATERIALIZED (
    SELECT w.currency, w.amount_minor, max(w.booking_date) AS last_day, min(w.id) AS id FROM waiting w GROUP BY 1, 2),
surplus AS (
    SELECT q.number, q.currency, q.doc, q.postings_minor - q.refunded_minor - q.amount_minor AS minor FROM orders q
    WHERE $3 AND q.shop_id = $1 AND q.mark IS NULL AND q.amount_minor >= 0 AND (q.postings_minor - q.refunded_minor)
        > CASE WHEN q.mark = 'CANCELLED' THEN 0 ELSE GREATEST(q.amount_minor, 0) END  -- as the index has it
    UNION ALL
    SELECT q.number, q.currency, q.doc, w.amount_minor - q.open_minor
    FROM waiting w JOIN suggested_orders s ON s.shop_id = $1 AND s.posting_id = w.id
         CROSS JOIN LATERAL (  -- by number, whatever the planner believes: OFFSET 0 keeps it from reading all orders
             SELECT o.number, o.currency, o.doc, o.amount_minor - o.postings_minor + o.refunded_minor AS open_minor
             FROM orders o WHERE o.shop_id = $1 AND o.number = s.order_number OFFSET 0) q
    WHERE q.currency = w.currency AND w.amount_minor > q.open_minor),
overpaid AS MATERIALIZED (
    SELECT coalesce(nullif(y.doc->>'customerNumber', ''), nullif(lower(y.doc->>'customerEmail'), '')) AS customer,
           coalesce(lower(y.doc->>'customerEmail'), '') AS email,
           lower(concat_ws(' ', y.doc->'billing'->>'firstName', y.doc->'billing'->>'lastName')) AS name, q.currency,
           sum(q.minor) AS minor, min(q.number) AS number
    FROM surplus q CROSS JOIN LATERAL (SELECT q.doc::json AS doc) y
    GROUP BY 1, 2, 3, 4)
"""
"""Parts of a statement that asks for a shop, $1, and whether it wants this at all, $3: `waiting` are waiting payments,
`amounts` the latest of each amount, `overpaid` what customers have paid too much, with what a payment that waits is too
much for the order it suggests."""
