"""Foreign files are imported in processes with budgets: too much is refused whole, and nothing is left behind."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta

import msgspec
import psycopg
import pytest

from paymatch.confined import ProcessBudget
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.store.database import Database
from paymatch.store.statements import import_runs as run_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import LOCK_WAIT_SECONDS, LockNotAcquired
from paymatch.usecases.privacy.retention import forget_old
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import import_process
from paymatch.usecases.statements.import_process import (
    INTERRUPTED,
    MATCHING_GOES_ON,
    WAITING,
    ImportFailed,
    ImportInterrupted,
    TooManyImports,
    budget_of,
    import_in_process,
)
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.import_runs import RUNS_KEPT, ImportRun, ImportUnknown, find
from tests.confined import jobs
from tests.confined.test_confined import ENVIRONMENT, ROOT
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books, camt, paid
from tests.waiting import PATIENCE_SECONDS, wait_until

ENTRIES = 8_000
TABLES = ("imports", "statements", "postings", "import_errors", "import_runs")


def bring(books: Books, content: bytes, **more: object) -> ImportReport:
    more = {"channel": StatementChannel.COMMAND_LINE, **more}
    return import_in_process(books.database, books.shop, io.BytesIO(content), "file", books.now, **more)  # type: ignore[arg-type]


def counts(books: Books) -> list[int]:
    return [books.rows(f"SELECT count(*) FROM {table} WHERE shop_id = $1")[0][0] for table in TABLES]


@contextmanager
def held(books: Books, lock: Callable[..., None]) -> Iterator[None]:
    """Somebody else has the shop's lock."""
    with books.database.of_shop(books.shop) as tx:
        lock(tx)
        yield


def long_statement() -> bytes:
    """A statement whose import takes some seconds of computing time."""
    return camt(CamtMessage.STATEMENT, *[paid(100 + number, f"N {number}") for number in range(ENTRIES)])


def test_report_is_that_of_an_import_in_this_process(books: Books) -> None:
    books.order("SU-12001", "19.90")
    told: list[str] = []
    content = camt(CamtMessage.STATEMENT, paid(1990, "SU-12001"), paid(500, "B"))
    rehearsed = bring(books, content, dry_run=True)
    assert counts(books) == [0, 0, 0, 0, 0]
    report = bring(books, content, progress=lambda what, count: told.append(f"{what} {count}"))
    assert (report.new, report.matched, report.balance, report.notes) == (2, 1, "ok", [])
    assert rehearsed.as_dict() == report.as_dict() | {"dryRun": True, "importId": ""}
    assert told == ["booking 2", "matching 2"]
    assert report.folded == 2
    again = bring(books, content)
    assert (again.new, again.known, again.import_id) == (0, 2, report.import_id)
    assert books.status("SU-12001") == "PAID"


def test_work_is_not_done_in_this_process(books: Books) -> None:
    """Before, 8,000 entries took this process, which answers other shops meanwhile, more than a second."""
    content = long_statement()
    used = time.process_time()
    assert bring(books, content).new == ENTRIES
    assert time.process_time() - used < 0.4


def test_file_that_needs_too_much_is_refused_whole(books: Books) -> None:
    content = long_statement()
    with pytest.raises(FileRefused) as refusal:
        bring(books, content, budget=ProcessBudget(1 << 30, 1, 300), dry_run=True)
    text = "the file needs more than 1 s of computing time, which no import may take; nothing of it is booked"
    assert str(refusal.value) == text
    with (
        held(books, lambda tx: tx.run("LOCK TABLE imports IN SHARE MODE")),  # its last step waits
        pytest.raises(FileRefused, match="more than 4 s of time"),
    ):
        bring(books, camt(CamtMessage.STATEMENT, paid(100, "A")), budget=ProcessBudget(1 << 30, 60, 4.0))
    assert counts(books) == [0, 0, 0, 0, 0]
    assert bring(books, camt(CamtMessage.STATEMENT, paid(100, "A"))).new == 1  # and nobody holds a lock


def test_file_whose_reading_crashes_is_refused_whole(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_process, "work", jobs.crash_with)
    with pytest.raises(FileRefused, match=r"^the file cannot be imported: reading it ended by SIGSEGV; nothing of it"):
        bring(books, camt(CamtMessage.STATEMENT, paid(100, "A")))
    monkeypatch.setattr(import_process, "work", jobs.fail_with)
    with pytest.raises(ImportFailed, match=r"^KeyError: 'unforeseen'$"):
        bring(books, camt(CamtMessage.STATEMENT, paid(100, "A")))


def test_file_whose_reading_is_killed_may_be_sent_again(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, the file itself was refused: a shop does not send a file again that cannot be read."""
    content = camt(CamtMessage.STATEMENT, paid(100, "A"))
    with monkeypatch.context() as killing:
        killing.setattr(import_process, "work", jobs.be_killed_with)
        with pytest.raises(ImportInterrupted, match=f"^{INTERRUPTED}$"):
            bring(books, content)
    assert counts(books) == [0, 0, 0, 0, 0]
    assert bring(books, content).new == 1


def test_file_that_is_booked_stays_booked_when_its_matching_takes_too_long(books: Books) -> None:
    with held(books, statement_store.lock_matching):
        report = bring(books, camt(CamtMessage.STATEMENT, paid(100, "A")), budget=ProcessBudget(1 << 30, 60, 10.0))
    assert (report.new, report.matched, report.notes) == (1, 0, [MATCHING_GOES_ON])
    assert [row[1] for row in books.postings()] == [100]
    books.sound()


def test_budget_grows_with_the_file() -> None:
    assert budget_of(0).cpu_seconds == 20
    assert budget_of(10 * 1024**2) == ProcessBudget(1024**3, 320, 900 + 3 * 320)


def test_refusals_cross_the_border(books: Books) -> None:
    with pytest.raises(FileRefused, match=r"^the file is neither camt, MT940"):
        bring(books, b"hello")
    with held(books, statement_store.lock_imports), pytest.raises(FileRefused, match="more than 3 s of time"):
        bring(books, camt(CamtMessage.STATEMENT, paid(100, "A")), budget=ProcessBudget(1 << 30, 60, 3.0), dry_run=True)
    with held(books, statement_store.lock_imports), pytest.raises(LockNotAcquired):
        # The process is ended, and whether it had booked cannot be told while another import goes on.
        bring(books, camt(CamtMessage.STATEMENT, paid(100, "A")), budget=ProcessBudget(1 << 30, 60, 3.0))


def test_killed_service_leaves_no_import_that_holds_locks(books: Books) -> None:
    script = (
        "import io, sys; from tests.usecases.statements import test_import_process as t\n"
        "t.bring(t.books_of(sys.argv[1], sys.argv[2]), t.camt(t.CamtMessage.STATEMENT, t.paid(100, 'A')))"
    )
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()"

    def waits() -> bool:
        with psycopg.connect(books.database.url) as connection:
            return connection.execute(waiting).fetchone() != (0,)

    command = [sys.executable, "-c", script, books.database.url, str(books.shop.id)]
    with held(books, statement_store.lock_imports):
        service = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT)
        with service:
            wait_until(waits)
            service.send_signal(signal.SIGKILL)
        wait_until(lambda: not waits())
    assert counts(books) == [0, 0, 0, 0, 0]
    assert bring(books, camt(CamtMessage.STATEMENT, paid(100, "A"))).new == 1


def books_of(url: str, shop: str) -> Books:
    database = Database(url, size=2, keyring=KEYRING)
    return Books(database, shops.find(database, shop))


def test_shops_take_turns(books: Books) -> None:
    """A shop whose files wait takes no place from another one, and not more than a few of them wait."""
    other = Books(books.database, shops.create(books.database, "Other", books.now - timedelta(days=9)).shop)
    refused: list[bool] = []

    def one(minor: int) -> None:
        try:
            bring(books, camt(CamtMessage.STATEMENT, paid(minor, "A"), number=minor))
            refused.append(False)
        except TooManyImports:
            refused.append(True)

    threads = [threading.Thread(target=one, args=(100 + place,)) for place in range(WAITING + 3)]
    with held(books, statement_store.lock_imports):
        for thread in threads:
            thread.start()
        wait_until(lambda: len(refused) == 2)  # one runs, ten wait
        assert bring(other, camt(CamtMessage.STATEMENT, paid(100, "A"), account=ACCOUNT)).new == 1
    for thread in threads:
        thread.join()
    assert (refused.count(True), len(books.postings())) == (2, WAITING + 1)


def begin(books: Books, content: bytes, *, dry_run: bool = False) -> ImportRun:
    return ImportRun(
        books.database,
        books.shop,
        io.BytesIO(content),
        "file",
        lambda: books.now,
        channel=StatementChannel.API,
        dry_run=dry_run,
    )


def shown(books: Books, import_id: str, later: timedelta = timedelta()) -> dict[str, object]:
    with books.database.of_shop(books.shop, at=books.now + later) as tx:
        return find(tx, import_id)


@pytest.mark.parametrize("dry_run", [False, True])
def test_long_import_goes_on_and_can_be_asked_for(books: Books, dry_run: bool) -> None:
    books.order("SU-12001", "19.90")
    with held(books, statement_store.lock_imports):
        run = begin(books, camt(CamtMessage.STATEMENT, paid(1990, "SU-12001")), dry_run=dry_run)
        assert run.wait(0.1) is None
        assert shown(books, run.id) == {"importId": run.id, "state": "running", "file": "file"}
    wait_until(lambda: shown(books, run.id)["state"] == "done")
    wait_until(lambda: shown(books, run.id).get("matched") == 1)
    found = shown(books, run.id)
    assert (found["new"], found["importId"], found["dryRun"]) == (1, run.id, dry_run)
    assert len(books.postings()) == (0 if dry_run else 1)


def test_long_import_that_is_refused_says_why(books: Books) -> None:
    with held(books, statement_store.lock_imports):
        run = begin(books, b"<Document>")
        assert run.wait(0.1) is None
    wait_until(lambda: shown(books, run.id)["state"] == "refused")
    assert str(shown(books, run.id)["error"]).startswith("the file is XML with the root element Document")


def test_long_import_whose_service_died_is_refused_once_nobody_renews_it(books: Books) -> None:
    row = run_store.ImportRunRow("im_gone", "file", "running", "", "", books.now, books.now + timedelta(seconds=60))
    with books.database.of_shop(books.shop) as tx:
        run_store.add(tx, row)
    assert shown(books, "im_gone")["state"] == "running"
    found = shown(books, "im_gone", timedelta(seconds=61))
    assert (found["state"], found["error"]) == ("refused", INTERRUPTED)
    with pytest.raises(ImportUnknown, match=r"^Import 'im_other' not found$"):
        shown(books, "im_other")
    forget_old(books.database, books.shop, books.now + RUNS_KEPT + timedelta(days=1))
    with pytest.raises(ImportUnknown):
        shown(books, "im_gone")


def test_long_import_whose_database_goes_away_may_be_sent_again(books: Books) -> None:
    """Before, it was said to be a fault of ours."""
    with held(books, statement_store.lock_imports):
        run = begin(books, camt(CamtMessage.STATEMENT, paid(1990, "A")))
        assert run.wait(1.0) is None
        with psycopg.connect(books.database.url, autocommit=True) as operator:
            wait_until(lambda: operator.execute(END_WAITING).fetchall())
        wait_until(lambda: shown(books, run.id)["state"] == "refused")
    assert shown(books, run.id)["error"] == INTERRUPTED
    assert counts(books)[:3] == [0, 0, 0]


END_WAITING = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%lock%'
"""


def test_end_of_a_long_import_is_written_once_it_can_be(books: Books) -> None:
    """Before, one attempt was made: whoever asked was told that it goes on, until its lease was over."""
    with ExitStack() as importing:
        importing.enter_context(held(books, statement_store.lock_imports))
        run = begin(books, b"<Document>")
        assert run.wait(0.1) is None
        with held(books, lambda tx: tx.run("LOCK TABLE import_runs IN SHARE ROW EXCLUSIVE MODE")):
            importing.close()
            time.sleep(LOCK_WAIT_SECONDS + 1)
            assert shown(books, run.id)["state"] == "running"
    wait_until(lambda: shown(books, run.id)["state"] == "refused")


def test_short_import_can_be_asked_for_too(books: Books) -> None:
    run = begin(books, camt(CamtMessage.STATEMENT, paid(1990, "A")))
    report = run.wait(PATIENCE_SECONDS)
    assert report is not None
    written = msgspec.to_builtins(report.as_dict())  # days as they stand in JSON
    assert shown(books, run.id) == written | {"importId": run.id, "state": "done"}
    assert counts(books) == [1, 1, 1, 0, 0]
