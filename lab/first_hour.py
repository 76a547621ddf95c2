"""What calls cost right after a shop's first load, PostgreSQL's CPU included, beside the bare peer.

    PYTHONPATH=src:. python -m lab.first_hour [--orders 20000] [--rounds 7]

Two shops on one database, one served by us and one by the peer, submit so many orders each. PostgreSQL counts nothing
by itself here (autovacuum is off). The operations of `lab.api` are measured at once, and again after the worker's look
for tables that have grown. Counted is the CPU of the process that answers and of its connections in PostgreSQL.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from lab.api import ORDERS, Side, operations
from lab.api_world import Client, bare_server, cpu_seconds, encoded, new_shop, order, our_server
from paymatch.clock import utc_now
from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate

BULK: Final = 1000
LISTED: Final = 1000
GOALS: Final = {
    "POST /orders, 100 unchanged": 1.5,
    "POST /orders, 100, 10 changed": 2.0,
    "POST /orders, 100 new": 3.0,
    "GET /order": 2.5,
    "GET /orders, 1,000": 1.0,
    "POST /order/.../setpaid": 4.0,
}
_BACKENDS: Final = """
SELECT pid FROM pg_stat_activity
WHERE backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid()
  AND (right(usename::text, 8) = '_service') = %s"""


@dataclass(frozen=True)
class Sides:
    """Both servers, and a connection of the owner that tells which connections are whose."""

    ours: Side
    bare: Side
    owner: psycopg.Connection

    def spent(self, side: Side) -> dict[int, float]:
        """CPU seconds so far by process: the server's and its connections'."""
        backends = [row[0] for row in self.owner.execute(_BACKENDS, (side is self.ours,))]
        return {pid: cpu_seconds(pid) for pid in (side.pid, *backends)}


def load(side: Side, count: int) -> None:
    """Submits so many orders, a thousand a call, and 1,000 to the shop that is listed."""
    today = utc_now().date()
    for start in range(0, count, BULK):
        side.client("POST", "orders", encoded([order(start + i, today=today) for i in range(BULK)]))
    side.listing.connect()
    side.listing("POST", "orders", encoded([order(i, today=today) for i in range(LISTED)]))


def measured(sides: Sides, side: Side, name: str) -> tuple[float, float]:
    """Milliseconds of CPU a request: (of the server, of PostgreSQL)."""
    count, make = operations(utc_now().date())[name]
    requests = make(side, count)
    client = side.listing if name.startswith("GET /orders") else side.client
    client.connect()
    client("GET", "orders?limit=1")
    before = sides.spent(side)
    for request in requests:
        client(*request)
    after = sides.spent(side)
    own = after[side.pid] - before[side.pid]
    both = sum(after[pid] - before.get(pid, 0.0) for pid in after)
    return 1000 * own / count, 1000 * (both - own) / count


def table(sides: Sides, rounds: int, title: str) -> bool:
    """Prints a line for each operation; whether every ratio is within its goal."""
    names, good = list(operations(utc_now().date())), True
    found: dict[str, list[tuple[tuple[float, float], tuple[float, float]]]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names:
            order_of = (sides.ours, sides.bare) if turn % 2 else (sides.bare, sides.ours)
            pair = {id(side): measured(sides, side, name) for side in order_of}
            found[name].append((pair[id(sides.ours)], pair[id(sides.bare)]))
    print(
        f"\n{title}\n\n| operation | peer, with PostgreSQL | paymatch | PostgreSQL | ratio | goal |"
        "\n|---|---|---|---|---|---|"
    )
    for name, pairs in found.items():
        ratio = statistics.median(sum(ours) / sum(bare) for ours, bare in pairs)
        own, database = (statistics.median(ours[place] for ours, _ in pairs) for place in (0, 1))
        peer = statistics.median(sum(bare) for _, bare in pairs)
        good &= ratio <= GOALS[name]
        print(
            f"| {name} | {peer:.2f} ms | {own:.2f} ms | {database:.2f} ms | {ratio:.2f} | {GOALS[name]} |", flush=True
        )
    return good


def main() -> int:
    """1 if a ratio is above its goal once the rows are counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paymatch-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # the account of the embedded PostgreSQL passes through
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {given.orders:,} orders, {ORDERS} a call")
        with running_server(folder / "data") as url:
            migrate(url)
            with psycopg.connect(url, autocommit=True) as owner:
                owner.execute("ALTER SYSTEM SET autovacuum = off")
                owner.execute("SELECT pg_reload_conf()")
                return compared(folder, url, owner, given)


def compared(folder: Path, url: str, owner: psycopg.Connection, given: argparse.Namespace) -> int:
    """Loads both shops and prints the tables."""
    with our_server(folder / "data", folder / "ours.log") as ours, bare_server(url, folder / "bare.log") as bare:
        database = Database(url, size=2)
        both = [
            Side(pid, Client(port, new_shop(database, "written")[1]), Client(port, new_shop(database, "listed")[1]))
            for port, pid in (ours, bare)
        ]
        for side in both:
            side.numbers = iter(range(1_000_000, 10_000_000))  # the load has those below
        sides = Sides(both[0], both[1], owner)
        for side in both:
            load(side, given.orders)
        table(sides, given.rounds, "Right after the load")
        begun = time.perf_counter()
        owner.execute("ANALYZE")
        print(f"\ncounted in {1000 * (time.perf_counter() - begun):.0f} ms")
        good = table(sides, given.rounds, "Rows counted")
        database.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
