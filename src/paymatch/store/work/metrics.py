"""Figures over all real shops, read from the database on request; all need the operator's view.

Sandbox shops are left out: their clocks may be stopped, and failures there are part of someone's test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.store.connection import build
from paymatch.store.transactions import Tx

OVERDUE: Final = timedelta(minutes=1)
"""Work that has been due for longer, and that no process does, is late."""
RECENT_IMPORTS: Final = timedelta(days=1)
"""How far back failed requests and refused imports are counted."""


@dataclass(frozen=True, slots=True)
class WaitingCallbacks:
    """Callbacks that will be sent: all, the late ones, and when the first was due (None: none is due)."""

    pending: int
    overdue: int
    oldest_due_at: datetime | None
    paused_shops: int


@dataclass(frozen=True, slots=True)
class JobFigures:
    """The jobs of one kind over all shops: how often done and failed; failing, due and late ones now."""

    kind: str
    done: int
    failed: int
    failing: int
    due: int
    overdue: int
    oldest_due_at: datetime | None


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """The waiting items of a queue in one state, and since when the first waits (None: none)."""

    queue: str
    state: str
    items: int
    oldest_at: datetime | None


@dataclass(frozen=True, slots=True)
class Feeds:
    """Connections to banks: all, those that brought nothing for long, and when the oldest was asked last."""

    connections: int
    stale: int
    oldest_fetch_at: datetime | None


@dataclass(frozen=True, slots=True)
class Failures:
    """Recent failures: refused imports."""

    imports: int


def tallies(tx: Tx) -> dict[str, int]:
    """Name -> total (store/work/tallies.py)."""
    rows = tx.rows(
        "SELECT t.name, sum(t.total)::bigint FROM tallies t JOIN shops s ON s.shop_id = t.shop_id"
        " WHERE NOT s.sandbox GROUP BY 1"
    )
    return {row[0]: row[1] for row in rows}


_CALLBACKS: Final = """
SELECT waiting.*, paused.* FROM (
    SELECT count(*) AS pending,
           count(*) FILTER (WHERE c.due_at <= $2 AND (c.claimed_until IS NULL OR c.claimed_until <= $1)) AS overdue,
           min(c.due_at) FILTER (WHERE c.due_at <= $1) AS oldest_due_at
    FROM callbacks c JOIN shops s ON s.shop_id = c.shop_id
    WHERE c.status = 'PENDING' AND NOT s.sandbox AND s.status = 'active' AND s.callbacks AND s.callback_url <> ''
      AND s.callbacks_paused_at IS NULL) waiting, (
    SELECT count(*) AS paused_shops
    FROM shops WHERE NOT sandbox AND status = 'active' AND callbacks_paused_at IS NOT NULL) paused"""


def callbacks(tx: Tx, clock: datetime) -> WaitingCallbacks:
    """Callbacks of shops that send them now."""
    row = tx.row(_CALLBACKS, clock, clock - OVERDUE)
    assert row is not None
    return build(WaitingCallbacks, row)


def jobs(tx: Tx, clock: datetime, kinds: Sequence[str]) -> list[JobFigures]:
    """A row for each of the kinds, in their order."""
    rows = tx.rows(
        "SELECT k.kind, coalesce(sum(j.done), 0)::bigint AS done, coalesce(sum(j.failed), 0)::bigint AS failed,"
        " count(*) FILTER (WHERE j.failures > 0) AS failing, count(*) FILTER (WHERE j.due_at <= $1) AS due,"
        " count(*) FILTER (WHERE j.due_at <= $2 AND (j.claimed_until IS NULL OR j.claimed_until <= $1)) AS overdue,"
        " min(j.due_at) FILTER (WHERE j.due_at <= $1) AS oldest_due_at"
        " FROM unnest($3::text[]) WITH ORDINALITY k(kind, place)"
        " LEFT JOIN (shop_jobs j JOIN shops s ON s.shop_id = j.shop_id AND NOT s.sandbox) ON j.kind = k.kind"
        " GROUP BY k.kind, k.place ORDER BY k.place",
        clock,
        clock - OVERDUE,
        list(kinds),
    )
    return [build(JobFigures, row) for row in rows]


def open_postings(tx: Tx) -> dict[str, int]:
    """Status -> number of postings that wait for a decision."""
    rows = tx.rows(
        "SELECT p.status, count(*) FROM postings p JOIN shops s ON s.shop_id = p.shop_id"
        " WHERE p.status IN ('suggested', 'unmatched') AND NOT s.sandbox GROUP BY 1"
    )
    return {row[0]: row[1] for row in rows}


_QUEUES: Final = """
WITH known(queue, state) AS (VALUES
    ('mails', 'pending'), ('refund-requests', 'pending'), ('letters', 'new'), ('letters', 'spooled'),
    ('letters', 'printing'), ('refunds', 'ready'), ('refunds', 'held'), ('refunds', 'bank-details'),
    ('transfer-files', 'unwritten'), ('collection-messages', 'undelivered'), ('imports', 'running'),
    ('imports', 'abandoned')
), waiting(shop_id, queue, state, since) AS (
    SELECT shop_id, 'mails', 'pending', created_at FROM mails WHERE status = 'PENDING'
    UNION ALL
    SELECT shop_id, 'refund-requests', 'pending', created_at FROM refund_requests
    WHERE status = 'PENDING' AND finished_at IS NULL
    UNION ALL
    SELECT shop_id, 'letters', lower(status), created_at FROM letters WHERE status IN ('NEW', 'SPOOLED', 'PRINTING')
    UNION ALL
    SELECT shop_id, 'refunds',
           CASE WHEN status <> 'NEW' THEN 'bank-details' WHEN held_reason <> '' THEN 'held' ELSE 'ready' END,
           greatest(created_at, planned_date::timestamp AT TIME ZONE 'UTC')
    FROM refunds WHERE status IN ('NEW', 'BANKDETAILS_MISSING') AND planned_date <= ($1::timestamptz)::date
    UNION ALL
    SELECT shop_id, 'transfer-files', 'unwritten', created_at FROM transfer_files WHERE written_at IS NULL
    UNION ALL
    SELECT shop_id, 'collection-messages', 'undelivered', at FROM collection_messages WHERE delivered_at IS NULL
    UNION ALL
    SELECT shop_id, 'imports', CASE WHEN alive_until > $1 THEN 'running' ELSE 'abandoned' END, started_at
    FROM import_runs WHERE state = 'running'
)
SELECT k.queue, k.state, count(s.shop_id) AS items, min(w.since) FILTER (WHERE s.shop_id IS NOT NULL) AS oldest_at
FROM known k LEFT JOIN waiting w USING (queue, state)
LEFT JOIN shops s ON s.shop_id = w.shop_id AND NOT s.sandbox AND s.status = 'active'
GROUP BY k.queue, k.state ORDER BY k.queue, k.state"""


def queues(tx: Tx, clock: datetime) -> list[QueueFigures]:
    """Items that wait for the service or for a person, a row for each queue and state, in the order of their names."""
    return [build(QueueFigures, row) for row in tx.rows(_QUEUES, clock)]


def open_alerts(tx: Tx) -> dict[str, int]:
    """Kind -> number of alerts that are open."""
    rows = tx.rows(
        "SELECT a.kind, count(*) FROM alerts a JOIN shops s ON s.shop_id = a.shop_id"
        " WHERE a.resolved_at IS NULL AND NOT s.sandbox AND s.status = 'active' GROUP BY 1"
    )
    return {row[0]: row[1] for row in rows}


def feeds(tx: Tx, stale_since: datetime) -> Feeds:
    """The connections to banks; one that brought nothing since then, or never, is stale."""
    row = tx.row(
        "SELECT count(*) AS connections,"
        " count(*) FILTER (WHERE c.last_fetched_at IS NULL OR c.last_fetched_at < $1) AS stale,"
        " min(c.last_fetched_at) AS oldest_fetch_at FROM bank_connections c JOIN shops s ON s.shop_id = c.shop_id"
        " WHERE NOT s.sandbox AND s.status = 'active'",
        stale_since,
    )
    assert row is not None
    return build(Feeds, row)


def failures(tx: Tx, clock: datetime) -> Failures:
    """Failures within RECENT_IMPORTS."""
    row = tx.row(
        "SELECT count(*) AS imports FROM import_runs i JOIN shops s ON s.shop_id = i.shop_id"
        " WHERE i.started_at > $1 AND i.state = 'refused' AND NOT s.sandbox",
        clock - RECENT_IMPORTS,
    )
    assert row is not None
    return build(Failures, row)


def database_size(tx: Tx) -> int:
    """Bytes of the whole database on disk."""
    return int(tx.value("SELECT pg_database_size(current_database())"))
