"""Refund runs by the worker: on time, once, switched off, and killed at every boundary of a transaction."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from paymatch.jobs.worker import Worker
from paymatch.outbound.http import NullHttp
from paymatch.store.database import Database
from paymatch.store.work.shop_jobs import JobRow
from paymatch.usecases.refunds import refund_runs
from paymatch.usecases.refunds.transfer_files import write_out
from paymatch.usecases.shops import shops
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import JobGateways
from paymatch.usecases.work.metrics import work_figures
from tests.hard_stop import KILLED, drive
from tests.jobs.refund_run_drive import main
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import RefundWorld

RUN_AT = datetime(2026, 3, 3, 7, 0, tzinfo=UTC)
"""Eight o'clock in Berlin, on the day for which the refunds of these tests are planned."""


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[RefundWorld]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    yield RefundWorld(database, tmp_path / "invoices")
    database.close()


def work(world: RefundWorld, folder: Path, at: datetime) -> list[str]:
    """A worker does what is due at the moment; the names of the files in the shop's folder then."""
    world.clock.now = at
    with capture_logs():
        Worker(world.database, NullHttp(), world.clock, doors=JobGateways(folder)).drain()
    own = folder / str(world.client.id)
    return sorted(path.name for path in own.iterdir()) if own.is_dir() else []


def put_others_off(world: RefundWorld, at: datetime) -> None:
    """Only the run is due at the moment: jobs at a minute of the shop's own may fall on it."""
    with world.database.of_shop(world.client.shop) as tx:
        tx.run(
            "UPDATE shop_jobs SET due_at = $3 WHERE shop_id = $1 AND kind <> 'refund-run' AND due_at <= $2",
            *(tx.shop_id, at, at + timedelta(hours=1)),
        )


def job(world: RefundWorld) -> JobRow:
    (row,) = shop_jobs.jobs(world.database, world.client.shop, "refund-run")
    return row


def test_worker_runs_refunds_at_eight_on_bank_days(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-90101")
    refund = world.file("SO-90101", 30)
    assert work(world, tmp_path, RUN_AT - timedelta(seconds=1)) == []
    assert world.status(refund) == "NEW"
    (name,) = work(world, tmp_path, RUN_AT)
    assert world.status(refund) == "IN_PROCESS"
    assert (tmp_path / str(world.client.id) / name).read_bytes() == world.contents()[0]
    assert (job(world).last_result, job(world).due_at) == (
        "1 file with 1 refund, 0 not sent",
        RUN_AT + timedelta(days=1),
    )
    assert work(world, tmp_path, RUN_AT + timedelta(days=1)) == [name]
    assert world.run() == refund_runs.Run((), ())
    assert write_out(world.database, world.client.shop, tmp_path / "other", world.clock.now) == []
    world.check()
    assert work_figures(world.database, world.clock.now).tallies == {"postings matched": 1}


def test_refund_of_the_weekend_is_sent_on_monday(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-90201")
    refund = world.file("SO-90201", 30, plannedDate="07-03-2026")
    assert work(world, tmp_path, datetime(2026, 3, 6, 12, 0, tzinfo=UTC)) == []
    assert work(world, tmp_path, datetime(2026, 3, 8, 12, 0, tzinfo=UTC)) == []
    assert world.status(refund) == "NEW"
    assert len(work(world, tmp_path, datetime(2026, 3, 9, 7, 0, tzinfo=UTC))) == 1


def test_run_that_was_missed_is_made_good_once(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-90301")
    world.file("SO-90301", 30)
    assert len(work(world, tmp_path, RUN_AT + timedelta(days=6, hours=9))) == 1
    assert (job(world).done, job(world).due_at) == (1, RUN_AT + timedelta(days=7))


def test_shop_may_switch_automatic_runs_off(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-90401")
    refund = world.file("SO-90401", 30)
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {"refund-runs": "off"})
    assert work(world, tmp_path, RUN_AT) == []
    assert (world.status(refund), job(world).last_result) == ("NEW", "refund-runs is off")
    assert len(world.run().files) == 1


def test_folder_that_cannot_be_written_is_made_good_later(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-90501")
    refund = world.file("SO-90501", 30)
    blocked = tmp_path / "blocked"
    blocked.write_text("no folder")
    assert work(world, blocked, RUN_AT) == []
    assert (world.status(refund), job(world).failures) == ("IN_PROCESS", 1)
    assert job(world).last_error.startswith("NotADirectoryError: ")
    assert work(world, tmp_path / "out", RUN_AT + timedelta(seconds=59)) == []
    assert len(work(world, tmp_path / "out", RUN_AT + timedelta(minutes=1))) == 1
    assert (len(world.contents()), job(world).failures, job(world).done) == (1, 0, 1)
    world.check()


def test_run_that_is_killed_anywhere_is_done_by_the_next_worker(
    world: RefundWorld, migrated_url: str, tmp_path: Path
) -> None:
    reached = 0
    boundary, stopped = 0, True
    while stopped:
        boundary += 1
        world.paid(f"SO-906{boundary:02d}")
        run_at = job(world).due_at
        assert run_at is not None
        refund = world.file(f"SO-906{boundary:02d}", 30, plannedDate=f"{run_at:%d-%m-%Y}")
        work(world, tmp_path, run_at - timedelta(minutes=1))
        done, files = job(world).done, len(world.contents())
        put_others_off(world, run_at)
        code = drive(main, migrated_url, tmp_path, run_at, stop_at=boundary)
        stopped = code == KILLED
        assert code in (0, KILLED), f"boundary {boundary}: exit code {code}"
        reached += stopped
        work(world, tmp_path, run_at + shop_jobs.LEASE)
        assert world.status(refund) == "IN_PROCESS", f"boundary {boundary}"
        assert len(world.contents()) == files + 1, f"boundary {boundary}"
        written = {path.read_bytes() for path in (tmp_path / str(world.client.id)).iterdir()}
        assert written == set(world.contents()), f"boundary {boundary}"
        assert (job(world).done, job(world).claimed_until) == (done + 1, None), f"boundary {boundary}"
        world.check()
    assert reached == 8  # claim, run, file written, recorded: before and after each commit
