"""Whole tables for exports, streamed by date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from paymatch.domain.reports.ledger import SaleRow
from paymatch.store.connection import Row
from paymatch.store.orders.orders import customer_of
from paymatch.store.transactions import ShopTx

_ORDERS: Final = """
SELECT number, order_date, due_date, type, status, currency, amount_minor, postings_minor, refunded_minor,
       CASE WHEN status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION')
            THEN greatest(amount_minor - postings_minor + refunded_minor, 0) ELSE 0 END AS open_minor,
       last_posting_date, dunning_level, doc
FROM orders WHERE shop_id = $1 AND order_date BETWEEN $2 AND $3 AND ($4::text[] = '{}' OR status = ANY($4))
ORDER BY order_date, number"""


def orders(tx: ShopTx, first: date, last: date, statuses: Sequence[str]) -> Iterator[Row]:
    """Orders of these days and statuses, all statuses if none is named."""
    return tx.stream(_ORDERS, tx.shop_id, first, last, list(statuses))


_ALLOCATIONS: Final = """
SELECT a.posting_id, p.booking_date, a.order_number, a.kind, a.amount_minor, a.withheld_minor, a.fee_kind, p.currency,
       p.counterparty_name, a.by_hand, a.created_at
FROM postings p JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
WHERE p.shop_id = $1 AND p.booking_date BETWEEN $2 AND $3 AND (NOT $4 OR a.withheld_minor <> 0)
ORDER BY p.booking_date, a.posting_id, a.order_number"""


def allocations(tx: ShopTx, first: date, last: date, *, only_fees: bool = False) -> Iterator[Row]:
    """Allocations of postings booked on these days; only those with a withheld amount if `only_fees`."""
    return tx.stream(_ALLOCATIONS, tx.shop_id, first, last, only_fees)


_REFUNDS: Final = """
SELECT id, external_reference, order_number, planned_date, execution_date, status, amount_minor, currency, posting_id
FROM refunds WHERE shop_id = $1 AND planned_date BETWEEN $2 AND $3 AND ($4::text[] = '{}' OR status = ANY($4))
ORDER BY planned_date, id"""


def refunds(tx: ShopTx, first: date, last: date, statuses: Sequence[str]) -> Iterator[Row]:
    """Refunds planned for these days, of these statuses if some are named."""
    return tx.stream(_REFUNDS, tx.shop_id, first, last, list(statuses))


_AMOUNT: Final = "CASE WHEN {row}.status = ANY('{{CANCELLED,DISAPPEARED}}') THEN 0 ELSE {row}.amount_minor END"
_FIRST_PAST: Final = """SELECT y.status, y.amount_minor, y.currency, y.order_date, y.since_date FROM order_past y
    WHERE y.shop_id = $1 AND y.order_number = o.number ORDER BY y.until_date LIMIT 1"""
_PLACED: Final = f"""
SELECT o.number, f.order_date AS day, 0 AS step, f.currency, {_AMOUNT.format(row="f")} AS minor, o.doc
FROM orders o LEFT JOIN LATERAL ({_FIRST_PAST}) y ON true
CROSS JOIN LATERAL (SELECT coalesce(y.status, o.status) AS status, coalesce(y.amount_minor, o.amount_minor) AS
    amount_minor, coalesce(y.currency, o.currency) AS currency, coalesce(y.order_date, o.order_date) AS order_date) f
WHERE o.shop_id = $1 AND f.order_date BETWEEN $2 AND $3"""
_NEXT: Final = """SELECT n.status, n.amount_minor, n.currency FROM order_past n
    WHERE n.shop_id = $1 AND n.order_number = y.order_number AND n.until_date > y.until_date
    ORDER BY n.until_date LIMIT 1"""
_CHANGED: Final = f"""
SELECT o.number, y.until_date AS day, 1 AS step, c.currency, c.minor, o.doc
FROM order_past y JOIN orders o ON o.shop_id = $1 AND o.number = y.order_number
LEFT JOIN LATERAL ({_NEXT}) n ON true
CROSS JOIN LATERAL (SELECT coalesce(n.status, o.status) AS status,
    coalesce(n.amount_minor, o.amount_minor) AS amount_minor, coalesce(n.currency, o.currency) AS currency) f
CROSS JOIN LATERAL (
    SELECT f.currency, {_AMOUNT.format(row="f")} - {_AMOUNT.format(row="y")} AS minor WHERE f.currency = y.currency
    UNION ALL SELECT y.currency, -{_AMOUNT.format(row="y")} WHERE f.currency <> y.currency
    UNION ALL SELECT f.currency, {_AMOUNT.format(row="f")} WHERE f.currency <> y.currency) c
WHERE y.shop_id = $1 AND y.until_date BETWEEN $2 AND $3"""
_SALES: Final = f"""
SELECT number, day, currency, minor, doc FROM ({_PLACED} UNION ALL {_CHANGED}) s
WHERE minor <> 0 ORDER BY day, number, step, minor"""


_LATE: Final = """
SELECT s.number, s.day, s.currency, s.minor, s.doc
FROM booked_periods b, LATERAL ({placed}) s
WHERE b.shop_id = $1 AND s.minor <> 0 AND s.known_since >= b.booked_date ORDER BY s.day, s.number""".format(
    placed=_PLACED.replace("$2", "b.first_date")
    .replace("$3", "b.last_date")
    .replace("o.doc\n", "o.doc, coalesce(y.since_date, o.since_date) AS known_since\n", 1)
)
"""Orders that were submitted after their day had become final."""


def late_sales(tx: ShopTx) -> list[SaleRow]:
    """Amounts of orders that were submitted after their order date had become final."""
    return [
        SaleRow(row.number, row.day, row.minor, row.currency, customer_of(row.doc))
        for row in tx.rows(_LATE, tx.shop_id)
    ]


_BESIDE_POSTINGS: Final = f"""
SELECT 'sale' AS kind, number, currency, minor FROM ({_PLACED} UNION ALL {_CHANGED}) s
UNION ALL SELECT 'set paid', order_number, currency, amount_minor FROM set_paid_amounts
WHERE shop_id = $1 AND day BETWEEN $2 AND $3
UNION ALL SELECT 'adjustment', order_number, currency, minor FROM adjustments
WHERE shop_id = $1 AND day BETWEEN $2 AND $3"""


def beside_postings(tx: ShopTx, first: date, last: date) -> Iterator[Row]:
    """Bookings of orders on these days besides postings: (kind, order, currency, minor units), in no order."""
    return tx.stream(_BESIDE_POSTINGS, tx.shop_id, first, last)


_BY_MONTH: Final = """
SELECT date_trunc('month', CASE WHEN coalesce(s.submitted_at > c.closed_at, s.known_since >= c.closed_date)
                                THEN s.known_since ELSE s.day END::timestamp)::date AS month,
       sum(s.minor)::bigint AS amount_minor
FROM ({placed} UNION ALL {changed}) s
LEFT JOIN closed_months c ON c.shop_id = $1 AND c.month = date_trunc('month', s.day::timestamp)::date
WHERE s.currency = $4 GROUP BY 1""".format(
    placed=_PLACED.replace("o.doc\n", "coalesce(y.since_date, o.since_date) AS known_since, o.submitted_at\n", 1),
    changed=_CHANGED.replace("o.doc\n", "y.until_date AS known_since, NULL::timestamptz\n", 1),
)


def sales_by_month(tx: ShopTx, last: date, currency: str) -> dict[date, int]:
    """Month -> its sales in the currency: orders when they were placed, changes and cancellations when they happened.

    An order submitted after its month was closed counts on its submission: closed months never change.
    """
    rows = tx.rows(_BY_MONTH, tx.shop_id, date(1900, 1, 1), last, currency)
    return {row.month: row.amount_minor for row in rows}


def sales(tx: ShopTx, first: date, last: date) -> Iterator[SaleRow]:
    """Amounts of these days' orders when placed, and changes of orders on these days.

    An order that was cancelled or removed costs nothing from that day on.
    """
    for row in tx.stream(_SALES, tx.shop_id, first, last):
        yield SaleRow(row.number, row.day, row.minor, row.currency, customer_of(row.doc))


_FACTS: Final = """
SELECT o.number, o.currency, o.order_date, o.exchange_rate,
       CASE WHEN strpos(o.doc, '"customerNumber"') > 0 THEN o.doc ELSE '' END AS doc,
       (SELECT min(i.invoice_number) FROM invoices i WHERE i.shop_id = $1 AND i.order_number = o.number) AS invoice
FROM unnest($2::text[]) w(number) JOIN orders o ON o.shop_id = $1 AND o.number = w.number"""


_EXCHANGED: Final = """
SELECT a.posting_id, a.order_number, a.order_amount_minor FROM allocations a
JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
WHERE a.shop_id = $1 AND a.posting_id = ANY($2) AND a.kind IN ('payment', 'return') AND p.currency <> o.currency"""


def exchanged_amounts(tx: ShopTx, postings: Sequence[str]) -> dict[tuple[str, str], int]:
    """(posting, order) -> the order's credit in its own currency, if the posting is in another one."""
    rows = tx.rows(_EXCHANGED, tx.shop_id, list(postings))
    return {(row.posting_id, row.order_number): row.order_amount_minor for row in rows}


def facts(tx: ShopTx, numbers: Sequence[str]) -> Sequence[Row]:
    """Number, document (only if it names the customer by a number) and first invoice of these orders."""
    return tx.rows(_FACTS, tx.shop_id, list(numbers))


_CURRENCIES: Final = f"""
SELECT currency FROM postings WHERE shop_id = $1 AND booking_date BETWEEN $2 AND $3 GROUP BY 1
UNION SELECT currency FROM adjustments WHERE shop_id = $1 AND day BETWEEN $2 AND $3
UNION SELECT s.currency FROM ({_PLACED} UNION ALL {_CHANGED}) s
JOIN orders o ON o.shop_id = $1 AND o.number = s.number
WHERE $4 AND s.minor <> 0 AND (o.exchange_rate IS NULL OR o.currency <> s.currency)
UNION SELECT o.currency FROM postings p JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
WHERE p.shop_id = $1 AND p.booking_date BETWEEN $2 AND $3 AND p.currency <> o.currency AND o.exchange_rate IS NULL
UNION SELECT currency FROM booked_entries WHERE shop_id = $1 AND date BETWEEN $2 AND $3 AND (NOT is_sale OR $4)
  AND rate IS NULL
UNION SELECT currency FROM set_paid_amounts WHERE shop_id = $1 AND day BETWEEN $2 AND $3
UNION SELECT p.currency FROM booked_periods b JOIN postings p ON p.shop_id = $1
  AND p.booking_date BETWEEN b.first_date AND b.last_date AND p.since_date >= b.booked_date WHERE b.shop_id = $1"""


def currencies(tx: ShopTx, first: date, last: date, *, sales: bool) -> set[str]:
    """The currencies in which something is booked on these days, with `sales` those of orders too."""
    return {row[0] for row in tx.rows(_CURRENCIES, tx.shop_id, first, last, sales)}


_INVOICES: Final = """
SELECT i.order_number, i.invoice_number, i.file_key, i.media_type, i.size_bytes
FROM invoices i WHERE i.shop_id = $1 AND (
    i.order_number IN (SELECT a.order_number FROM postings p
                       JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
                       WHERE p.shop_id = $1 AND p.booking_date BETWEEN $2 AND $3
                         AND ($5::text[] IS NULL OR p.id = ANY($5)))
    OR $4 AND i.order_number IN (SELECT o.number FROM orders o
                                 WHERE o.shop_id = $1 AND o.order_date BETWEEN $2 AND $3
                                 UNION SELECT y.order_number FROM order_past y
                                 WHERE y.shop_id = $1 AND y.until_date BETWEEN $2 AND $3))
  AND i.invoice_number = (SELECT min(f.invoice_number) FROM invoices f
                          WHERE f.shop_id = $1 AND f.order_number = i.order_number)
ORDER BY i.order_number"""


def invoices(
    tx: ShopTx, first: date, last: date, *, sales: bool, postings: frozenset[str] | None = None
) -> Sequence[Row]:
    """The first invoice of each order that is booked on these days, with `sales` of those that were placed too.

    With `postings` only those of orders that these postings pay, and of sales.
    """
    return tx.rows(_INVOICES, tx.shop_id, first, last, sales, None if postings is None else sorted(postings))
