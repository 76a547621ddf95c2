"""Orders as of the end of a day: open amounts by age, and overpayments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import accumulate
from typing import Any, Final, NamedTuple

from paymatch.domain.orders.settlement import AWAITING_MONEY
from paymatch.store.connection import Row
from paymatch.store.orders.orders import customer_of
from paymatch.store.reports.reading import each_row
from paymatch.store.transactions import ShopTx

_OPEN: Final = "status = ANY('{" + ",".join(sorted(AWAITING_MONEY)) + "}')"
_COLUMNS: Final = "type, order_date, due_date, currency, status, amount_minor, postings_minor, refunded_minor"


def _on_day(which: str) -> str:
    """The orders at the end of the day $2 for which `which` is true."""
    return f"""(
    SELECT number, {_COLUMNS} FROM orders WHERE shop_id = $1 AND since_date <= $2 AND {which}
    UNION ALL
    SELECT order_number, {_COLUMNS} FROM order_past
    WHERE shop_id = $1 AND until_date > $2 AND since_date <= $2 AND {which})"""


_OWED: Final = "greatest(s.amount_minor - s.postings_minor + s.refunded_minor, 0)"
_DUE: Final = "coalesce(s.due_date, s.order_date)"
_LISTED: Final = f"""
SELECT s.number, s.type, s.status, s.order_date, s.due_date, s.currency, s.amount_minor,
       s.postings_minor - s.refunded_minor AS paid_minor, {_OWED} AS open_minor,
       $2::date - {_DUE} AS age, {_DUE} AS due,
       (SELECT doc FROM orders o WHERE o.shop_id = $1 AND o.number = s.number) AS doc,
       coalesce((SELECT max(r.dunning_level) FROM reminders r
                 WHERE r.shop_id = $1 AND r.order_number = s.number AND r.sent_date <= $2), 0) AS dunning_level
FROM (SELECT * FROM {_on_day(_OPEN)} s
      WHERE $3::date IS NULL OR ({_DUE}, s.number) > ($3, $4) ORDER BY {_DUE}, s.number LIMIT $5) s
ORDER BY due, s.number"""


def open_orders(
    tx: ShopTx, day: date, after: tuple[date, str] | None = None, limit: int | None = None
) -> Iterator[dict[str, Any]]:
    """The unpaid orders, by due date; `due` and `number` are the place of each."""
    place = after or (None, "")
    for row in each_row(tx, limit, _LISTED, tx.shop_id, day, *place):
        found = row._asdict()
        yield found | {"customer": customer_of(found["doc"])}


_BOOKED: Final = f"""
WITH found AS (
    SELECT o.number, o.type, coalesce(k.order_date, o.order_date) AS order_date,
           CASE WHEN k.number IS NULL THEN o.due_date ELSE k.due_date END AS due_date, coalesce(k.currency, o.currency)
               AS currency, coalesce(k.amount_minor, y.amount_minor, o.amount_minor) AS amount_minor,
           coalesce(k.status, y.status, o.status) AS status, o.doc,
           coalesce(c.credited, 0)::bigint + coalesce(j.minor, 0)::bigint AS postings_minor,
           coalesce(c.refunded, 0)::bigint AS refunded_minor
    FROM orders o LEFT JOIN {_on_day("true")} k ON k.number = o.number
    LEFT JOIN LATERAL (SELECT x.amount_minor, x.status FROM order_past x WHERE x.shop_id = $1
        AND x.order_number = o.number AND k.number IS NULL ORDER BY x.until_date LIMIT 1) y ON true
    LEFT JOIN LATERAL (SELECT sum(a.order_amount_minor) FILTER (WHERE a.kind IN ('payment', 'return')) AS credited,
            -sum(a.order_amount_minor) FILTER (WHERE a.kind NOT IN ('payment', 'return')) AS refunded
        FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
        WHERE a.shop_id = $1 AND a.order_number = o.number AND p.booking_date <= $2) c ON true
    LEFT JOIN LATERAL (SELECT sum(a.minor) AS minor FROM adjustments a
        WHERE a.shop_id = $1 AND a.order_number = o.number AND a.day <= $2) j ON true
    WHERE o.shop_id = $1 AND o.order_date <= $2 AND (o.{_OPEN} OR o.since_date > $2)
      AND NOT EXISTS (SELECT FROM set_paid_amounts w WHERE w.shop_id = $1 AND w.order_number = o.number
                      AND w.day <= $2 GROUP BY w.order_number HAVING sum(w.amount_minor) <> 0))
SELECT s.number, s.type, s.order_date, s.due_date, s.currency, s.amount_minor, s.postings_minor AS paid_minor,
       {_OWED} AS open_minor, $2::date - {_DUE} AS age, {_DUE} AS due, s.doc,
       CASE WHEN s.status = 'COLLECTION' THEN s.status WHEN s.postings_minor > 0 THEN 'PAID_PARTIAL' ELSE 'UNPAID' END
           AS status,
       coalesce((SELECT max(r.dunning_level) FROM reminders r
                 WHERE r.shop_id = $1 AND r.order_number = s.number AND r.sent_date <= $2), 0) AS dunning_level
FROM found s
WHERE s.status <> ALL('{{CANCELLED,DISAPPEARED,LEGACY}}') AND s.refunded_minor = 0 AND s.amount_minor > 0
  AND (s.postings_minor <= 0 OR s.postings_minor < s.amount_minor - $3)
  AND ($4::date IS NULL OR ({_DUE}, s.number) > ($4, $5))
ORDER BY due, s.number LIMIT $6"""


def open_by_booking(
    tx: ShopTx, day: date, after: tuple[date, str] | None = None, limit: int | None = None
) -> Iterator[dict[str, Any]]:
    """The unpaid orders by bookings up to the day, as known today."""
    place = after or (None, "")
    for row in each_row(tx, limit, _BOOKED, tx.shop_id, day, tx.shop.tolerance_minor, *place):
        found = row._asdict()
        yield found | {"customer": customer_of(found["doc"])}


_ALL: Final = f"""
SELECT o.number, coalesce(k.currency, o.currency) AS currency, k.status, k.amount_minor, k.postings_minor,
       k.refunded_minor, o.mark IS NOT DISTINCT FROM 'PAID' AS is_marked_paid
FROM orders o LEFT JOIN {_on_day("true")} k ON k.number = o.number WHERE o.shop_id = $1"""


def all_orders(tx: ShopTx, day: date) -> Iterator[Row]:
    """All orders as of the end of the day; those not known then have no status."""
    yield from tx.stream(_ALL, tx.shop_id, day)


_SUMS: Final = f"""
SELECT s.currency, count(*) AS orders, count(*) FILTER (WHERE {_DUE} < $2) AS overdue,
       sum({_OWED})::bigint AS open_minor, coalesce(sum({_OWED}) FILTER (WHERE {_DUE} < $2), 0)::bigint AS overdue_minor
FROM {_on_day(_OPEN)} s GROUP BY s.currency ORDER BY s.currency"""


def open_sums(tx: ShopTx, day: date) -> Sequence[Row]:
    """Number and sum of the open orders of each currency, and of those that were overdue."""
    return tx.rows(_SUMS, tx.shop_id, day)


_INTERVALS: Final = f"""(
    SELECT number, since_date, 'infinity'::date AS until_date, {_COLUMNS} FROM orders WHERE shop_id = $1 AND {_OPEN}
    UNION ALL
    SELECT order_number, since_date, until_date, {_COLUMNS} FROM order_past
    WHERE shop_id = $1 AND until_date > (SELECT min(x) FROM unnest($2::date[]) x) AND {_OPEN})"""
_BEFORE: Final = "width_bucket(s.{day} - 1, $2::date[])"
"""How many of the days lie before the day: an order counts on those from its first to its last day."""
_AGES: Final = f"""
SELECT day, s.currency, width_bucket(day - {_DUE}, $3::int[]) AS place,
       CASE WHEN s.type = ANY('{{INVOICE,PREPAYMENT,COD}}') THEN s.type ELSE 'OTHER' END AS type,
       count(*) AS orders, sum({_OWED})::bigint AS open_minor
FROM {_INTERVALS} s, LATERAL unnest(($2::date[])[{_BEFORE.format(day="since_date")} + 1
                                               : {_BEFORE.format(day="until_date")}]) day
WHERE {_BEFORE.format(day="since_date")} < {_BEFORE.format(day="until_date")}
GROUP BY 1, 2, 3, 4"""


def by_age(tx: ShopTx, days: Sequence[date], ages: Sequence[int]) -> Sequence[Row]:
    """Per day (they are given in their order), currency, type and place of the age: orders and what they owed.

    Place n is from `ages[n - 1]` days overdue on, 0 before that.
    """
    return tx.rows(_AGES, tx.shop_id, list(days), list(ages))


_OWED_BY_DAY: Final = f"""
SELECT place, sum(owed)::bigint FROM {_INTERVALS} s, LATERAL (VALUES
    ({_BEFORE.format(day="since_date")}, {_OWED}), ({_BEFORE.format(day="until_date")}, -{_OWED})) change(place, owed)
WHERE s.currency = $3 GROUP BY place ORDER BY place"""


def owed_by_day(tx: ShopTx, days: Sequence[date], currency: str) -> list[int]:
    """The debts of all orders in the currency at the end of each of the days, given in order."""
    changes = {row[0]: row[1] for row in tx.rows(_OWED_BY_DAY, tx.shop_id, list(days), currency)}
    return list(accumulate(changes.get(place, 0) for place in range(len(days))))


_TOO_MUCH: Final = """postings_minor - refunded_minor
    > CASE WHEN status = 'CANCELLED' THEN 0 ELSE greatest(amount_minor, 0) END"""
_OVERPAID: Final = f"""
SELECT s.*, s.postings_minor - s.refunded_minor AS paid_minor,
       s.postings_minor - s.refunded_minor
           - CASE WHEN s.status = 'CANCELLED' THEN 0 ELSE greatest(s.amount_minor, 0) END AS overpaid_minor,
       (SELECT doc FROM orders o WHERE o.shop_id = $1 AND o.number = s.number) AS doc,
       coalesce((SELECT sum(r.order_amount_minor) FROM refunds r WHERE r.shop_id = $1 AND r.order_number = s.number
                 AND r.status IN ('NEW', 'BANKDETAILS_MISSING', 'IN_PROCESS')), 0)::bigint AS planned_minor
FROM (SELECT * FROM {_on_day(_TOO_MUCH)} s WHERE s.number > $3 ORDER BY s.number LIMIT $4) s ORDER BY s.number"""


def overpaid(tx: ShopTx, day: date, after: str, limit: int | None) -> list[dict[str, Any]]:
    """Overpaid orders, by number; planned refunds are the present ones."""
    return [row | {"customer": customer_of(row["doc"])} for row in tx.named(_OVERPAID, tx.shop_id, day, after, limit)]


_OF_CUSTOMER: Final = """
SELECT w.place, (SELECT o.number FROM match_keys k JOIN orders o ON o.shop_id = $1 AND o.number = k.number
                 WHERE k.shop_id = $1 AND k.key = w.key AND o.status = ANY('{UNPAID,PAID_PARTIAL}')
                   AND o.currency = w.currency AND strpos(o.doc, w.mark) > 0 ORDER BY o.order_date, o.number LIMIT 1)
FROM unnest($2::bigint[], $3::text[], $4::text[]) WITH ORDINALITY w(key, mark, currency, place)"""


class CustomerFilter(NamedTuple):
    """The wanted customer: the lookup key of the customer's number, and its spelling in documents."""

    key: int
    mark: str
    currency: str


def other_orders(tx: ShopTx, customers: Sequence[CustomerFilter]) -> list[str]:
    """For each customer the oldest open order in the currency; empty without any."""
    columns = zip(*customers, strict=True) if customers else ((), (), ())
    rows = tx.rows(_OF_CUSTOMER, tx.shop_id, *(list(column) for column in columns))
    return [row[1] or "" for row in sorted(rows, key=lambda row: row[0])]
