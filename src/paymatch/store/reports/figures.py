"""Sums of periods: fees, payments by day and by evidence, days until paid, effect of reminders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from paymatch.store.connection import Row
from paymatch.store.transactions import ShopTx

_FEES: Final = """
SELECT p.counterparty_name AS payer, a.fee_kind AS kind, p.currency, count(DISTINCT p.id) AS postings,
       count(*) AS orders, sum(a.amount_minor + a.withheld_minor)::bigint AS credited_minor,
       sum(a.withheld_minor)::bigint AS fee_minor
FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
WHERE a.shop_id = $1 AND a.withheld_minor <> 0 AND p.booking_date BETWEEN $2 AND $3
GROUP BY 1, 2, 3 ORDER BY fee_minor DESC, payer, kind"""


def fees(tx: ShopTx, first: date, last: date) -> Sequence[Row]:
    """Each payer's fees of one kind and currency, the largest first; minor units."""
    return tx.rows(_FEES, tx.shop_id, first, last)


_IS_RECEIVED: Final = """p.shop_id = $1 AND p.booking_date BETWEEN $2 AND $3 AND p.amount_minor > 0
    AND NOT p.is_return AND p.status <> 'ignored' AND p.aside_reason = ''"""
# Few payments are not for orders: all are summed from an index, then those are subtracted.
_PAYMENTS: Final = f"""
SELECT booking_date, currency, sum(postings)::bigint AS postings, sum(amount_minor)::bigint AS amount_minor,
       sum(matched_minor)::bigint AS matched_minor
FROM (
    SELECT p.booking_date, p.currency, count(*) AS postings, sum(p.amount_minor) AS amount_minor,
           sum(p.allocated_minor) AS matched_minor
    FROM postings p WHERE {_IS_RECEIVED} GROUP BY 1, 2
    UNION ALL
    SELECT p.booking_date, p.currency, -count(*) FILTER (WHERE p.amount_minor = e.minor), -sum(e.minor),
           -sum(CASE WHEN p.amount_minor = e.minor THEN p.allocated_minor ELSE e.minor END)
    FROM (SELECT a.posting_id, sum(a.amount_minor) AS minor FROM allocations a
          WHERE a.shop_id = $1 AND a.kind NOT IN ('payment', 'return') GROUP BY 1) e
    JOIN postings p ON p.id = e.posting_id WHERE {_IS_RECEIVED} GROUP BY 1, 2) parts
GROUP BY 1, 2 HAVING sum(postings) > 0 ORDER BY 1, 2"""


def payments(tx: ShopTx, first: date, last: date) -> Sequence[Row]:
    """Per day and currency: customers' payments, and the part matched to orders.

    Without postings set aside, such as transfers between own accounts, and without returned refunds.
    """
    return tx.rows(_PAYMENTS, tx.shop_id, first, last)


_MATCHED: Final = """
SELECT CASE WHEN status = 'matched' AND by_hand THEN 'person' WHEN status = 'matched' THEN 'automatic'
            ELSE 'open' END AS way,
       matched_by, count(*) AS postings, count(*) FILTER (WHERE taken_back <> '{}') AS undone
FROM postings WHERE shop_id = $1 AND booking_date BETWEEN $2 AND $3 AND amount_minor > 0 AND NOT is_return
  AND status <> 'ignored' AND aside_reason = ''
GROUP BY 1, 2"""


def matches_by_way(tx: ShopTx, first: date, last: date) -> Sequence[Row]:
    """Payments by how they were matched and by their evidence."""
    return tx.rows(_MATCHED, tx.shop_id, first, last)


_PAID: Final = """
SELECT date_trunc('month', last_posting_date::timestamp)::date AS month, count(*) AS orders,
       avg(last_posting_date - order_date)::numeric AS mean,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY last_posting_date - order_date)::numeric AS median
FROM orders WHERE shop_id = $1 AND status = 'PAID' AND last_posting_date BETWEEN $2 AND $3 GROUP BY 1"""


def days_until_paid(tx: ShopTx, first: date, last: date) -> dict[date, Row]:
    """Month of the last payment -> orders paid, mean and median of the days since they were ordered."""
    return {row.month: row for row in tx.rows(_PAID, tx.shop_id, first, last)}


_MEAN_PAID: Final = """
SELECT count(*) AS orders, avg(last_posting_date - order_date)::numeric AS mean
FROM orders WHERE shop_id = $1 AND status = 'PAID' AND last_posting_date BETWEEN $2 AND $3"""


def mean_days_until_paid(tx: ShopTx, first: date, last: date) -> tuple[int, Decimal | None]:
    """(orders that were paid in these days, mean of the days since they were ordered; None without any)."""
    (row,) = tx.rows(_MEAN_PAID, tx.shop_id, first, last)
    return row.orders, row.mean


_REMINDERS: Final = """
SELECT r.dunning_level, count(*) AS sent,
       count(*) FILTER (WHERE o.status = 'PAID' AND o.last_posting_date - r.sent_date BETWEEN 0 AND 7) AS paid7,
       count(*) FILTER (WHERE o.status = 'PAID' AND o.last_posting_date - r.sent_date BETWEEN 0 AND 14) AS paid14,
       count(*) FILTER (WHERE o.status = 'PAID' AND o.last_posting_date - r.sent_date BETWEEN 0 AND 30) AS paid30,
       count(*) FILTER (WHERE o.status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION')) AS open
FROM reminders r JOIN orders o ON o.shop_id = $1 AND o.number = r.order_number
WHERE r.shop_id = $1 AND r.sent_date BETWEEN $2 AND $3 GROUP BY 1 ORDER BY 1"""


def reminders(tx: ShopTx, first: date, last: date) -> Sequence[Row]:
    """Per dunning level: reminders sent, and how many of their orders were paid how soon after."""
    return tx.rows(_REMINDERS, tx.shop_id, first, last)
