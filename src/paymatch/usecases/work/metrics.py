"""The figures of /metrics: read from the database, so every process gives the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.shops.audit import INSTALLATION, AuditAction
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.store.server import heartbeats
from paymatch.store.transactions import ShopId, Tx
from paymatch.store.work import audit
from paymatch.store.work import metrics as store
from paymatch.store.work.metrics import Failures, Feeds, JobFigures, QueueFigures, WaitingCallbacks
from paymatch.usecases.work.job_kinds import BY_NAME

STALE_AFTER: Final = timedelta(days=2)
"""A bank without data for longer is worth a check."""


@dataclass(frozen=True, slots=True)
class WorkFigures:
    """Work done and work due, over all real shops."""

    tallies: dict[str, int]
    callbacks: WaitingCallbacks
    jobs: list[JobFigures]
    open_postings: dict[str, int]


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything in /metrics, over all real shops; sizes in bytes."""

    work: WorkFigures
    queues: list[QueueFigures]
    open_alerts: dict[str, int]
    feeds: Feeds
    failures: Failures
    database_bytes: int
    backed_up_at: datetime | None
    worker_seen_at: datetime | None
    """None: no worker has ever been at work."""


def work_figures(database: Database, clock: datetime) -> WorkFigures:
    """The work of this moment."""
    with database.of_all_shops() as tx:
        return _work(tx, clock)


def _work(tx: Tx, clock: datetime) -> WorkFigures:
    return WorkFigures(
        store.tallies(tx), store.callbacks(tx, clock), store.jobs(tx, clock, list(BY_NAME)), store.open_postings(tx)
    )


def figures(database: Database, clock: datetime) -> Figures:
    """The figures of this moment."""
    made = last_backup(database)
    with database.of_all_shops() as tx:
        work = _work(tx, clock)
        queues = store.queues(tx, clock)
        alerts = store.open_alerts(tx)
        feeds = store.feeds(tx, clock - STALE_AFTER)
        failures = store.failures(tx, clock)
        size = store.database_size(tx)
        seen = heartbeats.last(tx, heartbeats.WORKER)
    return Figures(work, queues, alerts, feeds, failures, size, made, seen)


def record_worker(database: Database, clock: datetime) -> None:
    """Records that a worker is at work."""
    with database.of_all_shops() as tx:
        heartbeats.record(tx, heartbeats.WORKER, clock)


def last_seen_worker(database: Database) -> datetime | None:
    """When a worker was last at work; None if none ever was."""
    with database.of_all_shops() as tx:
        return heartbeats.last(tx, heartbeats.WORKER)


def last_backup(database: Database) -> datetime | None:
    """When `paymatch backup` last made one; None if it never did."""
    with database.of_shop(ShopId(INSTALLATION.id)) as tx:
        made = audit.list_entries(tx, "", AuditAction.BACKUP_MADE, AskedPage(1)).rows
    return made[0].entry.at if made else None
