"""Daily print runs: at the shop's hour, each letter in one run, each run's files once, whenever it dies (D-57)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pikepdf
import pytest

from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.letters import letter_lists, printing
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.shops import shops
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways
from tests.keys import KEYRING
from tests.usecases.letters.test_letter_stops import Stopped, stop_at
from tests.usecases.letters.test_letters import ADDRESS
from tests.usecases.reminders.mail_world import MailWorld, new_world


class Printed(MailWorld):
    """A shop that prints its letters at seven, into a folder."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / str(self.id)

    @property
    def files(self) -> list[str]:
        """Names of what lies in the folder, without what a process that died has begun."""
        return sorted(path.name for path in self.folder.glob("run_*")) if self.folder.exists() else []

    def write(self) -> None:
        while work_due(self.database, self.shop, LetterGateways(), self.now):
            pass

    def job(self) -> str:
        """The worker's look at the job; what it says that it did, "" if it was not due."""
        doors = JobGateways(print_runs=self.root)
        ran = shop_jobs.run(self.database, doors, ShopId(self.id), BY_NAME["print-run"], lambda: self.now)
        return ran.words if ran is not None else ""

    def indexed(self) -> list[str]:
        """Order numbers of all indexes in the folder, sorted."""
        found = []
        for path in sorted(self.folder.glob("run_*.csv")):
            found += [row["order"] for row in csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig")))]
        return sorted(found)


def new_printed(database: Database, root: Path) -> Printed:
    made = new_world(database, letters="on")
    world = Printed(database, made.id, made.now, made.door)
    world.root = root
    world.plan(levels="7:2.50", letters_from="1")
    shop_jobs.plan(database, ShopId(world.id))
    world.set(letter_print_hour="7")
    world.order("A-1", billing=ADDRESS)
    world.order("A-2", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 05:00")
    assert world.job() == "begins at 7:00"
    world.go_to("2026-03-16 10:00")
    world.send()
    world.write()
    return world


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


def test_a_days_letters_lie_in_the_folder_once(database: Database, tmp_path: Path) -> None:
    world = new_printed(database, tmp_path)
    assert world.job() == "1 print run written", "the job was due at seven, and the worker comes late"
    (run,) = {Path(name).stem for name in world.files}
    assert world.files == [f"{run}.csv", f"{run}.pdf"]
    assert world.indexed() == ["A-1", "A-2"]
    with pikepdf.open(world.folder / f"{run}.pdf") as pdf:
        assert len(pdf.pages) == 2
    assert world.job() == "", "it is due tomorrow"
    (world.folder / f"{run}.pdf").unlink()  # a person has taken it to the printer
    world.go_to("2026-03-17 07:00")
    assert world.job() == "0 print runs written"
    assert world.files == [f"{run}.csv"]
    world.go_to("2026-03-20 09:00")
    with database.of_shop(world.shop, at=world.now) as tx:
        (alert,) = letter_lists.letter_alerts(tx)
        assert alert.text.startswith("2 letters have not been printed or sent for 3 days")
        assert printing.mark_printed(tx, run) == 2
    printing.tidy(database, world.shop, world.folder)
    assert world.files == [], "what is printed lies there no more"
    assert world.rows("SELECT status FROM letters WHERE shop_id = $1") == [("PRINTED",), ("PRINTED",)]


def test_a_run_that_is_undone_goes_out_anew_and_only_so(database: Database, tmp_path: Path) -> None:
    world = new_printed(database, tmp_path)
    world.job()
    (run,) = {Path(name).stem for name in world.files}
    (world.folder / "notes.txt").write_text("not ours")
    with database.of_shop(world.shop, at=world.now) as tx:
        printing.undo_run(tx, run)
    world.go_to("2026-03-17 07:00")
    assert world.job() == "1 print run written"
    assert run not in {Path(name).stem for name in world.files}
    assert world.indexed() == ["A-1", "A-2"]
    assert (world.folder / "notes.txt").exists()


def test_nothing_is_printed_by_itself_unless_the_shop_wants_it(database: Database, tmp_path: Path) -> None:
    world = new_printed(database, tmp_path)
    world.set(letter_print_hour="off")
    assert world.job() == "letter-print-hour is off"
    assert world.shop.letter_print_hour is None
    world.set(letter_print_hour="7", letters_by="provider")
    assert world.job() == "0 print runs written"
    assert world.files == []
    for text in ("24", "-1", "7:00", "٣"):
        with database.of_shop(world.shop) as tx, pytest.raises(Exception, match="an hour from 0 to 23"):
            shops.change(tx, {"letter-print-hour": text})


def test_whenever_the_process_dies_each_letter_is_in_one_complete_run(database: Database, tmp_path: Path) -> None:
    boundary, stopped = 0, True
    while stopped:
        boundary, stopped = boundary + 1, False
        world = new_printed(database, tmp_path)
        database.at_boundary = stop_at(boundary)
        try:
            printing.print_daily(database, world.shop, world.folder, world.now)
        except Stopped:
            stopped = True
        database.at_boundary = None
        printing.print_daily(database, world.shop, world.folder, world.now)
        assert world.indexed() == ["A-1", "A-2"], f"boundary {boundary}"
        assert len(world.files) == 2, f"boundary {boundary}"
        runs = world.rows("SELECT letters, written_at IS NOT NULL FROM letter_runs WHERE shop_id = $1")
        assert runs == [(2, True)], f"boundary {boundary}"
    assert boundary > 6


def test_a_run_at_night_needs_the_bank_data_of_the_evening_before(database: Database, tmp_path: Path) -> None:
    """Statements come in the morning: a run at seven would never have those of the day before."""
    world = new_printed(database, tmp_path)
    world.go_to("2026-03-18 06:00")  # 7:00; the last statement is that of Friday, on Tuesday evening it was too old
    assert world.job() == "0 print runs written"
    world.statement(date(2026, 3, 16))
    world.go_to("2026-03-19 06:00")
    assert world.job() == "0 print runs written"
    world.statement(date(2026, 3, 18))
    world.go_to("2026-03-20 06:00")
    assert world.job() == "1 print run written"
    assert world.indexed() == ["A-1", "A-2"]
