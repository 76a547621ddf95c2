"""Current receivables by age; and how long orders took to be paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx

_BY_AGE: Final = """
SELECT currency, width_bucket($2::date - coalesce(due_date, order_date), $3::int[]) AS place,
       CASE WHEN dunning_level > 0 THEN dunning_level WHEN payment_info_at IS NOT NULL THEN 0 ELSE -1 END AS sent,
       count(*) AS orders, sum(greatest(amount_minor - postings_minor + refunded_minor, 0))::bigint AS minor
FROM orders WHERE shop_id = $1 AND status IN ('UNPAID', 'PAID_PARTIAL') GROUP BY 1, 2, 3"""

_DAYS_UNTIL_PAID: Final = """
SELECT width_bucket(last_posting_date, $2::date[]) - 1 AS part, sum(last_posting_date - order_date) AS days,
       count(*) AS orders
FROM orders WHERE shop_id = $1 AND status = 'PAID' AND last_posting_date BETWEEN $3 AND $4 GROUP BY 1"""


@dataclass(frozen=True, slots=True, order=True)
class OpenOrders:
    """Open orders of one currency, age and last mail, with their open amount in minor units.

    Place n is from `days[n - 1]` days overdue on, 0 before that. `sent`: the last dunning level, 0 for the payment
    information, -1 for nothing.
    """

    currency: str
    place: int
    sent: int
    orders: int
    minor: int


def by_age(tx: ShopTx, today: date, days: Sequence[int]) -> list[OpenOrders]:
    """The open orders by currency, age and last mail; combinations without any are left out."""
    return [build(OpenOrders, row) for row in tx.rows(_BY_AGE, tx.shop_id, today, list(days))]


def days_until_paid(tx: ShopTx, begins: Sequence[date], last: date) -> dict[int, tuple[int, int]]:
    """Place of a span of time -> (days from order to last payment, summed, of how many orders), where any was paid.

    Each span goes from one of the days `begins` to the one before the next; the final one ends with `last`.
    """
    rows = tx.rows(_DAYS_UNTIL_PAID, tx.shop_id, list(begins), begins[0], last)
    return {row.part: (row.days, row.orders) for row in rows}
