"""The merchant API: server CPU per request against a bare peer, log volume of re-submissions, start, memory.

    PYTHONPATH=src:. python -m lab.api [--rounds 15] [--only cpu,wal,start,memory]

Both servers run on one embedded database in a temporary directory, each with a shop of its own and the same orders; the
peer is `lab.bare_api`. Rounds are short and interleaved, the order of the servers alternates; the figure of an
operation is the median of its rounds, the ratio the median of the rounds' ratios. Counted is the CPU time (user and
system) of the process that answers, not that of PostgreSQL, which does the same work for both. Ends with 1 if a figure
is above its goal.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from lab.api_limits import memory_of_import, memory_of_list, start_seconds, wal_bytes
from lab.api_world import Client, bare_server, cpu_seconds, encoded, new_shop, order, our_server
from lab.bare_api import http_parser
from lab.round_trips import counted
from paymatch.api import Api, ApiConfig
from paymatch.clock import utc_now
from paymatch.embedded import running_server
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.web import Admission, Origin, Request

GOAL_RATIO = 1.4
GOAL_WAL_BYTES = 20_000
GOAL_START_SECONDS = 6.0
GOAL_MEMORY_MB = 100.0
ORDERS = 100
LISTED = 1000
GOAL_TRIPS = {"GET /order": 2, f"GET /orders, {LISTED:,}": 2, "POST /order/.../setpaid": 6}
PARTS = ("cpu", "wal", "start", "memory")


@dataclass(kw_only=True)
class Requests:
    """What the requests to one shop have used up."""

    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10_000, 10_000_000)))
    versions: Iterator[int] = field(default_factory=lambda: iter(range(1, 1_000_000)))
    unpaid: list[str] = field(default_factory=list)


@dataclass
class Side(Requests):
    """A server with its two shops: one that is written to, one with exactly 1,000 orders that is listed."""

    pid: int
    client: Client
    listing: Client


Operation = Callable[[Requests, int], list[tuple[str, str, bytes | None]]]


def operations(today: date) -> dict[str, tuple[int, Operation]]:
    """Name -> (requests per round, what they are); bodies are made before the clock starts."""
    same = encoded([order(i, today=today) for i in range(ORDERS)])

    def unchanged(_: Requests, count: int) -> list[tuple[str, str, bytes | None]]:
        return [("POST", "orders", same)] * count

    def changed(side: Requests, count: int) -> list[tuple[str, str, bytes | None]]:
        bodies = []
        for _ in range(count):
            version = next(side.versions)
            bodies.append(
                encoded([order(1000 + i, version=version if i % 10 == 0 else 0, today=today) for i in range(ORDERS)])
            )
        return [("POST", "orders", body) for body in bodies]

    def new(side: Requests, count: int) -> list[tuple[str, str, bytes | None]]:
        found: list[tuple[str, str, bytes | None]] = []
        for _ in range(count):
            batch = [order(next(side.numbers), today=today) for _ in range(ORDERS)]
            side.unpaid += [one["number"] for one in batch]
            found.append(("POST", "orders", encoded(batch)))
        return found

    def read(_: Requests, count: int) -> list[tuple[str, str, bytes | None]]:
        return [("GET", f"order/A-{100_000 + i % ORDERS}", None) for i in range(count)]

    def listed(_: Requests, count: int) -> list[tuple[str, str, bytes | None]]:
        return [("GET", "orders", None)] * count

    def paid(side: Requests, count: int) -> list[tuple[str, str, bytes | None]]:
        return [("POST", f"order/{side.unpaid.pop()}/setpaid", b"") for _ in range(count)]

    return {
        f"POST /orders, {ORDERS} unchanged": (15, unchanged),
        f"POST /orders, {ORDERS}, 10 changed": (10, changed),
        f"POST /orders, {ORDERS} new": (4, new),
        "GET /order": (150, read),
        f"GET /orders, {LISTED:,}": (8, listed),
        "POST /order/.../setpaid": (100, paid),
    }


def measure(side: Side, name: str, count: int, make: Operation) -> float:
    """CPU seconds of the server per request."""
    requests = make(side, count)
    client = side.listing if name.startswith("GET /orders") else side.client
    client.connect()
    client("GET", "orders?limit=1")
    before = cpu_seconds(side.pid)
    for request in requests:
        client(*request)
    return (cpu_seconds(side.pid) - before) / count


def prepare(side: Side, today: date) -> list[bytes]:
    """Submits what the operations start from; the answers, for comparison."""
    for start in (0, 1000):
        side.client("POST", "orders", encoded([order(start + i, today=today) for i in range(ORDERS)]))
    side.listing("POST", "orders", encoded([order(i, today=today) for i in range(LISTED)]))
    return [
        side.client("POST", "orders", encoded([order(i, today=today) for i in range(ORDERS)])),
        side.client("GET", f"order/A-{100_000 + 7}"),
        side.listing("GET", "orders"),
    ]


def unnamed(answer: bytes) -> bytes:
    """An answer without the digits that distinguish the shops, whose name is the remittee's."""
    return re.sub(rb'("remittee":"\w+) \d{6}"', rb'\1"', answer)


def compare(ours: Side, bare: Side, rounds: int, today: date) -> dict[str, tuple[float, float, float]]:
    """Operation -> (our CPU seconds, the peer's, ratio), medians over the rounds."""
    answers = [[unnamed(body) for body in prepare(side, today)] for side in (ours, bare)]
    for answer, expected in zip(*answers, strict=True):
        assert answer == expected, f"the servers answer differently:\n{answer[:2000]!r}\n{expected[:2000]!r}"
    found: dict[str, list[tuple[float, float]]] = {}
    for turn in range(rounds + 1):
        for name, (count, make) in operations(today).items():
            pair: dict[int, float] = {}
            for side in (ours, bare) if turn % 2 else (bare, ours):
                pair[id(side)] = measure(side, name, count, make)
            if turn:  # the first round warms up
                found.setdefault(name, []).append((pair[id(ours)], pair[id(bare)]))
    median = statistics.median
    return {
        name: (median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs))
        for name, pairs in found.items()
    }


class InProcess:
    """A client of our API without a server, for what is counted and not timed."""

    def __init__(self, api: Api, key: str) -> None:
        self._api = api
        self._key = key

    def __call__(self, method: str, path: str, body: bytes | None = None) -> None:
        """Answers other than 200 end the benchmark."""
        origin = Origin("127.0.0.1", https=False, local=True, secure=True)
        request = Request(method, f"/api/v2/{path}", "", {"x-service-api-key": self._key}, origin, body or b"")
        admitted = self._api.admit(request)
        reply = admitted.answer(request) if isinstance(admitted, Admission) else admitted
        assert reply.status == 200, reply.body


def round_trips(url: str, folder: Path, today: date) -> dict[str, int]:
    """Operation -> round trips to the database per request, once its statements are known."""
    found: dict[str, int] = {}
    with counted(url) as (relayed, relay):
        database = Database(relayed, size=2)
        config = ApiConfig(("x-service-api-key",), clock=utc_now, invoice_max_bytes=1_000)
        api = Api(database, DirectoryFiles(folder), config)
        client = InProcess(api, new_shop(database, "counted")[1])
        client("POST", "orders", encoded([order(i, today=today) for i in range(ORDERS)]))
        side = Requests()
        for name, (_, make) in operations(today).items():
            for request in make(side, 4):
                before = relay.round_trips
                client(*request)
                found[name] = relay.round_trips - before
        database.close()
    return found


def cpu_table(folder: Path, url: str, rounds: int) -> bool:
    """Prints the table; whether all figures are within their goals."""
    today = utc_now().date()
    with our_server(folder / "data", folder / "ours.log") as ours, bare_server(url, folder / "bare.log") as bare:
        database = Database(url, size=2)
        sides = [
            Side(pid, Client(port, new_shop(database, "written")[1]), Client(port, new_shop(database, "listed")[1]))
            for port, pid in (ours, bare)
        ]
        database.close()
        results = compare(sides[0], sides[1], rounds, today)
    trips = round_trips(url, folder, today)
    print(f"\n| operation | bare peer ({http_parser()}) | paymatch | ratio | goal | round trips | goal |")
    print("|---|---|---|---|---|---|---|")
    for name, (a, b, ratio) in results.items():
        most = GOAL_TRIPS.get(name, "")
        print(
            f"| {name} | {b * 1000:.2f} ms | {a * 1000:.2f} ms | {ratio:.2f} | {GOAL_RATIO} | {trips[name]} | {most} |"
        )
    few = all(trips[name] <= most for name, most in GOAL_TRIPS.items())
    return few and all(ratio <= GOAL_RATIO for _, _, ratio in results.values())


def report(what: str, value: float, goal: float, unit: str) -> bool:
    """Prints a figure with its goal; whether it is within."""
    print(f"| {what} | {value:,.1f} {unit} | {goal:,.0f} {unit} |", flush=True)
    return value < goal


def limits(folder: Path, url: str, parts: list[str]) -> bool:
    """Log volume and memory, on the running database; whether all are within their goals."""
    good = True
    if "wal" in parts:
        good &= report("WAL of 100 unchanged orders", wal_bytes(folder, url) / 1000, GOAL_WAL_BYTES / 1000, "KB")
    if "memory" in parts:
        grown = memory_of_list(folder, url)
        good &= report("memory growth, GET /orders of 100,000", grown, GOAL_MEMORY_MB, "MB")
        grown = memory_of_import(folder, url)
        good &= report("memory growth, import of 100,000 entries", grown, GOAL_MEMORY_MB, "MB")
    return good


def main() -> int:
    """Runs the chosen parts; the exit code."""
    parser = argparse.ArgumentParser(description="Benchmark of the merchant API")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default=",".join(PARTS), help="parts to run: " + ", ".join(PARTS))
    given = parser.parse_args()
    parts = given.only.split(",")
    good = True
    with tempfile.TemporaryDirectory(prefix="paymatch-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # the account of the embedded PostgreSQL passes through
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
        with running_server(folder / "data") as url:
            migrate(url)
            if "cpu" in parts:
                good &= cpu_table(folder, url, given.rounds)
            print("\n| limit | measured | goal |\n|---|---|---|")
            good &= limits(folder, url, parts)
        if "start" in parts:
            good &= report("start until healthy", start_seconds(folder), GOAL_START_SECONDS, "s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
