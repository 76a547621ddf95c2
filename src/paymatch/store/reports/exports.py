"""Whole tables for exports, streamed by date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from paymatch.store.database import ShopId, Tx
from paymatch.store.rows import Row

_ORDERS: Final = """
SELECT number, order_date, due_date, type, status, currency, amount_minor, postings_minor, refunded_minor,
       CASE WHEN status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION')
            THEN greatest(amount_minor - postings_minor + refunded_minor, 0) ELSE 0 END AS open_minor,
       last_posting_date, dunning_level, doc
FROM orders WHERE shop_id = $1 AND order_date BETWEEN $2 AND $3 AND ($4::text[] = '{}' OR status = ANY($4))
ORDER BY order_date, number"""


def orders(tx: Tx, shop: ShopId, first: date, last: date, statuses: Sequence[str]) -> Iterator[Row]:
    """Orders of these days and statuses, all statuses if none is named."""
    return tx.stream(_ORDERS, shop, first, last, list(statuses))


_ALLOCATIONS: Final = """
SELECT a.posting_id, p.booking_date, a.order_number, a.kind, a.amount_minor, a.withheld_minor, a.fee_kind, p.currency,
       p.counterparty_name, a.by_hand, a.created_at
FROM postings p JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
WHERE p.shop_id = $1 AND p.booking_date BETWEEN $2 AND $3 AND (NOT $4 OR a.withheld_minor <> 0)
ORDER BY p.booking_date, a.posting_id, a.order_number"""


def allocations(tx: Tx, shop: ShopId, first: date, last: date, *, only_fees: bool = False) -> Iterator[Row]:
    """Allocations of postings booked on these days; only those of which something was withheld if `only_fees`."""
    return tx.stream(_ALLOCATIONS, shop, first, last, only_fees)


_REFUNDS: Final = """
SELECT id, external_reference, order_number, planned_date, execution_date, status, amount_minor, currency, posting_id
FROM refunds WHERE shop_id = $1 AND planned_date BETWEEN $2 AND $3 AND ($4::text[] = '{}' OR status = ANY($4))
ORDER BY planned_date, id"""


def refunds(tx: Tx, shop: ShopId, first: date, last: date, statuses: Sequence[str]) -> Iterator[Row]:
    """Refunds planned for these days, of these statuses if some are named."""
    return tx.stream(_REFUNDS, shop, first, last, list(statuses))


_CUSTOMERS: Final = """
SELECT o.number, o.doc FROM unnest($2::text[]) w(number)
JOIN orders o ON o.shop_id = $1 AND o.number = w.number WHERE strpos(o.doc, '"customerNumber"') > 0"""


def documents(tx: Tx, shop: ShopId, numbers: Sequence[str]) -> dict[str, str]:
    """Number -> document of the orders that name their customer by a number."""
    return {row.number: row.doc for row in tx.rows(_CUSTOMERS, shop, list(numbers))}
