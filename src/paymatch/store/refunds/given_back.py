"""Orders whose refunds and reversed payments together, or refunds of nothing paid, need a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.store.transactions import ShopTx


def given_back_twice(tx: ShopTx) -> list[tuple[str, int, str]]:
    """Orders refunded by more than is left of their payments since one was reversed.

    (number, excess in minor units, currency of the order), by number.
    """
    rows = tx.rows(
        "SELECT number, refunded_minor - postings_minor, currency FROM orders o"
        " WHERE o.shop_id = $1 AND o.refunded_minor > greatest(o.postings_minor, 0) AND o.number IN"
        " (SELECT a.order_number FROM allocations a WHERE a.shop_id = $1 AND a.kind = 'return') ORDER BY number",
        tx.shop_id,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def reversed_after_refund(tx: ShopTx, tolerance_minor: int) -> list[tuple[str, int, str]]:
    """Orders that were refunded in part, and the payment of the rest reversed: REFUNDED or REFUNDED_PARTIAL.

    (number, missing minor units, currency of the order), by number. Missing is what the order costs less what is
    left of its payments, refunds included, at most the sum that was reversed.
    """
    rows = tx.rows(
        "SELECT number, least(amount_minor - postings_minor, reversed) AS missing, currency"
        " FROM orders o JOIN (SELECT order_number, -sum(order_amount_minor) AS reversed FROM allocations"
        " WHERE shop_id = $1 AND kind = 'return' GROUP BY order_number) r ON r.order_number = o.number"
        " WHERE o.shop_id = $1 AND o.status IN ('REFUNDED', 'REFUNDED_PARTIAL')"
        " AND o.postings_minor >= o.refunded_minor"
        " AND least(amount_minor - postings_minor, reversed) > $2 ORDER BY number",
        tx.shop_id,
        tolerance_minor,
    )
    return [(number, int(missing), currency) for number, missing, currency in rows]


def given_back_unpaid(tx: ShopTx, tolerance_minor: int, filed_until: datetime) -> list[tuple[str, int, str, str]]:
    """Open orders that would be reminded, except that refunds cover the open amount, none of them filed later.

    (number, open minor units, currency, id of the latest refund), by number.
    """
    rows = tx.rows(
        "SELECT o.number, o.amount_minor - o.postings_minor + o.refunded_minor AS open_minor, o.currency, r.latest"
        " FROM orders o JOIN (SELECT order_number, sum(order_amount_minor) AS minor, max(created_at) AS filed_at,"
        " max(id) AS latest FROM refunds WHERE shop_id = $1 AND status NOT IN ('PROCESSED', 'CANCELLED', 'LEGACY')"
        " GROUP BY order_number) r ON r.order_number = o.number"
        " WHERE o.shop_id = $1 AND o.status IN ('UNPAID', 'PAID_PARTIAL') AND o.type IN ('INVOICE', 'PREPAYMENT')"
        " AND r.minor >= o.amount_minor - o.postings_minor + o.refunded_minor - $2 AND r.filed_at <= $3"
        " ORDER BY o.number",
        tx.shop_id,
        tolerance_minor,
        filed_until,
    )
    return [(number, open_minor, currency, latest) for number, open_minor, currency, latest in rows]


def refunds_of_amount(tx: ShopTx, number: str, minor: int, currency: str) -> list[str]:
    """Ids of the order's executed refunds of at least this amount, in minor units of their currency."""
    rows = tx.rows(
        "SELECT id FROM refunds WHERE shop_id = $1 AND order_number = $2 AND status = 'PROCESSED'"
        " AND amount_minor >= $3 AND currency = $4",
        tx.shop_id,
        number,
        minor,
        currency,
    )
    return [row[0] for row in rows]


def debited_for(tx: ShopTx, posting_ids: Sequence[str]) -> dict[str, list[str]]:
    """Posting id -> orders whose refund it executed; without postings that executed none."""
    found: dict[str, list[str]] = {}
    for posting, number in tx.rows(
        "SELECT posting_id, order_number FROM allocations WHERE shop_id = $1 AND posting_id = ANY($2)"
        " AND kind = 'refund' AND amount_minor < 0",
        tx.shop_id,
        list(posting_ids),
    ):
        found.setdefault(posting, []).append(number)
    return found
