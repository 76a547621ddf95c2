"""States of orders at the end of past days: stored when one changes on a later day (D-50)."""

from __future__ import annotations

from typing import Final

from paymatch.store.key_lookups import row_by_key

_STOOD: Final = """o.shop_id, o.number, o.since_date, {until}, o.status, o.type, o.order_date, o.due_date, o.currency,
       o.amount_minor, o.postings_minor, o.refunded_minor"""
_INTO: Final = """INSERT INTO order_past (shop_id, order_number, since_date, until_date, status, type, order_date,
                        due_date, currency, amount_minor, postings_minor, refunded_minor)"""


def differs(old: str, new: str) -> str:
    """Whether a submission changes what reports show of an order."""
    columns = ("type", "order_date", "due_date", "currency", "amount_minor")
    before, after = (", ".join(f"{row}.{column}" for column in columns) for row in (old, new))
    return f"({before}) IS DISTINCT FROM ({after})"


KEEP_SUBMITTED: Final = f"""
{_INTO}
SELECT {_STOOD.format(until="r.since_date")}
FROM json_to_recordset($2::json) AS r(number text, type text, order_date date, due_date date, currency text,
                                      amount_minor bigint, since_date date)
CROSS JOIN {row_by_key("orders", "number", "r.number")} o
WHERE o.since_date < r.since_date AND {differs("o", "r")}
ON CONFLICT DO NOTHING"""
"""Before a submission is saved, with the same rows."""

_SETTLED: Final = """(o.status, o.postings_minor, o.refunded_minor)
    IS DISTINCT FROM (r.status, r.paid_minor, r.refunded_minor)"""

KEEP_SETTLED: Final = f"""day AS (
    SELECT ($3::timestamptz AT TIME ZONE timezone)::date AS today FROM shops WHERE shop_id = $1),
kept AS (
    {_INTO}
    SELECT {_STOOD.format(until="day.today")}
    FROM change r CROSS JOIN day CROSS JOIN {row_by_key("orders", "number", "r.number")} o
    WHERE o.since_date < day.today AND {_SETTLED}
    ON CONFLICT DO NOTHING)"""
"""Beside the statement that settles orders: `change` are its rows, $3 is the moment."""

SINCE_SETTLED: Final = f"CASE WHEN {_SETTLED} THEN greatest(o.since_date, day.today) ELSE o.since_date END"
