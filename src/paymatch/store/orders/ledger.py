"""The books of orders in PostgreSQL: allocations and refunds; status, events and callbacks as one write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import msgspec

from paymatch.domain.customers.credits import AdjustmentKind
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.settlement import Ledger, Mark, PaymentStatus
from paymatch.domain.words.message import as_text
from paymatch.store.ids import new_id
from paymatch.store.key_lookups import row_by_key, row_to_write, rows_by_key, written_by_key
from paymatch.store.orders import order_snapshots
from paymatch.store.transactions import ShopTx

_JSON: Final = msgspec.json.Encoder(enc_hook=as_text)


@dataclass(frozen=True, slots=True)
class OrderBalance:
    """An order's ledger from the rows, and the order's own columns."""

    number: str
    ledger: Ledger
    mark: Mark | None
    status: PaymentStatus
    written_paid_minor: int
    written_refunded_minor: int
    last_posting_date: date | None
    written_last_posting_date: date | None
    event_count: int
    currency: str
    set_paid_minor: int = 0  # booked as paid without money
    has_reminder_fees: bool = False  # a fee, interest or a lump sum was asked for
    paid_fees_minor: int = 0  # part of its payments that pays fees, interest and lump sum (D-97)
    adjusted_minor: int = 0  # credit that pays it, less what was kept of it as credit or income (D-87)

    @property
    def refundable_minor(self) -> int:
        """Money that is left of its payments: what the API shows as amountPaid (D-3)."""
        return self.ledger.net_minor + self.paid_fees_minor


@dataclass(frozen=True, slots=True)
class StatusChange:
    """The changes that settling writes to an order; `status` differs from `before` if an event is due."""

    number: str
    before: PaymentStatus
    status: PaymentStatus
    paid_minor: int
    refunded_minor: int
    last_posting_date: date | None
    event_count: int


LOAD: Final = f"""
SELECT o.number, o.amount_minor, o.mark, o.status, o.postings_minor, o.refunded_minor,
       o.last_posting_date, o.event_count, (coalesce(a.paid, 0) + coalesce(c.minor, 0))::bigint AS paid, a.last_day,
       (coalesce(r.refunded, 0) + coalesce(a.outgoing, 0))::bigint AS refunded, o.currency,
       EXISTS (SELECT FROM reminders m WHERE m.shop_id = $1 AND m.order_number = o.number AND m.fee_minor > 0)
           OR EXISTS (SELECT FROM collections i WHERE i.shop_id = $1 AND i.order_number = o.number
                      AND i.interest_minor + i.lump_minor > 0) AS has_fees,
       coalesce((SELECT sum(s.amount_minor) FROM set_paid_amounts s WHERE s.shop_id = $1 AND s.order_number = o.number),
                0)::bigint AS set_paid,
       coalesce(a.fees, 0)::bigint AS paid_fees, coalesce(c.beside, 0)::bigint AS beside
FROM unnest($2::text[]) w(number)
CROSS JOIN {row_by_key("orders", "number", "w.number")} o
LEFT JOIN LATERAL (
    SELECT sum(x.order_amount_minor) FILTER (WHERE x.kind IN ('payment', 'return')) AS paid,
           sum(-x.order_amount_minor) FILTER (WHERE x.kind = 'outgoing') AS outgoing,
           sum(-x.withheld_minor) FILTER (WHERE x.fee_kind = '{FeeKind.REMINDER_FEE}') AS fees,
           max(p.booking_date) FILTER (WHERE x.kind IN ('payment', 'return')) AS last_day
    FROM {rows_by_key("allocations", "order_number", "o.number")} x
    CROSS JOIN {row_by_key("postings", "id", "x.posting_id", "booking_date")} p) a ON true
LEFT JOIN LATERAL (
    SELECT sum(x.minor) AS minor, sum(x.minor) FILTER (WHERE x.kind <> '{AdjustmentKind.LOSS}') AS beside
    FROM adjustments x WHERE x.shop_id = $1 AND x.order_number = o.number) c ON true
LEFT JOIN LATERAL (
    SELECT sum(x.order_amount_minor) AS refunded FROM refunds x
    WHERE x.shop_id = $1 AND x.order_number = o.number AND x.status = 'PROCESSED') r ON true
ORDER BY o.number"""
"""Each order by a look-up of its own: a list of numbers may be answered by skipping through the index of dates."""


def load(tx: ShopTx, numbers: Sequence[str], tolerance_minor: int) -> list[OrderBalance]:
    """The books of the orders; the caller holds their locks."""
    return [
        OrderBalance(
            number=row.number,
            ledger=Ledger(row.amount_minor, row.paid, row.refunded, tolerance_minor),
            mark=Mark(row.mark) if row.mark else None,
            status=PaymentStatus(row.status),
            written_paid_minor=row.postings_minor,
            written_refunded_minor=row.refunded_minor,
            last_posting_date=row.last_day,
            written_last_posting_date=row.last_posting_date,
            event_count=row.event_count,
            currency=row.currency,
            set_paid_minor=row.set_paid,
            has_reminder_fees=row.has_fees,
            paid_fees_minor=row.paid_fees,
            adjusted_minor=row.beside,
        )
        for row in tx.rows(LOAD, tx.shop_id, list(numbers))
    ]


_CHANGED: Final = f"change r CROSS JOIN day CROSS JOIN {row_to_write('orders', 'number', 'r.number')} o"
WRITE: Final = f"""
WITH change AS (
    SELECT * FROM json_to_recordset($2::json) AS r(number text, status text, paid_minor bigint, refunded_minor bigint,
                                                   last_posting_date date, event_count int)),
{order_snapshots.KEEP_SETTLED}
""" + written_by_key("orders", "o",
    _CHANGED, status="r.status", postings_minor="r.paid_minor", refunded_minor="r.refunded_minor",
    last_posting_date="r.last_posting_date", event_count="r.event_count", updated_at="$3",
    since_date=order_snapshots.SINCE_SETTLED,
)  # fmt: skip

EVENTS: Final = """
WITH counter AS (
    UPDATE event_counters SET last_seq = last_seq + $3 WHERE shop_id = $1 RETURNING last_seq - $3 AS base),
wanted AS (
    SELECT * FROM json_to_recordset($2::json) AS r(number text, before text, status text, event_count int,
                                                    place int, callback_id text)),
written AS (
    INSERT INTO events (shop_id, seq, order_number, order_seq, from_status, to_status, cause, at)
    SELECT $1, counter.base + w.place, w.number, w.event_count, w.before, w.status, $4, $5 FROM wanted w, counter
    RETURNING 1)
INSERT INTO callbacks (shop_id, id, event_seq, order_number, order_seq, status, queued_at, first_due_at, due_at)
SELECT $1, w.callback_id, counter.base + w.place, w.number, w.event_count, $6, $5,
       CASE WHEN $6 = 'PENDING' THEN $7::timestamptz END, CASE WHEN $6 = 'PENDING' THEN $7::timestamptz END
FROM wanted w, counter RETURNING 1"""


def write(
    tx: ShopTx,
    changes: Sequence[StatusChange],
    *,
    cause: str,
    sends_callbacks: bool,
    now: datetime,
    due_at: datetime,
) -> None:
    """Writes the changed orders, and one event with one callback, due then, for each whose status changed (D-1)."""
    if not changes:
        return
    tx.put(WRITE, tx.shop_id, _JSON.encode([_as_dict(change) for change in changes]).decode(), now)
    moved = [change for change in changes if change.status is not change.before]
    if not moved:
        return
    rows = [
        _as_dict(change) | {"before": change.before, "place": place, "callback_id": new_id("cb", now)}
        for place, change in enumerate(moved, start=1)
    ]
    status = "PENDING" if sends_callbacks else "OFF"
    tx.put(EVENTS, tx.shop_id, _JSON.encode(rows).decode(), len(moved), cause, now, status, due_at)


def _as_dict(change: StatusChange) -> dict[str, Any]:
    return {
        "number": change.number,
        "status": change.status,
        "paid_minor": change.paid_minor,
        "refunded_minor": change.refunded_minor,
        "last_posting_date": change.last_posting_date,
        "event_count": change.event_count,
    }
