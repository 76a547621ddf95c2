"""/metrics in the format of Prometheus."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Final

import psycopg
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from paymatch import __version__
from paymatch.domain.shops.alerts import AlertKind
from paymatch.failed_requests import REASONS
from paymatch.store.database import Database
from paymatch.store.work import tallies
from paymatch.usecases.work.free_space import FreeSpace, free_space
from paymatch.usecases.work.metrics import Figures, WorkFigures, figures

KEPT_SECONDS: Final = 5.0
"""How long the last answer is reused: endless requests must not keep the database busy."""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """What /metrics says of the service itself, without the database."""

    failed: Callable[[], Mapping[str, int]] = lambda: dict.fromkeys(REASONS, 0)
    """Reason -> requests that failed since the service started."""
    takes_changes: Callable[[], bool] = lambda: True
    """Whether the database commits a change."""
    folders: Mapping[str, Path] = field(default_factory=dict)
    """Name -> folder whose free space is reported."""


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """The figures of the service itself at one moment."""

    failed: Mapping[str, int]
    takes_changes: bool
    folders: Sequence[FreeSpace]


class Metrics:
    """The text of /metrics, renewed after KEPT_SECONDS."""

    def __init__(self, database: Database, clock: Callable[[], datetime], service: ServiceState | None = None) -> None:
        self._database = database
        self._clock = clock
        self._service = service or ServiceState()
        self._lock = threading.Lock()
        self._read_at = 0.0
        self._text = b""

    def text(self) -> bytes:
        """The figures of the service, and of all real shops unless the database does not answer."""
        with self._lock:
            if not self._text or time.monotonic() - self._read_at >= KEPT_SECONDS:
                now, own = self._clock(), self._service
                service = ServiceFigures(own.failed(), own.takes_changes(), free_space(own.folders))
                self._text = metrics_text(self._of_shops(now), service, now)
                self._read_at = time.monotonic()
            return self._text

    def _of_shops(self, now: datetime) -> Figures | None:
        try:
            return figures(self._database, now)
        except psycopg.Error:
            return None


class _Collected(Collector):
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def metrics_text(found: Figures | None, service: ServiceFigures, now: datetime) -> bytes:
    """The figures as Prometheus reads them; None: the database did not answer."""
    registry = CollectorRegistry()
    families = [_service(service)]
    if found is not None:
        families += [
            _callbacks(found.work, now), _jobs(found.work, now), _postings(found.work), _queues(found, now),
            _watch(found, now),
        ]  # fmt: skip
    registry.register(_Collected([*chain.from_iterable(families)]))
    return generate_latest(registry)


def _service(found: ServiceFigures) -> Iterator[Metric]:
    words = "Requests answered with 5xx since the service started, counted in memory."
    failed = CounterMetricFamily("paymatch_requests_failed", words, labels=["reason"])
    for reason, count in found.failed.items():
        failed.add_metric([reason], count)
    yield failed
    words = "1 if the database commits a change, as /readyz asks; 0 if it is away, read-only or its disk is full."
    yield GaugeMetricFamily("paymatch_database_writable", words, float(found.takes_changes))
    free = GaugeMetricFamily("paymatch_free_bytes", "Free space for the folder.", labels=["folder"])
    capacity = GaugeMetricFamily("paymatch_capacity_bytes", "Size of the folder's disk.", labels=["folder"])
    for each in found.folders:
        free.add_metric([each.folder], each.free_bytes)
        capacity.add_metric([each.folder], each.capacity_bytes)
    yield from (free, capacity)
    build = GaugeMetricFamily("paymatch_build_info", "1, with the version that answers.", labels=["version"])
    build.add_metric([__version__], 1)
    yield build


def _callbacks(found: WorkFigures, now: datetime) -> Iterator[Metric]:
    attempts = CounterMetricFamily("paymatch_callback_attempts", "Attempts to deliver callbacks.", labels=["outcome"])
    attempts.add_metric(["delivered"], found.tallies.get(tallies.DELIVERED, 0))
    attempts.add_metric(["failed"], found.tallies.get(tallies.FAILED, 0))
    yield attempts
    waiting = found.callbacks
    given_up = found.tallies.get(tallies.GIVEN_UP, 0)
    yield CounterMetricFamily("paymatch_callbacks_given_up", "Callbacks given up after seven days.", given_up)
    yield GaugeMetricFamily("paymatch_callbacks_pending", "Callbacks that are to be sent.", waiting.pending)
    yield GaugeMetricFamily("paymatch_callbacks_overdue", "Callbacks due for over a minute.", waiting.overdue)
    oldest = "Seconds since the callback that is due for longest was due."
    yield GaugeMetricFamily("paymatch_callbacks_oldest_due_seconds", oldest, _age(waiting.oldest_due_at, now))
    paused = "Shops whose receiver asked for no more callbacks."
    yield GaugeMetricFamily("paymatch_callbacks_paused_shops", paused, waiting.paused_shops)


def _jobs(found: WorkFigures, now: datetime) -> Iterator[Metric]:
    runs = CounterMetricFamily("paymatch_job_runs", "Jobs of shops that were run.", labels=["kind", "outcome"])
    failing = GaugeMetricFamily("paymatch_jobs_failing", "Jobs whose last run failed.", labels=["kind"])
    due = GaugeMetricFamily("paymatch_jobs_due", "Jobs that are due or being done.", labels=["kind"])
    overdue = GaugeMetricFamily("paymatch_jobs_overdue", "Jobs due for over a minute, not being done.", labels=["kind"])
    words = "Seconds since the job that is due for longest was due."
    oldest = GaugeMetricFamily("paymatch_jobs_oldest_due_seconds", words, labels=["kind"])
    for each in found.jobs:
        runs.add_metric([each.kind, "done"], each.done)
        runs.add_metric([each.kind, "failed"], each.failed)
        failing.add_metric([each.kind], each.failing)
        due.add_metric([each.kind], each.due)
        overdue.add_metric([each.kind], each.overdue)
        oldest.add_metric([each.kind], _age(each.oldest_due_at, now))
    yield from (runs, failing, due, overdue, oldest)


def _postings(found: WorkFigures) -> Iterator[Metric]:
    decided = CounterMetricFamily("paymatch_postings_decided", "Decisions of the matching.", labels=["outcome"])
    for outcome in ("matched", "suggested", "unmatched"):
        decided.add_metric([outcome], found.tallies.get(tallies.DECIDED + outcome, 0))
    yield decided
    opened = GaugeMetricFamily("paymatch_postings_open", "Postings that wait for a decision.", labels=["status"])
    for status in ("suggested", "unmatched"):
        opened.add_metric([status], found.open_postings.get(status, 0))
    yield opened


def _queues(found: Figures, now: datetime) -> Iterator[Metric]:
    labels = ["queue", "state"]
    items = GaugeMetricFamily("paymatch_queue_items", "What waits for the service or for a person.", labels=labels)
    words = "Seconds for which the first has waited."
    oldest = GaugeMetricFamily("paymatch_queue_oldest_seconds", words, labels=labels)
    for each in found.queues:
        items.add_metric([each.queue, each.state], each.items)
        oldest.add_metric([each.queue, each.state], _age(each.oldest_at, now))
    yield from (items, oldest)


def _watch(found: Figures, now: datetime) -> Iterator[Metric]:
    alerts = GaugeMetricFamily("paymatch_alerts_open", "Alerts that are open.", labels=["kind"])
    for kind in AlertKind:
        alerts.add_metric([kind], found.open_alerts.get(kind, 0))
    yield alerts
    feeds = found.feeds
    yield GaugeMetricFamily("paymatch_bank_connections", "Connections to banks.", feeds.connections)
    yield GaugeMetricFamily(
        "paymatch_bank_connections_stale", "Those that brought nothing for two days, or never.", feeds.stale
    )
    words = "Seconds since the bank was asked that was asked longest ago."
    age = _age(feeds.oldest_fetch_at, now)
    yield GaugeMetricFamily("paymatch_bank_connections_oldest_fetch_seconds", words, age)
    words = "Bank files that were refused in the last day."
    yield GaugeMetricFamily("paymatch_imports_refused_recent", words, found.failures.imports)
    yield GaugeMetricFamily("paymatch_database_bytes", "Size of the database.", found.database_bytes)
    if found.backed_up_at is not None:
        words = "Seconds since `paymatch backup` made the last backup; missing if it never did."
        yield GaugeMetricFamily("paymatch_backup_age_seconds", words, _age(found.backed_up_at, now))
    if found.worker_seen_at is not None:
        words = "Seconds since a worker was last at work; missing if none ever was."
        yield GaugeMetricFamily("paymatch_worker_seen_seconds", words, _age(found.worker_seen_at, now))


def _age(due_at: datetime | None, now: datetime) -> float:
    return 0.0 if due_at is None else max((now - due_at).total_seconds(), 0.0)
