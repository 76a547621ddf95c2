"""Reading and booking of statements, without matching: postings per second of one core, and memory.

    python -m benchmarks.booking [entries] [--history POSTINGS] [--only WORDS]

The CPU seconds are those of this process and of its PostgreSQL together, as if both had one core to share. Each case
has a shop of its own. With `--history` the account holds that many other postings before, over two years and on the
days of the file, so that nothing is new without a look.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import psycopg

from benchmarks.statements import write_file
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.embedded import running_server
from paymatch.formats.camt.reader import read_camt
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, entry_of, write_mt940
from paymatch.formats.postings_of import postings_of
from paymatch.formats.statement import Entry, StatementHead
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases import shops
from paymatch.usecases.matching.matching import Counts
from paymatch.usecases.statements import statements
from paymatch.usecases.statements.import_report import Report

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

_HISTORY = """
INSERT INTO postings (shop_id, id, import_id, statement_id, account, currency, digits, amount_minor, booking_date,
    value_date, bank_reference, entry_reference, batch_id, is_return, end_to_end_id, counterparty_name,
    counterparty_iban, remittance, facts, source, format, status, created_at)
SELECT %(shop)s, 'pst_h' || n, 'im_h', 'st_h', %(account)s, 'EUR', 2, minor, day, day, 'H' || n, '', '', false,
    'E' || n, 'Frau ' || n, '', 'Rechnung H' || n,
    json_build_object('account', %(account)s::text, 'currency', 'EUR', 'amount_minor', minor, 'booking_date', day,
        'value_date', day, 'bank_reference', 'H' || n, 'end_to_end_id', 'E' || n, 'counterparty_name', 'Frau ' || n,
        'remittance_lines', json_build_array('Rechnung H' || n))::text,
    'FINAL', 'camt', 'ignored', now()
FROM (SELECT n, 100 * (1 + n %% 500) + n %% 100 AS minor, date '2026-04-10' - n %% 730 AS day
      FROM generate_series(1, %(count)s) n) h"""

_LINES = """
INSERT INTO statement_lines (shop_id, import_id, statement_id, position, detail, account, currency, entry_minor,
    booking_date, source, format, series, page, facts, posting_id, is_held)
SELECT shop_id, import_id, statement_id, row_number() OVER (), 0, account, currency, amount_minor, booking_date, source,
    format, '', 0, facts, id, false
FROM postings WHERE shop_id = %(shop)s"""


def _no_matching(*_: Any, **__: Any) -> Counts:
    return Counts()


def write_files(folder: Path, entries: int) -> dict[str, Path]:
    """The same payments as every case needs them."""
    files = {name: folder / name.replace(" ", "-") for name in ("camt.053", "camt.053 again", "half", "MT940", *_HEADS)}
    write_file(files["camt.053"], entries, uniform=False)
    write_file(files["half"], entries // 2, uniform=False)
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


def _book(database: Database, shop: Shop, file: Path) -> Report:
    with file.open("rb") as stream:
        return statements.import_file(database, shop, stream, file.name, _NOW, channel=StatementChannel.COMMAND_LINE)


def _fill(url: str, shop: Shop, count: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_HISTORY, {"shop": shop.id, "account": _ACCOUNT, "count": count})
        connection.execute(
            "INSERT INTO statements (shop_id, id, import_id, account, currency, format, source, statement_id,"
            " sequence, first_date, last_date, booked_minor, flags, created_at) VALUES (%s, 'st_h', 'im_h', %s, 'EUR',"
            " 'camt.053', 'FINAL', 'H', '', '2024-04-10', '2026-04-10', 0, '{}', now())",
            (shop.id, _ACCOUNT),
        )
        connection.execute(_LINES, {"shop": shop.id})
        connection.execute("VACUUM ANALYZE postings, statement_lines")


def main() -> None:
    """Prints one line per case; exits with 1 if one misses the goals."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("entries", type=int, nargs="?", default=100_000)
    arguments.add_argument("--history", type=int, default=0)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    statements.match_due = _no_matching  # type: ignore[attr-defined]
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101, S103  the account of PostgreSQL passes it
        small, files = write_files(_made(Path(folder) / "small"), 5000), write_files(Path(folder), given.entries)
        with running_server(Path(folder) / "server") as url:
            migrate(url)
            database, meter = Database(url, size=2), _Meter(url)
            warm = shops.create(database, "Warm", _NOW).shop
            for file in small.values():
                _book(database, warm, file)
            print(f"{given.entries:,} entries, {given.history:,} postings before: CPU seconds, postings/s, memory")
            for title, (before, measured) in CASES.items():
                if given.only not in title:
                    continue
                shop = shops.create(database, title, _NOW).shop
                if given.history:
                    _fill(url, shop, given.history)
                for name in before:
                    _book(database, shop, files[name])
                meter.start()
                report = _book(database, shop, files[measured])
                wall, own, server, growth = meter.stop()
                speed = given.entries / (own + server)
                missed |= speed < GOAL_PER_SECOND or growth > GOAL_MB
                print(
                    f"{title:20}{report.new:9,} new {report.known:9,} known {wall:7.1f} s wall {own:6.1f} s own"
                    f" {server:6.1f} s PostgreSQL {speed:8,.0f}/s {growth:6.1f} MB",
                    flush=True,
                )
            database.close()
    if missed:
        sys.exit(f"the goal is missed: at least {GOAL_PER_SECOND:,} postings/s, less than {GOAL_MB} MB")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    main()
