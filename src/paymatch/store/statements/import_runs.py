"""Imports that continue after their caller was answered, in PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.store.connection import build
from paymatch.store.messages import coded, recall
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class ImportRunRow:
    """A running or ended import. `alive_until` by the real clock: until then a process works on it."""

    id: str
    file_name: str
    state: str  # running, done, refused
    report: str  # as JSON, when it is done
    error: str
    started_at: datetime
    alive_until: datetime


def add(tx: ShopTx, row: ImportRunRow) -> None:
    """Stores a running import."""
    tx.run(
        "INSERT INTO import_runs (shop_id, id, file_name, state, report, error, error_message, started_at, alive_until)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        tx.shop_id, row.id, row.file_name, row.state, row.report, row.error, coded(row.error), row.started_at,
        row.alive_until,
    )  # fmt: skip


def renew(tx: ShopTx, run_id: str, alive_until: datetime) -> None:
    """Renews the import's lease."""
    tx.run(
        "UPDATE import_runs SET alive_until = $3 WHERE shop_id = $1 AND id = $2 AND state = 'running'",
        tx.shop_id,
        run_id,
        alive_until,
    )


def finish(tx: ShopTx, run_id: str, *, report: str = "", error: str = "") -> None:
    """Records the import's report, or its error."""
    tx.run(
        "UPDATE import_runs SET state = CASE WHEN $4 = '' THEN 'done' ELSE 'refused' END, report = $3, error = $4,"
        " error_message = $5"
        " WHERE shop_id = $1 AND id = $2 AND state = 'running'",
        tx.shop_id,
        run_id,
        report,
        error,
        coded(error),
    )


def find(tx: ShopTx, run_id: str) -> ImportRunRow | None:
    """The run of this id."""
    row = tx.row(
        "SELECT id, file_name, state, report, error, error_message, started_at, alive_until FROM import_runs"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        run_id,
    )
    if row is None:
        return None
    return build(ImportRunRow, row, without="error_message", error=recall(row.error, row.error_message))


def forget(tx: ShopTx, before: datetime, limit: int) -> int:
    """Forgets runs that began before a moment; how many."""
    return tx.run(
        "DELETE FROM import_runs r USING (SELECT id FROM import_runs WHERE shop_id = $1 AND started_at < $2"
        " LIMIT $3) old WHERE r.shop_id = $1 AND r.id = old.id",
        tx.shop_id,
        before,
        limit,
    )
