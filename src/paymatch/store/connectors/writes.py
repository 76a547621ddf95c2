"""Writes to shop systems in PostgreSQL: waiting orders, started writes, and their outcome (D-78)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from paymatch.domain.connectors.write_back import Present
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.words.message import Message
from paymatch.store.connection import Row
from paymatch.store.messages import message_to_json
from paymatch.store.transactions import ShopTx

_EVENTS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Write:
    """An order whose payment status must be written: `seq` is its event. Amounts in minor units."""

    external_id: str
    order_number: str
    seq: int
    status: PaymentStatus
    failures: int
    before: str
    ours: frozenset[str]
    paid_minor: int
    due_minor: int
    currency: str

    def present(self, state: str) -> Present:
        """The order's status in the shop, from this state."""
        return Present(state, self.before, self.ours)


def follow_events(tx: ShopTx, connector: str, at: datetime) -> bool:
    """Queues the orders of the connector with events that it has not seen; True if there may be more events.

    Several events of an order are one write: it writes the order's state at that time.
    """
    row = tx.row(
        "SELECT c.event_seq, least(coalesce(e.last_seq, 0), c.event_seq + $3) AS until, e.last_seq FROM connectors c"
        " LEFT JOIN event_counters e ON e.shop_id = c.shop_id WHERE c.shop_id = $1 AND c.name = $2 FOR UPDATE OF c",
        tx.shop_id,
        connector,
        _EVENTS_AT_ONCE,
    )
    if row is None or row.until <= row.event_seq:
        return False
    tx.run(
        "UPDATE connector_orders o SET write_at = $5, write_seq = n.seq, write_failures = 0 FROM"
        " (SELECT order_number, max(seq) AS seq FROM events WHERE shop_id = $1 AND seq > $3 AND seq <= $4"
        " GROUP BY order_number) n WHERE o.shop_id = $1 AND o.connector = $2 AND o.taken"
        " AND o.order_number = n.order_number",
        tx.shop_id, connector, row.event_seq, row.until, at,
    )  # fmt: skip
    tx.run("UPDATE connectors SET event_seq = $3 WHERE shop_id = $1 AND name = $2", tx.shop_id, connector, row.until)
    return bool(row.until < row.last_seq)


def queue(tx: ShopTx, connector: str, external_ids: Collection[str], at: datetime) -> int:
    """Schedules writing the orders at that moment in any case; returns their number."""
    return tx.run(
        "UPDATE connector_orders SET write_at = $4, write_failures = 0 WHERE shop_id = $1 AND connector = $2"
        " AND external_id = ANY($3) AND taken",
        tx.shop_id,
        connector,
        list(external_ids),
        at,
    )


def queue_unwritten(tx: ShopTx, connector: str, at: datetime) -> int:
    """Schedules another try for failed writes at that moment; returns their number."""
    return tx.run(
        "UPDATE connector_orders SET write_at = $3, write_failures = 0 WHERE shop_id = $1 AND connector = $2"
        " AND taken AND write_problem IS NOT NULL",
        tx.shop_id,
        connector,
        at,
    )


def due(tx: ShopTx, connector: str, clock: datetime, limit: int) -> list[Write]:
    """Orders to write now, longest waiting first."""
    rows = tx.rows(
        "SELECT c.external_id, c.order_number, c.write_seq, c.write_failures, c.state_before, c.our_states, o.status,"
        " o.postings_minor - o.refunded_minor AS paid_minor, o.amount_minor, o.currency FROM connector_orders c"
        " JOIN orders o ON o.shop_id = c.shop_id AND o.number = c.order_number"
        " WHERE c.shop_id = $1 AND c.connector = $2 AND c.taken AND c.write_at <= $3"
        " ORDER BY c.write_at, c.external_id LIMIT $4",
        tx.shop_id, connector, clock, limit,
    )  # fmt: skip
    return [_write(row) for row in rows]


def _write(row: Row) -> Write:
    return Write(
        row.external_id, row.order_number, row.write_seq, PaymentStatus(row.status), row.write_failures,
        row.state_before, frozenset(row.our_states), row.paid_minor, row.amount_minor, row.currency,
    )  # fmt: skip


def begin(tx: ShopTx, connector: str, write: Write, state: str, states: Collection[str]) -> None:
    """Records the target states of the moves before the first one: its answer may get lost."""
    tx.run(
        "UPDATE connector_orders SET our_states = $4, state_before = CASE WHEN state_before = '' THEN $5 ELSE"
        " state_before END, state = $5 WHERE shop_id = $1 AND connector = $2 AND external_id = $3",
        tx.shop_id, connector, write.external_id, sorted(write.ours | set(states)), state,
    )  # fmt: skip


def record_write(tx: ShopTx, connector: str, write: Write, state: str, ours: Collection[str], clock: datetime) -> None:
    """Records the shop's state, which now agrees with the payment status.

    `ours`: its states that we have set; none means that the order is as if we had never moved it.
    """
    tx.run(
        "UPDATE connector_orders SET state = $4, our_states = $5, state_before = CASE WHEN $5 = '{}'::text[] THEN ''"
        " ELSE state_before END, written_status = $6, written_at = $7, write_failures = 0, write_problem = NULL,"
        " write_problem_at = NULL, write_at = CASE WHEN write_seq = $8 THEN NULL ELSE write_at END"
        " WHERE shop_id = $1 AND connector = $2 AND external_id = $3",
        tx.shop_id, connector, write.external_id, state, sorted(ours), write.status, clock, write.seq,
    )  # fmt: skip


def record_refusal(tx: ShopTx, connector: str, write: Write, problem: Message, clock: datetime) -> None:
    """Records a failed write for a person; the next event of the order tries again."""
    tx.run(
        "UPDATE connector_orders SET write_problem = $4, write_problem_at = $5, write_failures = 0,"
        " write_at = CASE WHEN write_seq = $6 THEN NULL ELSE write_at END"
        " WHERE shop_id = $1 AND connector = $2 AND external_id = $3",
        tx.shop_id, connector, write.external_id, message_to_json(problem), clock, write.seq,
    )  # fmt: skip


def put_off(tx: ShopTx, connector: str, write: Write, until: datetime) -> None:
    """Schedules another try of a failed write."""
    tx.run(
        "UPDATE connector_orders SET write_at = $4, write_failures = write_failures + 1 WHERE shop_id = $1"
        " AND connector = $2 AND external_id = $3",
        tx.shop_id,
        connector,
        write.external_id,
        until,
    )
