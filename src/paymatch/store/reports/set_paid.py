"""Amounts of orders that were set paid without money (D-98), by day and account."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Final

from paymatch.domain.orders.settlement import SetPaidAccount
from paymatch.store.connection import Row
from paymatch.store.orders.orders import customer_of
from paymatch.store.transactions import ShopTx


def booked(tx: ShopTx, number: str) -> tuple[dict[SetPaidAccount, int], SetPaidAccount]:
    """(account -> booked amount of the order, the last chosen account)."""
    rows = tx.rows(
        "SELECT account, sum(amount_minor)::bigint AS minor, max(created_at) AS chosen_at FROM set_paid_amounts"
        " WHERE shop_id = $1 AND order_number = $2 GROUP BY account ORDER BY chosen_at",
        tx.shop_id, number,
    )  # fmt: skip
    chosen = SetPaidAccount(rows[-1].account) if rows else SetPaidAccount.OTHER
    return {SetPaidAccount(row.account): row.minor for row in rows}, chosen


_ADD: Final = """
INSERT INTO set_paid_amounts (shop_id, order_number, day, account, amount_minor, currency, reason, set_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (shop_id, order_number, day, account) DO UPDATE SET
    amount_minor = set_paid_amounts.amount_minor + excluded.amount_minor,
    reason = CASE WHEN excluded.reason = '' THEN set_paid_amounts.reason ELSE excluded.reason END,
    set_by = excluded.set_by, created_at = excluded.created_at"""


def add(
    tx: ShopTx, number: str, day: date, account: SetPaidAccount, minor: int, currency: str, reason: str,
    now: datetime,
) -> None:  # fmt: skip
    """Books an amount, or chooses the account with 0."""
    tx.put(_ADD, tx.shop_id, number, day, account, minor, currency, reason, tx.actor.name, now)


_LISTED: Final = """
SELECT s.order_number, s.day, s.account, s.amount_minor, s.currency, s.reason, s.set_by, o.doc
FROM set_paid_amounts s JOIN orders o ON o.shop_id = $1 AND o.number = s.order_number
WHERE s.shop_id = $1 AND s.day BETWEEN $2 AND $3 AND s.amount_minor <> 0
ORDER BY s.day, s.order_number, s.account"""


def list_set_paid(tx: ShopTx, first: date, last: date) -> Iterator[tuple[Row, str]]:
    """(bookings of these days, the order's customer), by day and order."""
    for row in tx.stream(_LISTED, tx.shop_id, first, last):
        yield row, customer_of(row.doc)
