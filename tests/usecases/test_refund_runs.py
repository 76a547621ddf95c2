"""Refund runs: what is due, covered and known goes into one file per account, each refund once (D-3 to D-5)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from paymatch.domain.refunds import Held
from paymatch.store.database import Database
from paymatch.usecases import refund_runs
from paymatch.usecases.transfer_files import write_out
from tests.contract.bank import book, entry
from tests.usecases.refund_world import ACCOUNT, ERIKA, PAYER, RefundWorld, texts

SECOND = "DE53677979049691425502"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    return RefundWorld(database, tmp_path)


def test_due_refunds_of_an_account_go_into_one_file(world: RefundWorld) -> None:
    world.paid("SO-70101")
    world.paid("SO-70102", 5000, amount=50, name="Jürgen Groß", account=ERIKA)
    first, second = world.file("SO-70101", 30), world.file("SO-70102", 50)
    world.pass_days(1)
    run = world.run()
    assert run.held == ()
    assert [(f.account, f.currency, f.transfers, f.total_minor, f.version) for f in run.files] == [
        (ACCOUNT, "EUR", 2, 8000, "pain.001.001.09")
    ]
    assert run.files[0].execution_date == date(2026, 3, 3)
    (content,) = world.contents()
    assert texts(content, "CdtTrfTxInf/PmtId/EndToEndId") == [world.end_to_end(first), world.end_to_end(second)]
    assert world.end_to_end(first) == world.refund(first)["referenceNumber"]
    assert texts(content, "CdtTrfTxInf/Amt/InstdAmt") == ["30.00", "50.00"]
    assert texts(content, "CdtTrfTxInf/Cdtr/Nm") == ["Eva Muster", "Jürgen Groß"]
    assert texts(content, "CdtTrfTxInf/CdtrAcct/Id/IBAN") == [PAYER, ERIKA]
    assert texts(content, "CdtTrfTxInf/RmtInf/Ustrd") == [
        "Erstattung SO-70101 R-SO-70101",
        "Erstattung SO-70102 R-SO-70102",
    ]
    assert texts(content, "NbOfTxs") == ["2", "2"]
    assert texts(content, "CtrlSum") == ["80.00", "80.00"]
    assert texts(content, "Dbtr/Nm") == ["Muster & Söhne GmbH"]
    assert texts(content, "BtchBookg") == ["false"]
    for refund in (first, second):
        assert (world.status(refund), world.refund(refund)["executionDate"]) == ("IN_PROCESS", None)
    assert world.client.status("SO-70101") == "PAID"
    world.check()


def test_second_run_finds_nothing_left(world: RefundWorld) -> None:
    world.paid("SO-70201")
    world.file("SO-70201", 30)
    world.pass_days(1)
    assert len(world.run().files) == 1
    assert world.run() == refund_runs.Run((), ())
    assert len(world.contents()) == 1


def test_runs_at_the_same_time_make_one_file(world: RefundWorld) -> None:
    for place in range(6):
        world.paid(f"SO-7030{place}")
        world.file(f"SO-7030{place}", 10)
    world.pass_days(1)
    runs: list[refund_runs.Run] = []
    start = threading.Barrier(3)

    def work() -> None:
        start.wait()
        runs.append(world.run())

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(run.files) for run in runs) == [0, 0, 1]
    assert len(texts(world.contents()[0], "CdtTrfTxInf/PmtId/EndToEndId")) == 6
    world.check()


class Stopped(BaseException):
    """The process dies here."""


@pytest.mark.parametrize("place", ["before commit", "after commit"])
def test_hard_stop_leaves_all_or_nothing(world: RefundWorld, module_url: str, tmp_path: Path, place: str) -> None:
    world.paid("SO-70401")
    refund = world.file("SO-70401", 30)
    world.pass_days(1)

    def stop(boundary: str) -> None:
        if boundary == place:
            raise Stopped

    dying = Database(module_url, size=1, at_boundary=stop)
    with pytest.raises(Stopped):
        refund_runs.run(dying, world.client.shop, world.clock.now)
    dying.close()
    was_stored = place == "after commit"
    assert world.status(refund) == ("IN_PROCESS" if was_stored else "NEW")
    assert len(world.contents()) == was_stored
    world.run()
    written = write_out(world.database, world.client.shop, tmp_path / "out", world.clock.now)
    assert len(written) == 1
    assert [path.read_bytes() for path in (tmp_path / "out").iterdir()] == world.contents()
    world.check()


def test_file_is_written_once_unless_it_is_asked_for_again(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-70501")
    world.file("SO-70501", 30)
    world.pass_days(1)
    world.run()
    folder = tmp_path / "out"
    shop, now = world.client.shop, world.clock.now
    (written,) = write_out(world.database, shop, folder, now)
    assert written.path.name == f"{written.file.message_id}.xml"
    assert written.path.stat().st_mode & 0o777 == 0o600
    written.path.unlink()  # taken to the bank: a file that comes back by itself would be taken there twice
    assert write_out(world.database, shop, folder, now) == []
    assert [each.path for each in write_out(world.database, shop, folder, now, missing_too=True)] == [written.path]
    assert write_out(world.database, shop, folder, now, missing_too=True) == []


def test_hard_stop_while_writing_is_made_good_by_the_next_run(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-70601")
    world.file("SO-70601", 30)
    world.pass_days(1)
    world.run()
    blocked = tmp_path / "blocked"
    blocked.write_text("no folder")
    with pytest.raises(OSError, match="blocked"):
        write_out(world.database, world.client.shop, blocked, world.clock.now)
    assert len(write_out(world.database, world.client.shop, tmp_path / "out", world.clock.now)) == 1


@pytest.mark.parametrize(
    ("planned", "today", "execution"),
    [
        ("03-03-2026", date(2026, 3, 2), None),  # not yet
        ("03-03-2026", date(2026, 3, 3), date(2026, 3, 3)),
        ("07-03-2026", date(2026, 3, 7), date(2026, 3, 9)),  # Saturday: Monday
        ("03-04-2026", date(2026, 4, 3), date(2026, 4, 7)),  # Good Friday: behind Easter Monday
        ("01-05-2026", date(2026, 5, 1), date(2026, 5, 4)),
        ("25-12-2026", date(2026, 12, 25), date(2026, 12, 28)),
    ],
)
def test_bank_days(world: RefundWorld, planned: str, today: date, execution: date | None) -> None:
    world.paid("SO-70701")
    refund = world.file("SO-70701", 30, plannedDate=planned)
    run = world.run(day=today)
    assert [file.execution_date for file in run.files] == ([execution] if execution else [])
    assert world.status(refund) == ("IN_PROCESS" if execution else "NEW")
    assert run.held == ()


def test_planned_date_is_a_day_of_the_shop(world: RefundWorld) -> None:
    world.paid("SO-70801")
    world.file("SO-70801", 30)
    world.clock.pass_time(hours=14)  # 23:30 in UTC on 2 March, 00:30 on 3 March in Berlin
    assert len(world.run().files) == 1


def test_uncovered_refund_stays_new_and_says_why(world: RefundWorld) -> None:
    world.client.submit("SO-70901", amount=100)
    refund = world.file("SO-70901", 30)
    book(world.client, entry("Bestellung SO-70901", 2999))
    world.pass_days(1)
    run = world.run()
    assert run.files == ()
    assert [(held.refund_id, held.order_number, held.reason) for held in run.held] == [
        (refund, "SO-70901", "the order's payments do not cover it")
    ]
    assert (world.status(refund), world.refund(refund)["reason"]) == ("NEW", Held.NOT_COVERED)
