"""The health of a shop's callbacks, for its alerts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from paymatch.store.connection import build
from paymatch.store.messages import recall
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class Failing:
    """Callbacks that fail for long, by the one that was due first."""

    count: int
    first_id: str
    since: datetime
    error: str


@dataclass(frozen=True, slots=True)
class GivenUp:
    """Callbacks that were given up on a day, by the first of them."""

    day: date
    count: int
    order_number: str
    error: str


def failing_callbacks(tx: ShopTx, due_before: datetime) -> Failing | None:
    """Callbacks first due before a moment, tried since, and still not delivered; None if there are none."""
    row = tx.row(
        "SELECT id, first_due_at, last_error, last_error_message, count(*) OVER () AS total FROM callbacks"
        " WHERE shop_id = $1"
        " AND status = 'PENDING' AND attempts > 0 AND event_seq IS NOT NULL AND first_due_at <= $2"
        " ORDER BY first_due_at, event_seq LIMIT 1",
        tx.shop_id,
        due_before,
    )
    if row is None:
        return None
    return Failing(row.total, row.id, row.first_due_at, recall(row.last_error, row.last_error_message))


def receiver_is_gone(tx: ShopTx) -> bool:
    """Whether a callback waits because the receiver answered 410; without one, a person paused the callbacks."""
    statement = "SELECT EXISTS (SELECT FROM callbacks WHERE shop_id = $1 AND status = 'PAUSED')"
    return bool(tx.value(statement, tx.shop_id))


def given_up(tx: ShopTx, timezone: str) -> list[GivenUp]:
    """Callbacks that were tried and given up, by day in the time zone."""
    rows = tx.rows(
        "SELECT DISTINCT ON (day) day, count(*) OVER (PARTITION BY day), order_number, last_error AS error,"
        " last_error_message AS kept"
        " FROM (SELECT (finished_at AT TIME ZONE $2)::date AS day, finished_at, event_seq, order_number, last_error,"
        " last_error_message"
        " FROM callbacks WHERE shop_id = $1 AND status = 'GIVEN_UP' AND attempts > 0 AND event_seq IS NOT NULL) c"
        " ORDER BY day, finished_at, event_seq",
        tx.shop_id,
        timezone,
    )
    return [build(GivenUp, row, without="kept", error=recall(row.error, row.kept)) for row in rows]
