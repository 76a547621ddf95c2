"""Reading and booking of camt entries, without matching: postings per second of one core, memory, a second sighting.

    python -m benchmarks.booking [entries]

CPU seconds are those of this process; PostgreSQL's own are printed beside them (it writes while this process reads).
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from benchmarks.statements import write_file
from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases import shops, statements
from paymatch.usecases.matching import Counts

GOAL_PER_SECOND = 3000
GOAL_MB = 60
_NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def _no_matching(*_: Any, **__: Any) -> Counts:
    return Counts()


def _cpu_of_server(before: dict[int, float] | None = None) -> dict[int, float]:
    found: dict[int, float] = {}
    for process in psutil.process_iter(["name", "cpu_times"]):
        if (process.info["name"] or "").startswith("postgres") and process.info["cpu_times"]:
            times = process.info["cpu_times"]
            found[process.pid] = times.user + times.system - (before or {}).get(process.pid, 0.0)
    return found


def _measured(work: Callable[[], statements.Report], entries: int, title: str) -> tuple[float, float]:
    """(postings per CPU second of this process, growth of its peak memory in MB)."""
    server = _cpu_of_server()
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    report = work()
    elapsed, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    growth = (after.ru_maxrss - before.ru_maxrss) / 1024
    database = sum(seconds for seconds in _cpu_of_server(server).values() if seconds > 0)
    print(
        f"{title:20}{report.new:9,} new {report.known:9,} known {elapsed:7.1f} s wall {cpu:7.1f} s CPU"
        f" {database:7.1f} s PostgreSQL {entries / cpu:8,.0f}/s {growth:6.1f} MB more"
    )
    return entries / cpu, growth


def main() -> None:
    """Prints both rounds; exits with 1 if booking a new file misses the goals."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    statements.match_due = _no_matching  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101, S103  the account of PostgreSQL passes it
        path, warm = Path(folder) / "camt.xml", Path(folder) / "warm.xml"
        write_file(path, entries, uniform=False)
        write_file(warm, 5000, uniform=False)
        with running_server(Path(folder) / "server") as url:
            migrate(url)
            database = Database(url, size=2)

            def book(shop: Any, file: Path) -> statements.Report:
                with file.open("rb") as stream:
                    return statements.import_file(database, shop, stream, file.name, _NOW)

            book(shops.create(database, "Warm", _NOW).shop, warm)
            shop = shops.create(database, "Booking", _NOW).shop
            speed, growth = _measured(lambda: book(shop, path), entries, "new")
            path.write_bytes(path.read_bytes() + b"\n")  # another file, the same payments
            _measured(lambda: book(shop, path), entries, "the same once more")
            database.close()
    if speed < GOAL_PER_SECOND or growth > GOAL_MB:
        sys.exit(f"the goal is missed: at least {GOAL_PER_SECOND:,} postings/s, less than {GOAL_MB} MB")


if __name__ == "__main__":
    main()
