"""States of postings at the end of past days: stored when one is decided differently on a later day (D-50)."""

from __future__ import annotations

from typing import Final

from paymatch.store.key_lookups import row_by_key, rows_by_key

TODAY: Final = "SELECT ({now}::timestamptz AT TIME ZONE timezone)::date AS today FROM shops WHERE shop_id = $1"

PARTS: Final = f"""LATERAL (
    SELECT coalesce(sum(x.amount_minor) FILTER (WHERE x.kind IN ('payment', 'return')), 0)::bigint AS orders_minor,
           coalesce(sum(x.amount_minor) FILTER (WHERE x.kind NOT IN ('payment', 'return')), 0)::bigint AS refunds_minor,
           coalesce(sum(x.withheld_minor), 0)::bigint AS withheld_minor,
           coalesce(json_agg(json_build_array(x.order_number, x.amount_minor, x.withheld_minor, x.fee_kind, x.kind)
                             ORDER BY x.order_number)::text, '[]') AS parts
    FROM {rows_by_key("allocations", "posting_id", "p.id")} x) part"""
"""The parts of the posting p per order: money for orders and returned by them, and refunds either way.

The shop is the parameter $1, not a column of p: Citus would not see that both are of one shop (D-79).
"""

BY_ID: Final = f"{row_by_key('postings', 'id', 'w.id')} p"
"""The posting p with the id of w."""

HELD_BACK: Final = "CASE WHEN {decision} = '' THEN '' ELSE coalesce({decision}::json ->> 'heldBack', '') END"
"""Why a decision (JSON) left the posting to a person; empty if it did not."""

HELD_BACK_MESSAGE: Final = (
    "CASE WHEN {decision} = '' THEN '' ELSE coalesce({decision}::json ->> 'heldBackReason', '') END"
)
"""Code and values of that sentence, as JSON; empty if there is none."""


def snapshot(now: str, ids: str = "", only: str = "true", *, read: str = "") -> str:
    """The WITH clause of a statement that stores postings as found, with one for the shop's `day`.

    `now` and `ids` are the statement's parameters, `only` a condition on the posting p. With `read`, the postings are
    those of a further one of its WITH clauses, which comes before it, and `read` joins them with `day`.
    """
    read = read or f"unnest({ids}::text[]) w(id) CROSS JOIN {BY_ID} CROSS JOIN day"
    return f"""day AS ({TODAY.format(now=now)}),
kept AS (
    INSERT INTO posting_past (shop_id, posting_id, since_date, until_date, account, currency, booking_date,
        amount_minor, status, by_hand, aside_reason, held_back, held_back_message, orders_minor,
        refunds_minor, withheld_minor, parts)
    SELECT p.shop_id, p.id, p.since_date, day.today, p.account, p.currency, p.booking_date, p.amount_minor, p.status,
           p.by_hand, p.aside_reason, {HELD_BACK.format(decision="p.decision")},
           {HELD_BACK_MESSAGE.format(decision="p.decision")}, part.orders_minor,
           part.refunds_minor, part.withheld_minor, part.parts
    FROM {read} CROSS JOIN {PARTS}
    WHERE p.since_date < day.today AND {only}
    ON CONFLICT DO NOTHING)"""


WAS_KEPT: Final = """EXISTS (SELECT FROM posting_past y
    WHERE y.shop_id = $1 AND y.posting_id = p.id AND y.until_date = day.today)"""
"""Whether the posting p has changed since the day began."""
