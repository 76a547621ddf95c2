"""From statement bytes to committed allocations with callbacks queued, against very many open orders.

`python -m lab.import_speed [--orders 10000,100000] [--kind large] [--statements 1000,10000] [--keep FOLDER]`

Per number of open orders: single payments, each in a process of its own with a new connection and nothing warm; then
whole statements, each in a process of its own, with the rows that PostgreSQL read for them and the memory of the
process. The database is a copy of one that is prepared once per kind and size (`lab/many_orders.py`); with
`--keep` it is found again by the next call. Its rows are counted, as the service has them counted within
seconds of a load (D-135), unless `--uncounted`.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import psutil
import psycopg

from lab import many_orders
from lab.statement_costs import profiled
from paymatch.domain.statement_channels import StatementChannel
from paymatch.gc_tuning import collect_rarely
from paymatch.store.database import Database
from paymatch.usecases.statements.statements import import_file

GOAL_SINGLE_MS: Final = 50
GOAL_GROWTH: Final = 1.5
GOAL_MB: Final = 600
GOAL_PER_SECOND: Final = 1500
_READ: Final = """
SELECT relname, seq_scan, seq_tup_read, coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
WHERE schemaname = 'public'"""


def import_one(url: str, path: Path, *, with_profile: bool = False) -> None:
    """Imports a statement in this process, which has done nothing else, and prints what it cost as JSON."""
    collect_rarely()  # as every process of paymatch does
    content = path.read_bytes()
    started, cpu = time.perf_counter(), time.process_time()
    database = Database(url, size=1)
    shop = many_orders.only_shop(database)
    with profiled() if with_profile else nullcontext():
        report = import_file(
            database, shop, io.BytesIO(content), path.name, many_orders.NOW, channel=StatementChannel.COMMAND_LINE
        )
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    with database.of_all_shops() as tx:
        server = psutil.Process(tx.value("SELECT pg_backend_pid()")).cpu_times()
    database.close()
    most_mb = peak_mb()
    print(json.dumps({
        "seconds": seconds, "cpu": cpu, "server_cpu": server.user + server.system, "peak_mb": most_mb,
        "new": report.new, "matched": report.matched, "suggested": report.suggested,
    }))  # fmt: skip


def peak_mb() -> float:
    """The most memory that this process has held. What the system counts for it begins with that of its parent."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if "VmHWM" in line)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(
    url: str, folder: Path, name: str, payers: Sequence[many_orders.Customer], *, with_profile: bool = False
) -> dict[str, Any]:
    """What `import_one` says of a statement in which these customers pay, with the rows that PostgreSQL read."""
    path = folder / f"{name}.xml"
    path.write_bytes(many_orders.statement(random.Random(name), payers, name))
    before = rows_read(url)
    command = [sys.executable, "-m", "lab.import_speed", "--import", str(path), "--url", url]
    command += ["--profile"] if with_profile else []
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    after = rows_read(url)
    found["whole"] = {table: after[table][0] - before[table][0] for table in after}
    found["read"] = sum(sum(after[table][1:]) - sum(before[table][1:]) for table in after)
    return found


def rows_read(url: str) -> dict[str, tuple[int, int, int]]:
    """Table -> (sequential scans, rows read by them, rows fetched by index) since the server started."""
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        return {row[0]: row[1:] for row in connection.execute(_READ)}


def measure(prepared: Path, given: argparse.Namespace, count: int) -> tuple[list[str], float]:
    """Prints the figures for `count` open orders: (goals that they miss, CPU us of a posting of the last statement)."""
    missed, cost = [], 0.0
    lots = [int(text) for text in given.statements.split(",")]
    customers = many_orders.customers(given.kind, count)
    chosen = random.Random(2).sample(customers, min(count, sum(lots) + given.singles))
    with many_orders.copied(prepared) as url, tempfile.TemporaryDirectory() as scratch:
        many_orders.forget_statistics(url) if given.uncounted else many_orders.count_rows(url)
        singles = [measured(url, Path(scratch), f"S{n}", [chosen.pop()]) for n in range(given.singles)]
        median_ms = show_singles(singles, f"{given.kind}, {count:,} open orders")
        if median_ms > GOAL_SINGLE_MS:
            missed.append(f"a single payment at {count:,}: {median_ms:.0f} ms")
        for lot in lots:
            payers = [chosen.pop() for _ in range(min(lot, len(chosen)))]
            found = measured(url, Path(scratch), f"A{lot}", payers, with_profile=given.profile)
            cost = 1e6 * (found["cpu"] + found["server_cpu"]) / len(payers)
            rate = show_statement(found, len(payers))
            if rate < GOAL_PER_SECOND:
                missed.append(f"{len(payers):,} payments at {count:,}: {rate:,.0f}/s")
            if found["peak_mb"] > GOAL_MB:
                missed.append(f"memory at {count:,}: {found['peak_mb']:,.0f} MB")
    return missed, cost


def show_singles(singles: Sequence[dict[str, Any]], title: str) -> float:
    """Prints what single payments took; the median in milliseconds."""
    times: list[float] = [1000 * each["seconds"] for each in singles]
    own, server = (1000 * statistics.mean(each[name] for each in singles) for name in ("cpu", "server_cpu"))
    print(
        f"{title}\n  a single payment, new process: first {times[0]:.1f} ms, median {statistics.median(times):.1f} ms,"
        f" worst {max(times):.1f} ms; CPU {own:.1f} ms + {server:.1f} ms PostgreSQL,"
        f" {singles[0]['read']:,} rows read",
        flush=True,
    )
    return statistics.median(times)


def show_statement(found: dict[str, Any], count: int) -> float:
    """Prints what a statement of `count` payments took; payments per second."""
    scanned = {table: times for table, times in found["whole"].items() if times}
    print(
        f"  {count:,} payments: {count / found['seconds']:,.0f}/s, {1e6 * found['seconds'] / count:,.0f} us each;"
        f" CPU {1e6 * found['cpu'] / count:,.0f} us + {1e6 * found['server_cpu'] / count:,.0f} us PostgreSQL,"
        f" {found['read'] / count:,.0f} rows read; {found['matched']:,} matched, {found['suggested']:,} suggested,"
        f" {found['peak_mb']:,.0f} MB; tables read whole: {scanned or 'none'}",
        flush=True,
    )
    return count / float(found["seconds"])


def main() -> int:
    """Prints the figures; exit code 1 if one misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", default="10000,100000")
    parser.add_argument("--kind", choices=list(many_orders.KINDS), default="large")
    parser.add_argument("--statements", default="1000,10000")
    parser.add_argument("--singles", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="folder that keeps the prepared databases")
    parser.add_argument("--uncounted", action="store_true", help="PostgreSQL has not counted the rows yet")
    parser.add_argument("--profile", action="store_true", help="tell what each statement costs, sent alone")
    parser.add_argument("--import", dest="file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.file is not None:
        import_one(given.url, given.file, with_profile=given.profile)
        return 0
    missed, costs = [], []
    with tempfile.TemporaryDirectory(prefix="paymatch-many-") as scratch:
        for count in map(int, given.orders.split(",")):
            prepared = many_orders.prepare(given.keep or Path(scratch), given.kind, count)
            more, cost = measure(prepared, given, count)
            missed += more
            costs.append(cost)
    print(f"a posting costs {max(costs) / costs[0]:.2f} times the CPU that it costs with the fewest orders")
    if max(costs) > GOAL_GROWTH * costs[0]:
        missed.append("growth of the cost of a posting")
    for what in missed:
        print(f"misses its goal: {what}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
