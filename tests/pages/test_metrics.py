"""/metrics tells the same figures whichever process is asked, and they are true."""

from __future__ import annotations

import multiprocessing
import shutil
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs

from paymatch import __version__
from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import INSTALLATION, AuditAction
from paymatch.domain.words.message import Message
from paymatch.failed_requests import FailedRequests
from paymatch.jobs.worker import Worker
from paymatch.outbound.http import HttpAnswer, HttpCall, NullHttp
from paymatch.pages import metrics as pages_metrics
from paymatch.pages.metrics import Metrics, ServiceState
from paymatch.store.database import Database
from paymatch.store.work import alerts
from paymatch.usecases.audit import record_alone
from paymatch.usecases.refunds import refunds
from paymatch.usecases.shops import shops
from paymatch.usecases.work import job_kinds, metrics, shop_jobs
from paymatch.usecases.work.job_kinds import JobGateways
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, new_world
from tests.waiting import wait_until


@pytest.fixture
def world(migrated_url: str) -> Iterator[World]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    yield new_world(database)
    database.close()


def told(world: World, service: ServiceState | None = None) -> dict[str, float]:
    """What a process that has just started says; zeros are left out."""
    text = Metrics(world.database, world.clock, service).text().decode()
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(sample.labels.values())
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    assert found.pop("paymatch_database_bytes") > 1_000_000
    assert found.pop("paymatch_database_writable") == 1
    assert found.pop(f"paymatch_build_info{{{__version__}}}") == 1
    found.pop("paymatch_job_runs_total{search,done}", None)  # hourly, at a minute that the shop's id decides
    return {name: value for name, value in found.items() if value}


def work(world: World, status: int) -> None:
    def answer(_call: HttpCall) -> HttpAnswer:
        return HttpAnswer(status, b"", truncated=False, retry_after=None, elapsed_seconds=0.0, address="")

    with capture_logs():
        Worker(world.database, NullHttp(answer), world.clock).drain()


def test_nothing_has_happened(world: World) -> None:
    assert told(world) == {}


def test_callbacks(world: World) -> None:
    for number in ("1", "2", "3"):
        world.add_order(number)
        world.set_paid(number)
    world.pass_time(seconds=30)
    assert told(world) == {"paymatch_callbacks_pending": 3, "paymatch_callbacks_oldest_due_seconds": 30}
    world.pass_time(seconds=30)
    assert told(world) == {
        "paymatch_callbacks_pending": 3, "paymatch_callbacks_overdue": 3, "paymatch_callbacks_oldest_due_seconds": 60,
    }  # fmt: skip
    work(world, 500)
    assert told(world) == {"paymatch_callback_attempts_total{failed}": 3, "paymatch_callbacks_pending": 3}
    world.pass_time(minutes=20)
    work(world, 200)
    assert told(world) == {
        "paymatch_callback_attempts_total{failed}": 3, "paymatch_callback_attempts_total{delivered}": 3,
    }  # fmt: skip
    world.set_unpaid("1")
    world.pass_time(days=1)
    work(world, 410)
    found = told(world)
    assert found["paymatch_callbacks_paused_shops"] == 1
    assert (found["paymatch_callback_attempts_total{failed}"], found.get("paymatch_callbacks_pending")) == (4, None)


def test_given_up_callbacks(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    work(world, 500)
    world.pass_time(days=7)
    work(world, 500)
    found = told(world)
    assert found["paymatch_callbacks_given_up_total"] == 1
    assert found["paymatch_callback_attempts_total{failed}"] == 2


def test_jobs(world: World) -> None:
    shop_jobs.plan(world.database)
    world.pass_time(days=1)
    found = told(world)
    assert [found[f"paymatch_jobs_overdue{{{kind}}}"] for kind in ("refund-run", "alerts", "retention")] == [1, 1, 1]
    assert found["paymatch_jobs_oldest_due_seconds{refund-run}"] == 2.5 * 3600
    work(world, 200)
    assert told(world) == {
        "paymatch_job_runs_total{refund-run,done}": 1, "paymatch_job_runs_total{alerts,done}": 1,
        "paymatch_job_runs_total{collection,done}": 1,
        "paymatch_job_runs_total{retention,done}": 1,
    }  # fmt: skip
    broken = job_kinds.JobKind("retention", lambda _shop, now: now + timedelta(days=1), lambda *_: 1 / 0)  # type: ignore[arg-type]
    with capture_logs():
        shop_jobs.run(world.database, JobGateways(), world.id, broken, world.clock, early=True)
    found = told(world)
    assert (found["paymatch_job_runs_total{retention,failed}"], found["paymatch_jobs_failing{retention}"]) == (1, 1)
    assert "paymatch_jobs_due{retention}" not in found


def test_sandbox_shops_are_not_counted(world: World) -> None:
    shops.create(world.database, "Sandbox", world.now - timedelta(days=9), sandbox=True)
    shop_jobs.plan(world.database)
    assert told(world) == {}


def test_answer_is_given_again_for_a_few_seconds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Metrics(world.database, world.clock)
    before = kept.text()
    world.add_order("1")
    world.set_paid("1")
    assert kept.text() == before
    monkeypatch.setattr(pages_metrics, "KEPT_SECONDS", 0.0)
    assert b"paymatch_callbacks_pending 1.0\n" in kept.text()


def test_what_waits_in_queues(world: World) -> None:
    def add(table: str, **columns: object) -> None:
        names, places = ", ".join(columns), ", ".join(f"${place}" for place in range(2, len(columns) + 2))
        with world.database.of_shop(world.id) as tx:
            tx.run(f"INSERT INTO {table} (shop_id, {names}) VALUES ($1, {places})", world.id, *columns.values())

    since, soon = world.now - timedelta(hours=3), world.now + timedelta(minutes=1)
    yesterday = world.now - timedelta(days=1)
    for number, state, began, until in (
        ("1", "running", since, since), ("2", "running", since, soon), ("3", "refused", since, since),
        ("4", "refused", yesterday, since),
    ):  # fmt: skip
        add(
            "import_runs",
            id=number,
            file_name="",
            state=state,
            report="",
            error="",
            started_at=began,
            alive_until=until,
        )
    add("collection_messages", case_id="C1", position=1, order_number="1", kind="payment", at=since, open_minor=1)
    assert told(world) == {
        "paymatch_queue_items{imports,running}": 1, "paymatch_queue_oldest_seconds{imports,running}": 10_800,
        "paymatch_queue_items{imports,abandoned}": 1, "paymatch_queue_oldest_seconds{imports,abandoned}": 10_800,
        "paymatch_queue_items{collection-messages,undelivered}": 1,
        "paymatch_queue_oldest_seconds{collection-messages,undelivered}": 10_800,
        "paymatch_imports_refused_recent": 1,
    }  # fmt: skip


def test_refunds_wait_from_their_planned_day_on(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    wanted = SubmittedRefund("R-1", 500, EUR, 2, world.now.date() + timedelta(days=1), "")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        refunds.create(tx, "1", wanted)
    found = {name: value for name, value in told(world).items() if "callback" not in name}
    assert found == {}
    world.pass_time(days=2)
    found = {name: value for name, value in told(world).items() if "callback" not in name}
    assert found == {
        "paymatch_queue_items{refunds,bank-details}": 1,
        "paymatch_queue_oldest_seconds{refunds,bank-details}": 33.5 * 3600,  # since midnight of the planned day
    }


def test_open_alerts(world: World) -> None:
    with world.database.of_shop(world.id) as tx:
        raised = Alert(AlertKind.SILENT_FEED, "x", Message("alert-silent-feed", account="DE1", day=world.now.date()))
        alerts.raise_(tx, "A1", raised, world.now)
    assert told(world) == {"paymatch_alerts_open{silent-feed}": 1}


def test_failed_requests_are_counted_by_all_processes_together(world: World) -> None:
    failed = FailedRequests()
    for status in (200, 404, 500, 502, 503):
        failed.count_answer(status)
    other = multiprocessing.get_context("fork").Process(target=failed.count_busy)
    other.start()
    other.join()
    assert failed.totals() == {"error": 2, "unavailable": 1, "busy": 1}
    assert told(world, ServiceState(failed.totals)) == {
        "paymatch_requests_failed_total{error}": 2, "paymatch_requests_failed_total{unavailable}": 1,
        "paymatch_requests_failed_total{busy}": 1,
    }  # fmt: skip


def test_free_space_is_that_of_the_disk_even_before_the_folder_is_made(world: World, tmp_path: Path) -> None:
    found = told(world, ServiceState(folders={"data": tmp_path / "not yet" / "data"}))
    assert found["paymatch_capacity_bytes{data}"] == shutil.disk_usage(tmp_path).total
    assert 0 < found["paymatch_free_bytes{data}"] <= found["paymatch_capacity_bytes{data}"]


def test_worker_leaves_a_trace_that_it_is_at_work(world: World, tmp_path: Path) -> None:
    assert b"paymatch_worker_seen_seconds" not in Metrics(world.database, world.clock).text()
    alive = tmp_path / "alive"
    worker = Worker(world.database, NullHttp(lambda _call: None), world.clock, alive_file=alive)  # type: ignore[arg-type,return-value]
    thread = threading.Thread(target=worker.run)
    with capture_logs():
        thread.start()
        wait_until(lambda: metrics.last_seen_worker(world.database) is not None)
        worker.stop()
        thread.join()
    assert alive.exists()
    world.pass_time(minutes=2)
    assert told(world)["paymatch_worker_seen_seconds"] == 120


def test_connection_to_a_bank_that_never_brought_anything_is_stale(world: World) -> None:
    with world.database.of_shop(world.id) as tx:
        tx.run(
            "INSERT INTO bank_connections (shop_id, account, bank_code, server_url, user_name)"
            " VALUES ($1, 'DE1', '1', 'https://bank.example', '')",
            world.id,
        )
    found = told(world)
    assert (found["paymatch_bank_connections"], found["paymatch_bank_connections_stale"]) == (1, 1)


def test_age_of_the_last_backup(world: World) -> None:
    def said() -> bytes:
        return Metrics(world.database, world.clock).text()

    assert b"paymatch_backup_age_seconds" not in said()
    record_alone(world.database, INSTALLATION, AuditAction.BACKUP_MADE, "b.zip")
    assert b"\npaymatch_backup_age_seconds 0.0\n" in said()  # made by the real clock, which is ahead of this world's
