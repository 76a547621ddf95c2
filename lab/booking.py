"""Reading and booking of statements, without matching: postings per second of one core, and memory.

    python -m lab.booking [entries] [--history POSTINGS] [--same-amount] [--only WORDS]

The CPU seconds are those of this process and of its PostgreSQL together, as if both had one core to share; "times bare"
compares them with a bare lxml.iterparse that counts the entries right before. Each case has a copy of one database.
With `--history` the account holds that many other postings before, over two years and on the days of the file, so that
nothing is new without a look (`long_history.py`). With `--same-amount` everything costs 19.90. Words of cases are
separated by commas: `--only new,same`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psutil
import psycopg

from lab import long_history
from lab.long_history import WriteDays
from lab.statements import MARCH, count_bare, write_days, write_same_amount
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.embedded import running_server
from paymatch.formats.camt.reader import read_camt
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, entry_of, write_mt940
from paymatch.formats.postings_of import postings_of
from paymatch.formats.statement import Entry, StatementHead
from paymatch.gc_tuning import collect_rarely
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases.matching.matching import Counts
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import statements
from paymatch.usecases.statements.import_report import ImportReport

GOAL_PER_SECOND = 3000
GOAL_MB = 60
_NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
_ACCOUNT = "DE89370400440532013000"
_HEADS = {
    "camt.052": (b"BkToCstmrAcctRpt", b"Rpt"),
    "camt.054": (b"BkToCstmrDbtCdtNtfctn", b"Ntfctn"),
}
CASES: dict[str, tuple[Sequence[str], str]] = {
    "new": ((), "camt.053"),
    "the same once more": (("camt.053",), "camt.053 again"),
    "MT940 after camt": (("camt.053",), "MT940"),
    "camt after MT940": (("MT940",), "camt.053"),
    "half of it known": (("half",), "camt.053"),
    "announced before": (("camt.052", "camt.054"), "camt.053"),
}
"""What is booked before, and what is measured."""


def _no_matching(*_: Any, **__: Any) -> Counts:
    return Counts()


def write_files(folder: Path, entries: int, write: WriteDays = write_days) -> dict[str, Path]:
    """The same payments as every case needs them."""
    files = {name: folder / name.replace(" ", "-") for name in ("camt.053", "camt.053 again", "half", "MT940", *_HEADS)}
    write(files["camt.053"], 0, entries, MARCH)
    write(files["half"], 0, entries // 2, MARCH)
    content = files["camt.053"].read_bytes()
    files["camt.053 again"].write_bytes(content + b"\n")
    for name, (message, statement) in _HEADS.items():
        other = content.replace(b"BkToCstmrStmt", message).replace(b"Stmt>", statement + b">")
        files[name].write_bytes(other.replace(b"camt.053", name.encode()))
    files["MT940"].write_bytes(_mt940(files["camt.053"]))
    return files


def _mt940(camt: Path) -> bytes:
    by_day: dict[date, list[EntryToWrite]] = defaultdict(list)
    with camt.open("rb") as stream:
        head: StatementHead | None = None
        for event in read_camt(stream):
            if isinstance(event, StatementHead):
                head = event
            elif isinstance(event, Entry):
                assert head is not None
                posting: Posting = postings_of(head, event)[0]
                by_day[posting.booking_date].append(entry_of(posting))
    days = sorted(by_day)
    return write_mt940(
        [
            StatementToWrite(_ACCOUNT, "EUR", 0, day - timedelta(days=1), day, number, tuple(by_day[day]))  # type: ignore[arg-type]
            for number, day in enumerate(days, 1)
        ]
    )


class _Meter:
    """CPU seconds of this process and of its PostgreSQL, and the peak of this process's memory."""

    def __init__(self, url: str) -> None:
        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
            assert row is not None
            self._server = psutil.Process(row[0]).parent()

    def start(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        self._before = self._cpu()
        self._memory = self._status("VmRSS")
        self._started = time.perf_counter()

    def stop(self) -> tuple[float, float, float, float]:
        """Seconds on the wall, CPU of this process, of PostgreSQL; growth in MB."""
        wall = time.perf_counter() - self._started
        own, server = self._cpu()
        return wall, own - self._before[0], server - self._before[1], (self._status("VmHWM") - self._memory) / 1024

    def _cpu(self) -> tuple[float, float]:
        assert self._server is not None
        times = self._server.cpu_times()
        server = times.user + times.system + times.children_user + times.children_system
        for child in self._server.children(recursive=True):
            server += sum(child.cpu_times()[:2])
        return sum(os.times()[:2]), server

    @staticmethod
    def _status(name: str) -> int:
        found = re.search(rf"{name}:\s+([0-9]+) kB", Path("/proc/self/status").read_text())
        assert found is not None
        return int(found[1])


def _book(database: Database, shop: Shop, file: Path) -> ImportReport:
    with file.open("rb") as stream:
        return statements.import_file(database, shop, stream, file.name, _NOW, channel=StatementChannel.COMMAND_LINE)


def _prepare(url: str, folder: Path, postings: int, write: WriteDays) -> Shop:
    """A database that is copied for each case: a shop, with so many postings before; everything is warm."""
    migrate(url)
    database = Database(url, size=2)
    shop, alone = (shops.create(database, name, _NOW).shop for name in ("Measured", "Alone"))
    for file in write_files(_made(folder / "small"), 2000, write).values():
        _book(database, shops.create(database, "Warm", _NOW).shop, file)
    if postings:
        file, lines = folder / "history", postings // long_history.PERIODS
        long_history.write_period(file, 0, lines, write)
        _book(database, shop, file)
        long_history.sample(file, lines, write)
        _book(database, alone, file)
        long_history.multiply(url, shop)
        long_history.prove(database, url, shop, alone, lines)
    database.close()
    return shop


@contextmanager
def _copy(server_url: str, url: str) -> Iterator[str]:
    """URL of a copy of the database."""
    name, own = urlsplit(url).path[1:], urlunsplit(urlsplit(url)._replace(path="/case"))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "case" TEMPLATE "{name}" STRATEGY file_copy')
        yield own
        connection.execute('DROP DATABASE "case"')


def _measure(meter: _Meter, database: Database, shop: Shop, case: str, files: dict[str, Path]) -> tuple[str, bool]:
    """The line of a case, and whether it misses the goals."""
    before, measured = CASES[case]
    for name in before:
        _book(database, shop, files[name])
    bare_started = time.process_time()
    entries = count_bare(files["camt.053"])
    bare = time.process_time() - bare_started
    meter.start()
    report = _book(database, shop, files[measured])
    wall, own, server, growth = meter.stop()
    speed = entries / (own + server)
    line = (
        f"{case:20}{report.new:9,} new {report.known:9,} known {wall:7.1f} s wall {own:6.1f} s own {server:6.1f} s"
        f" PostgreSQL {speed:8,.0f}/s {(own + server) / bare:6.1f} times bare {growth:6.1f} MB"
    )
    return line, speed < GOAL_PER_SECOND or growth > GOAL_MB


def main() -> None:
    """Prints one line per case; exits with 1 if one misses the goals."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("entries", type=int, nargs="?", default=100_000)
    arguments.add_argument("--history", type=int, default=0)
    arguments.add_argument("--same-amount", action="store_true")
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    collect_rarely()  # as the process of an import does
    statements.match_due = _no_matching  # type: ignore[attr-defined]
    write, wanted, missed = write_same_amount if given.same_amount else write_days, given.only.split(","), False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # the account of PostgreSQL passes it
        with running_server(folder / "server") as server_url:
            started = time.monotonic()
            files = write_files(_made(folder / "files"), given.entries, write)
            with psycopg.connect(server_url, autocommit=True) as connection:
                connection.execute("CREATE DATABASE history")
            url = urlunsplit(urlsplit(server_url)._replace(path="/history"))
            shop = _prepare(url, folder, given.history, write)
            print(f"{given.entries:,} entries, {given.history:,} postings before, made in"
                  f" {time.monotonic() - started:.0f} s: CPU seconds, postings/s, memory", flush=True)  # fmt: skip
            for case in CASES:
                if any(word in case for word in wanted):
                    with _copy(server_url, url) as own:
                        database = Database(own, size=2)
                        line, misses = _measure(_Meter(own), database, shop, case, files)
                        database.close()
                    print(line, flush=True)
                    missed |= misses
    if missed:
        sys.exit(f"the goal is missed: at least {GOAL_PER_SECOND:,} postings/s, less than {GOAL_MB} MB")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    main()
