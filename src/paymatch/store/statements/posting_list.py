"""The API's list of postings: Posting fields, allocations with their evidence, the orders (D-8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from paymatch.store.orders.order_json import ACCOUNTS, CREDITED, FROM_ORDERS, POSTING_TAIL, Include, order_json
from paymatch.store.transactions import ShopTx

PAGE: Final = 500
"""Postings per round trip."""

Place = tuple[datetime, str]


@dataclass(frozen=True, slots=True)
class PostingFilter:
    """Which postings: by moment of import, by account, by status."""

    created_from: datetime | None = None
    created_until: datetime | None = None
    account: str = ""
    statuses: tuple[str, ...] = ()


_ALLOCATIONS: Final = (
    """
    || ',"status":"' || p.status || '","bookedOn":' || to_json(p.account)::text
    || ',"provisional":' || (p.source <> 'FINAL')::text
    || CASE WHEN p.aside_reason = '' THEN '' ELSE ',"reason":' || to_json(p.aside_reason)::text END
    || ',"allocations":[' || coalesce((SELECT string_agg('{
    "orderNumber":' || to_json(a.order_number)::text
        || ',"amount":' || """
    + CREDITED
    + """ || ',"byHand":' || a.by_hand::text || '}',
        ',' ORDER BY a.order_number) FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id), '') || ']'
    || CASE WHEN p.decision = '' THEN '' ELSE ',"decision":' || p.decision END"""
)


def read_page(
    tx: ShopTx, wanted: PostingFilter, after: Place | None, limit: int, include: Include | None
) -> tuple[str, int, Place | None]:
    """(postings joined by commas, their number, place of the last) by moment of import, starting after `after`.

    `include` None leaves the orders out.
    """
    params: list[Any] = [tx.shop_id, limit, after[0] if after else None, after[1] if after else ""]
    conditions = "p.shop_id = $1 AND ($3::timestamptz IS NULL OR (p.created_at, p.id) > ($3, $4))"
    for value, condition in (
        (wanted.created_from, "p.created_at >= ${}"),
        (wanted.created_until, "p.created_at < ${}"),
        (wanted.account or None, "p.account = ${}"),
        (list(wanted.statuses) or None, "p.status = ANY(${})"),
    ):
        if value is not None:
            params.append(value)
            conditions += " AND " + condition.format(len(params))
    orders = "" if include is None else _orders(include)
    row = tx.row(
        f"WITH {ACCOUNTS}, page AS MATERIALIZED (SELECT p.* FROM postings p WHERE {conditions}"
        " ORDER BY p.created_at, p.id LIMIT $2)"
        " SELECT string_agg('{\"id\":' || to_json(p.id)::text"
        " || ',\"amount\":' || amount_text(p.amount_minor, p.digits)"
        f" {POSTING_TAIL} {_ALLOCATIONS} {orders} || '}}', ',' ORDER BY p.created_at, p.id) AS postings,"
        " count(*) AS shown,"
        " (SELECT created_at FROM page ORDER BY created_at DESC, id DESC LIMIT 1) AS last_created_at,"
        " (SELECT id FROM page ORDER BY created_at DESC, id DESC LIMIT 1) AS last_id FROM page p",
        *params,
    )
    if row is None or not row.shown:
        return "", 0, None
    return row.postings, row.shown, (row.last_created_at, row.last_id)


_OF_PAYOUT: Final = """UNION SELECT x.order_number FROM payouts y
        JOIN settlement_lines l ON l.shop_id = $1 AND l.account = y.account AND l.currency = y.currency
            AND l.paid_by = y.payout_id
        JOIN postings q ON q.shop_id = $1 AND q.account = l.account AND q.entry_reference = l.event
        JOIN allocations x ON x.shop_id = $1 AND x.posting_id = q.id
        WHERE y.shop_id = $1 AND y.posting_id = p.id AND y.posting_id <> ''"""
"""Of a posting that is a payout: the orders that it pays (D-83)."""


def _orders(include: Include) -> str:
    return f"""|| ',"orders":[' || coalesce((SELECT string_agg({order_json(include)}, ',' ORDER BY o.number)
        FROM {FROM_ORDERS} WHERE o.shop_id = $1 AND o.number IN (SELECT x.order_number FROM allocations x
        WHERE x.shop_id = $1 AND x.posting_id = p.id {_OF_PAYOUT})), '') || ']'"""


def place_of(tx: ShopTx, posting_id: str) -> Place | None:
    """The place of a posting in the list's sequence; None if unknown."""
    row = tx.row("SELECT created_at, id FROM postings WHERE shop_id = $1 AND id = $2", tx.shop_id, posting_id)
    return (row[0], row[1]) if row else None
