"""Callbacks in PostgreSQL: find the shops with due ones, claim, record, resend, list (D-18).

A claim is a lease: `claimed_until`. It is taken in one short transaction and given up in another, with the call
between them. A worker that dies leaves its leases behind; they expire and the same callback, with the same id, is
claimed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final

import msgspec

from paymatch.domain.callbacks.call_timing import UNMEASURED, CallTiming
from paymatch.domain.callbacks.deliveries import UNFINISHED, CallbackStatus
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, build
from paymatch.store.messages import coded, recall
from paymatch.store.orders.order_json import ACCOUNTS, FROM_ORDERS, Include, order_json
from paymatch.store.sealing import WEBHOOK_SECRET
from paymatch.store.shops.shops import SHOP_NOW
from paymatch.store.transactions import ShopId, ShopTx, Tx

_JSON: Final = msgspec.json.Encoder(enc_hook=as_text)
_UNFINISHED: Final = "('" + "', '".join(sorted(UNFINISHED)) + "')"


@dataclass(frozen=True, slots=True)
class CallbackTarget:
    """Where and how a shop wants its callbacks, and whether some are due."""

    shop: ShopId
    url: str
    any_2xx: bool


@dataclass(frozen=True, slots=True)
class DueCallback:
    """A claimed callback. `order_number` is empty for a test event."""

    id: str
    order_number: str
    is_test: bool
    attempts: int
    first_due_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True)
class StoredCallback:
    """The state of a locked callback. One that was never due (OFF) has its queueing moment for both times."""

    status: CallbackStatus
    first_due_at: datetime
    due_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True)
class CallbackAttempt:
    """One call as it is logged; `http_status` None where no answer came. Times in UTC or the sandbox's own."""

    attempt: int
    at: datetime
    elapsed_ms: int
    http_status: int | None
    error: str
    request: str
    answer: str
    next_try_at: datetime | None
    timing: CallTiming = UNMEASURED


@dataclass(frozen=True, slots=True)
class AttemptedCallback:
    """The changes of a callback by an attempt."""

    callback_id: str
    status: CallbackStatus
    due_at: datetime | None
    attempt: CallbackAttempt


@dataclass(frozen=True, slots=True)
class CallbackRow:
    """A callback as lists show it. `order_number` is empty for a test event."""

    id: str
    event_seq: int | None
    order_number: str
    from_status: str
    to_status: str
    status: CallbackStatus
    attempts: int
    queued_at: datetime
    due_at: datetime | None
    last_error: str
    finished_at: datetime | None


_SENDING: Final = "s.status = 'active' AND s.callbacks AND s.callback_url <> '' AND s.callbacks_paused_at IS NULL"
_NOT_HELD: Final = "(s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"  # the mover of its clock sends them


def due_targets(tx: Tx, clock: datetime) -> list[CallbackTarget]:
    """The shops with a due, unclaimed callback; needs the operator's view."""
    rows = tx.rows(
        "SELECT s.shop_id AS shop, s.callback_url AS url, s.callback_success = '2xx' AS any_2xx FROM shops s"
        f" WHERE {_SENDING} AND {_NOT_HELD} AND EXISTS ("
        "SELECT FROM callbacks c WHERE c.shop_id = s.shop_id AND c.status = 'PENDING'"
        f" AND c.due_at <= {SHOP_NOW} AND (c.claimed_until IS NULL OR c.claimed_until <= $1))",
        clock,
    )
    return [build(CallbackTarget, row) for row in rows]


_CANDIDATES: Final = f"""
SELECT c.id, c.order_number, c.event_seq IS NULL AS is_test, c.attempts, c.first_due_at, c.due_at, c.order_seq,
       EXISTS (SELECT FROM callbacks e WHERE e.shop_id = $1 AND e.order_number = c.order_number
               AND e.order_seq < c.order_seq AND e.status IN {_UNFINISHED}) AS blocked
FROM callbacks c
WHERE c.shop_id = $1 AND c.status = 'PENDING' AND c.due_at <= $2 AND (c.claimed_until IS NULL OR c.claimed_until <= $3)
ORDER BY c.due_at, c.order_seq LIMIT $4 FOR UPDATE OF c SKIP LOCKED"""


def claim(tx: ShopTx, limit: int, *, now: datetime, clock: datetime, until: datetime) -> tuple[list[DueCallback], int]:
    """Callbacks due at the shop's moment `now`, leased until `until` by the real clock, and how many rows were seen.

    Of each order only the earliest unfinished one is taken; later ones are parked as WAITING until it is finished.
    """
    rows = tx.rows(_CANDIDATES, tx.shop_id, now, clock, limit)
    free = [row for row in rows if not row.blocked]
    if free:
        tx.run(
            "UPDATE callbacks SET claimed_until = $3 WHERE shop_id = $1 AND id = ANY($2)",
            tx.shop_id,
            [row.id for row in free],
            until,
        )
    _park(tx, [(row.id, row.order_number, row.order_seq) for row in rows if row.blocked])
    return [_due(row) for row in free], len(rows)


def _due(row: Row) -> DueCallback:
    return DueCallback(row.id, row.order_number, row.is_test, row.attempts, row.first_due_at, row.due_at)


def _park(tx: ShopTx, blocked: Sequence[tuple[str, str, int]]) -> None:
    """Parks (id, order number, place in the order) behind earlier callbacks.

    The earlier ones are locked meanwhile, so the process that finishes them sees the parked ones and releases them. If
    one is just being finished, its lock is not available and the next claim checks again.
    """
    if not blocked:
        return
    heads = tx.rows(
        f"SELECT order_number, order_seq FROM callbacks WHERE shop_id = $1 AND order_number = ANY($2)"
        f" AND status IN {_UNFINISHED} FOR UPDATE SKIP LOCKED",
        tx.shop_id,
        [number for _, number, _ in blocked],
    )
    first = {number: min(seq for other, seq in heads if other == number) for number, _ in heads}
    parked = [found for found, number, seq in blocked if first.get(number, seq) < seq]
    tx.run(
        "UPDATE callbacks SET status = 'WAITING' WHERE shop_id = $1 AND id = ANY($2) AND status = 'PENDING'",
        tx.shop_id,
        parked,
    )


def bodies(tx: ShopTx, numbers: Sequence[str]) -> dict[str, str]:
    """Order number -> the order's present JSON, as read without flags (docs/api.md, Events)."""
    rows = tx.rows(
        f"WITH {ACCOUNTS} SELECT o.number, {order_json(Include())} FROM {FROM_ORDERS}"
        " WHERE o.shop_id = $1 AND o.number = ANY($2)",
        tx.shop_id,
        list(numbers),
    )
    return {row[0]: row[1] for row in rows}


def release(tx: ShopTx, ids: Sequence[str]) -> None:
    """Releases claims without an attempt."""
    tx.run("UPDATE callbacks SET claimed_until = NULL WHERE shop_id = $1 AND id = ANY($2)", tx.shop_id, list(ids))


def give_up(tx: ShopTx, callback_id: str, reason: str, now: datetime) -> None:
    """Ends a claimed callback that cannot be sent."""
    tx.run(
        "UPDATE callbacks SET status = 'GIVEN_UP', due_at = NULL, claimed_until = NULL, last_error = $3,"
        " last_error_message = $5, finished_at = $4 WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        callback_id,
        reason,
        now,
        coded(reason),
    )


def lock(tx: ShopTx, ids: Sequence[str]) -> dict[str, StoredCallback]:
    """Locks callbacks in the order of their ids; those that exist."""
    rows = tx.rows(
        "SELECT id, status, coalesce(first_due_at, queued_at) AS first_due_at, coalesce(due_at, queued_at) AS due_at,"
        " attempts"
        " FROM callbacks WHERE shop_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE",
        tx.shop_id,
        list(ids),
    )
    return {
        row.id: StoredCallback(CallbackStatus(row.status), row.first_due_at, row.due_at, row.attempts) for row in rows
    }


_RECORD: Final = """
UPDATE callbacks c SET status = r.status, attempts = r.attempt, due_at = r.due_at, claimed_until = NULL,
       last_error = r.error, last_error_message = r.error_message, finished_at = r.finished_at
FROM json_to_recordset($2::json) AS r(id text, status text, attempt int, due_at timestamptz, error text,
                                      error_message text, finished_at timestamptz)
WHERE c.shop_id = $1 AND c.id = r.id"""

_LOG: Final = """
INSERT INTO callback_attempts (shop_id, callback_id, attempt, at, elapsed_ms, http_status, error, error_message,
                               request, answer, next_try_at, name_us, connect_us, tls_us, first_byte_us, address)
SELECT $1, r.id, r.attempt, r.at, r.elapsed_ms, r.http_status, r.error, r.error_message, r.request, r.answer,
       r.due_at, r.name_us, r.connect_us, r.tls_us, r.first_byte_us, r.address
FROM json_to_recordset($2::json) AS r(id text, attempt int, at timestamptz, elapsed_ms int, http_status int,
                                      error text, error_message text, request text, answer text, due_at timestamptz,
                                      name_us int, connect_us int, tls_us int, first_byte_us int, address text)
RETURNING 1"""


def record(tx: ShopTx, written: Sequence[AttemptedCallback]) -> None:
    """Writes the attempts and what they changed; the caller holds the callbacks' locks.

    Of several attempts of one callback the last decides its state.
    """
    rows = [
        {
            "id": item.callback_id,
            "status": item.status,
            "attempt": item.attempt.attempt,
            "due_at": item.due_at,
            "error": str(item.attempt.error),
            "error_message": coded(item.attempt.error),
            "finished_at": None if item.status in UNFINISHED else item.attempt.at,
            "at": item.attempt.at,
            "elapsed_ms": item.attempt.elapsed_ms,
            "http_status": item.attempt.http_status,
            "request": item.attempt.request,
            "answer": item.attempt.answer,
            "name_us": item.attempt.timing.name_us,
            "connect_us": item.attempt.timing.connect_us,
            "tls_us": item.attempt.timing.tls_us,
            "first_byte_us": item.attempt.timing.first_byte_us,
            "address": item.attempt.timing.address,
        }
        for item in written
    ]
    tx.run(_RECORD, tx.shop_id, _JSON.encode(list({row["id"]: row for row in rows}.values())).decode())
    tx.run(_LOG, tx.shop_id, _JSON.encode(rows).decode())


_UNBLOCK: Final = f"""
UPDATE callbacks w SET status = 'PENDING', due_at = $3
WHERE w.shop_id = $1 AND w.order_number = ANY($2) AND w.status = 'WAITING'
  AND NOT EXISTS (SELECT FROM callbacks e WHERE e.shop_id = $1 AND e.order_number = w.order_number
                  AND e.order_seq < w.order_seq AND e.status IN {_UNFINISHED})"""


def unblock(tx: ShopTx, numbers: Sequence[str], now: datetime) -> int:
    """Releases the next callback of each order whose earlier ones are finished; returns their number."""
    return tx.run(_UNBLOCK, tx.shop_id, list(numbers), now)


def pause(tx: ShopTx, now: datetime) -> None:
    """Stops the shop's callbacks until `resume`."""
    tx.run(
        "UPDATE shops SET callbacks_paused_at = $2 WHERE shop_id = $1 AND callbacks_paused_at IS NULL", tx.shop_id, now
    )


_WITHDRAW: Final = """
WITH pair AS (
    SELECT undone.id AS undone, undoing.id AS undoing
    FROM unnest($2::text[]) w(number)
    CROSS JOIN LATERAL (SELECT c.* FROM callbacks c WHERE c.shop_id = $1 AND c.order_number = w.number
                        ORDER BY c.order_seq DESC LIMIT 1) undoing
    JOIN callbacks undone ON undone.shop_id = $1 AND undone.order_number = w.number
                         AND undone.order_seq = undoing.order_seq - 1
    JOIN events did ON did.shop_id = $1 AND did.seq = undone.event_seq
    JOIN events undid ON undid.shop_id = $1 AND undid.seq = undoing.event_seq
    WHERE undone.status = 'PENDING' AND undone.attempts = 0 AND undone.due_at > $3
      AND undone.first_due_at > undone.queued_at AND undoing.status = 'PENDING' AND did.from_status = undid.to_status)
UPDATE callbacks c SET status = 'WITHDRAWN', due_at = NULL, finished_at = $3
FROM pair WHERE c.shop_id = $1 AND c.id IN (pair.undone, pair.undoing)"""


def withdraw_undone(tx: ShopTx, numbers: Sequence[str], now: datetime) -> None:
    """Withdraws the orders' last two callbacks if the last one reverses the one before, which is not due yet.

    The caller has the orders' locks, so no further callback comes meanwhile.
    """
    if numbers:
        tx.run(_WITHDRAW, tx.shop_id, list(numbers), now)


def next_due_at(tx: ShopTx) -> datetime | None:
    """When the shop's next attempt is or was due, including those in progress; None if none is planned."""
    found: datetime | None = tx.value(
        "SELECT min(due_at) FROM callbacks WHERE shop_id = $1 AND status = 'PENDING'", tx.shop_id
    )
    return found


def resume(tx: ShopTx) -> int:
    """Resumes the shop's callbacks, the paused ones at once; returns how many were paused."""
    tx.run("UPDATE shops SET callbacks_paused_at = NULL WHERE shop_id = $1", tx.shop_id)
    return tx.run(
        "UPDATE callbacks SET status = 'PENDING', due_at = coalesce(first_due_at, queued_at)"
        " WHERE shop_id = $1 AND status = 'PAUSED'",
        tx.shop_id,
    )


def paused_at(tx: ShopTx) -> datetime | None:
    """Since when the shop's callbacks are paused, None if they are not."""
    found: datetime | None = tx.value("SELECT callbacks_paused_at FROM shops WHERE shop_id = $1", tx.shop_id)
    return found


def restart(tx: ShopTx, callback_id: str, status: CallbackStatus, now: datetime) -> None:
    """Restarts the callback's seven days, due at once; a call in progress keeps its lease."""
    tx.run(
        "UPDATE callbacks SET status = $3, first_due_at = $4, due_at = $4, finished_at = NULL"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        callback_id,
        status,
        now,
    )


def failed_since(tx: ShopTx, since: datetime) -> list[str]:
    """Callbacks queued since a moment that were tried or given up and are not delivered, in sequence."""
    rows = tx.rows(
        "SELECT id FROM callbacks WHERE shop_id = $1 AND queued_at >= $2"
        " AND (status IN ('GIVEN_UP', 'PAUSED') OR status = 'PENDING' AND attempts > 0) ORDER BY queued_at, id",
        tx.shop_id,
        since,
    )
    return [row[0] for row in rows]


def add_test(tx: ShopTx, callback_id: str, now: datetime) -> None:
    """Queues a test event: a callback that belongs to no event and no order."""
    tx.run(
        "INSERT INTO callbacks (shop_id, id, order_number, order_seq, status, queued_at, first_due_at, due_at)"
        " VALUES ($1, $2, '', 0, 'PENDING', $3, $3, $3)",
        tx.shop_id,
        callback_id,
        now,
    )


_ROW: Final = """c.id, c.event_seq, c.order_number, coalesce(e.from_status, '') AS from_status,
    coalesce(e.to_status, '') AS to_status, c.status, c.attempts, c.queued_at, c.due_at, c.last_error,
    c.last_error_message, c.finished_at
FROM callbacks c LEFT JOIN events e ON e.shop_id = c.shop_id AND e.seq = c.event_seq"""


def page(tx: ShopTx, statuses: Sequence[CallbackStatus], before_id: str | None, limit: int) -> list[CallbackRow]:
    """Callbacks, newest first, starting after `before_id`; all states where `statuses` is empty."""
    rows = tx.rows(
        f"SELECT {_ROW} WHERE c.shop_id = $1 AND (cardinality($2::text[]) = 0 OR c.status = ANY($2::text[]))"
        " AND ($3::text IS NULL OR (c.queued_at, c.id) <"
        " (SELECT b.queued_at, b.id FROM callbacks b WHERE b.shop_id = $1 AND b.id = $3))"
        " ORDER BY c.queued_at DESC, c.id DESC LIMIT $4",
        tx.shop_id,
        [str(status) for status in statuses],
        before_id,
        limit,
    )
    return [_row(row) for row in rows]


def of_order(tx: ShopTx, number: str) -> list[CallbackRow]:
    """The callbacks of an order, newest first."""
    statement = f"SELECT {_ROW} WHERE c.shop_id = $1 AND c.order_number = $2 ORDER BY c.queued_at DESC, c.id DESC"
    return [_row(row) for row in tx.rows(statement, tx.shop_id, number)]


def find(tx: ShopTx, callback_id: str) -> CallbackRow | None:
    """The callback, or None."""
    row = tx.row(f"SELECT {_ROW} WHERE c.shop_id = $1 AND c.id = $2", tx.shop_id, callback_id)
    return _row(row) if row else None


def _row(row: Row) -> CallbackRow:
    error = recall(row.last_error, row.last_error_message)
    return build(CallbackRow, row, without="last_error_message", status=CallbackStatus(row.status), last_error=error)


_TIMING: Final = tuple(part.name for part in fields(CallTiming))


def attempts(tx: ShopTx, callback_id: str, limit: int = 1000) -> list[CallbackAttempt]:
    """The logged attempts of a callback, newest first."""
    rows = tx.rows(
        "SELECT attempt, at, elapsed_ms, http_status, error, error_message, request, answer, next_try_at, "
        f"{', '.join(_TIMING)}"
        " FROM callback_attempts"
        " WHERE shop_id = $1 AND callback_id = $2 ORDER BY attempt DESC LIMIT $3",
        tx.shop_id,
        callback_id,
        limit,
    )
    return [_attempt(row) for row in rows]


def _attempt(row: Row) -> CallbackAttempt:
    columns = row._asdict()
    error = recall(columns["error"], columns.pop("error_message"))
    timing = CallTiming(**{part: columns.pop(part) for part in _TIMING})
    return CallbackAttempt(**{**columns, "error": error, "timing": timing})


def rotate_secret(tx: ShopTx, secret: str, old_until: datetime) -> None:
    """Sets a new signing `secret`; the old one also signs until `old_until`."""
    tx.run(
        "UPDATE shops SET webhook_secret_old = webhook_secret, webhook_secret_old_until = $3, webhook_secret = $2"
        " WHERE shop_id = $1",
        tx.shop_id,
        tx.vault().seal(WEBHOOK_SECRET, secret),
        old_until,
    )
