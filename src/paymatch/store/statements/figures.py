"""Figures of postings for pages: money in per day, the latest postings."""

from __future__ import annotations

from datetime import date
from typing import Any, Final, NamedTuple

from paymatch.store.lists.sorted_lists import (
    AskedPage,
    ListStatement,
    PageOfRows,
    by_day,
    by_moment,
    by_number,
    by_text,
)
from paymatch.store.transactions import ShopTx

_IS_RECEIVED: Final = """p.shop_id = $1 AND p.booking_date BETWEEN $3 AND $4 AND p.amount_minor > 0
    AND NOT p.is_return AND p.status <> 'ignored' AND p.aside_reason = ''"""
_CASH_IN: Final = f"""
SELECT booking_date, sum(minor)::bigint, sum(payments)::bigint, sum(automatic)::bigint
FROM (
    SELECT p.booking_date, coalesce(sum(p.amount_minor) FILTER (WHERE p.currency = $2), 0) AS minor,
           count(*) AS payments, count(*) FILTER (WHERE p.status = 'matched' AND NOT p.by_hand) AS automatic
    FROM postings p WHERE {_IS_RECEIVED} GROUP BY 1
    UNION ALL
    SELECT p.booking_date, -coalesce(sum(e.minor) FILTER (WHERE p.currency = $2), 0),
           -count(*) FILTER (WHERE p.amount_minor = e.minor),
           -count(*) FILTER (WHERE p.amount_minor = e.minor AND p.status = 'matched' AND NOT p.by_hand)
    FROM (SELECT a.posting_id, sum(a.amount_minor) AS minor FROM allocations a
          WHERE a.shop_id = $1 AND a.kind NOT IN ('payment', 'return') GROUP BY 1) e
    JOIN postings p ON p.id = e.posting_id WHERE {_IS_RECEIVED} GROUP BY 1) parts
GROUP BY booking_date HAVING sum(payments) > 0"""
_POSTINGS: Final = """
SELECT p.id, p.created_at, p.booking_date, p.counterparty_name, p.remittance, p.status, p.amount_minor, p.currency,
       (SELECT array_agg(a.order_number ORDER BY a.order_number) FROM allocations a
        WHERE a.shop_id = $1 AND a.posting_id = p.id) AS orders
FROM postings p
WHERE p.shop_id = $1 AND ($2 = '' OR p.status = $2) AND ($3 = '' OR p.import_id = $3)"""
POSTINGS: Final = ListStatement(
    _POSTINGS,
    usual="-created_at",
    currency="currency",
    amount="amount_minor",
    is_keyed=True,
    sorts={
        "created_at": by_moment("created_at", is_filled=True),
        "booking_date": by_day("booking_date"),
        "counterparty_name": by_text("counterparty_name"),
        "remittance": by_text("remittance"),
        "orders": by_text("array_to_string(listed.orders, ', ')"),
        "state": by_text("status"),
        "amount": by_number("amount_minor", is_filled=True),
    },
)


class DayIn(NamedTuple):
    """Money received on a day: minor units of the shop's currency, payments, and those matched without a person."""

    minor: int = 0
    payments: int = 0
    automatic: int = 0


def cash_in(tx: ShopTx, currency: str, first: date, last: date) -> dict[date, DayIn]:
    """Booking date -> customers' payments, as the report of cash in counts them: without postings set aside and
    returned refunds. Days without any are left out.
    """
    return {row[0]: DayIn(*row[1:]) for row in tx.rows(_CASH_IN, tx.shop_id, currency, first, last)}


def latest(tx: ShopTx, *, status: str = "", import_id: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Postings by import, the latest first unless they are sorted; all, or those of one import."""
    return POSTINGS.page(tx, asked, tx.shop_id, status, import_id)


def tab_counts(tx: ShopTx) -> dict[str, int]:
    """How many accounts, booked imports and remittance advices the shop has."""
    row = tx.row(
        "SELECT (SELECT count(*) FROM bank_accounts WHERE shop_id = $1) AS accounts,"
        " (SELECT count(*) FROM imports WHERE shop_id = $1 AND status = 'BOOKED') AS imports,"
        " (SELECT count(*) FROM advices WHERE shop_id = $1) AS advices",
        tx.shop_id,
    )
    assert row is not None, "counts always have a row"
    return {"accounts": row.accounts, "imports": row.imports, "advices": row.advices}
