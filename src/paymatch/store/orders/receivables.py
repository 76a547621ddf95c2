"""What is still to be paid, by age; and how long orders took to be paid."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from paymatch.store.database import ShopId, Tx

_BY_AGE: Final = """
SELECT width_bucket($3::date - coalesce(due_date, order_date), $4::int[]), count(*),
       sum(greatest(amount_minor - postings_minor + refunded_minor, 0))::bigint
FROM orders WHERE shop_id = $1 AND status IN ('UNPAID', 'PAID_PARTIAL') AND currency = $2 GROUP BY 1"""

_DAYS_UNTIL_PAID: Final = """
SELECT last_posting_date >= $3, avg(last_posting_date - order_date)
FROM orders WHERE shop_id = $1 AND status = 'PAID' AND last_posting_date BETWEEN $2 AND $4 GROUP BY 1"""


def by_age(tx: Tx, shop: ShopId, currency: str, today: date, days: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Place of the age -> (orders, open minor units); place n is from `days[n - 1]` days overdue on, 0 before that."""
    return {row[0]: (row[1], row[2]) for row in tx.rows(_BY_AGE, shop, currency, today, list(days))}


def days_until_paid(tx: Tx, shop: ShopId, first: date, middle: date, last: date) -> tuple[float | None, float | None]:
    """(before `middle`, from it on): the mean days from the order to its last payment; None without a paid order."""
    found = {row[0]: row[1] for row in tx.rows(_DAYS_UNTIL_PAID, shop, first, middle, last)}
    return found.get(False), found.get(True)
