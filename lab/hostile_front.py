"""What a shop notices while strangers and another shop do what they can to hold the service.

    PYTHONPATH=src:. python -m lab.hostile_front [--seconds 8] [--only senders,readers,idle,all]

`paymatch serve` with its own database in a temporary directory, on loopback. In each scene the attackers open their
connections first; then, for some seconds, a shop reads an order and somebody asks /healthz, each on a connection that
is kept open. Attackers that are dropped are replaced. Ends with 1 if a figure is above its goal. It never runs for more
than a few minutes, and opens no more than 3,600 connections.
"""

from __future__ import annotations

import argparse
import http.client
import multiprocessing
import os
import platform
import resource
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg

from lab.api_limits import COPY_ORDERS
from lab.api_world import Client, encoded, new_shop, order, our_server
from paymatch.clock import utc_now
from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate

GOAL_READ_MS = 250.0
GOAL_HEALTH_MS = 100.0
GOAL_MEMORY_MB = 400.0
SENDERS = 300
READERS = 300
IDLE = 3000
LISTED = 20_000
PAUSE_SECONDS = 0.05

Opening = Callable[[], socket.socket]
_FORKS = multiprocessing.get_context("fork")


@dataclass
class Attackers:
    """Connections that are kept; every second each sender sends one more byte, each reader reads a little."""

    open_one: Opening
    count: int
    dribbles: bool = False
    reads: bool = False
    connections: list[socket.socket] = field(default_factory=list)
    dropped: int = 0

    def begin(self) -> None:
        """Opens them all."""
        self.connections = [self.open_one() for _ in range(self.count)]

    def go_on(self) -> None:
        """A little of what each does; who was dropped comes again."""
        for place, connection in enumerate(self.connections):
            try:
                if self.dribbles:
                    connection.send(b" ")
                if self.reads:
                    connection.recv(64)
            except BlockingIOError:
                continue
            except OSError:
                self.dropped += 1
                connection.close()
                self.connections[place] = self.open_one()

    def end(self) -> None:
        """Closes them all."""
        for connection in self.connections:
            connection.close()


def opening(port: int, request: str, *, small: bool = False) -> Opening:
    """How a connection is opened, and what is sent on it at once; `small`: it buffers next to nothing."""

    def open_one() -> socket.socket:
        connection = socket.socket()
        if small:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(10)
        connection.connect(("127.0.0.1", port))
        if request:
            connection.sendall(request.replace("\n", "\r\n").encode())
        connection.setblocking(False)
        return connection

    return open_one


def scenes(port: int, key: str) -> dict[str, list[Attackers]]:
    """Name -> attackers."""
    post = "POST /api/v2/orders HTTP/1.1\nHost: x\n{}Content-Length: 1000000\n\n["
    with_key = f"X-Service-API-Key: {key}\n"
    strangers = Attackers(opening(port, post.format("")), SENDERS // 2, dribbles=True)
    senders = Attackers(opening(port, post.format(with_key)), SENDERS // 2, dribbles=True)
    get = f"GET /api/v2/orders HTTP/1.1\nHost: x\n{with_key}\n"
    readers = Attackers(opening(port, get, small=True), READERS, reads=True)
    idle = Attackers(opening(port, ""), IDLE)
    return {
        "nobody": [],
        f"{SENDERS} slow senders": [strangers, senders],
        f"{READERS} slow readers": [readers],
        f"{IDLE:,} idle connections": [idle],
        "all of them": [strangers, senders, readers, idle],
    }


@contextmanager
def attacked(attackers: list[Attackers]) -> Iterator[Callable[[], int]]:
    """The attack goes on inside, in a process of its own: who measures must not wait for the attackers' interpreter.

    What is given says, after the block, how many connections were dropped.
    """
    begun, over, dropped = _FORKS.Event(), _FORKS.Event(), _FORKS.Value("i", 0)

    def go_on() -> None:
        for each in attackers:
            each.begin()
        begun.set()
        while not over.wait(1.0):
            for each in attackers:
                each.go_on()
        dropped.value = sum(each.dropped for each in attackers)
        for each in attackers:
            each.end()

    process = _FORKS.Process(target=go_on, daemon=True)
    process.start()
    begun.wait(60)
    try:
        yield lambda: dropped.value
    finally:
        over.set()
        process.join()


def times_of(ask: Callable[[], object], seconds: float) -> list[float]:
    """Milliseconds of each request, one after the other."""
    found, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.perf_counter()
        ask()
        found.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_SECONDS)
    return found


def health(port: int) -> Callable[[], object]:
    """Asks /healthz on a connection that is kept."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask() -> object:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.read()

    return ask


def p99(values: list[float]) -> float:
    """The value that one in a hundred exceeds."""
    return statistics.quantiles(values, n=100, method="inclusive")[98]


def measure(port: int, pid: int, reader: Client, seconds: float) -> tuple[float, float, float, float]:
    """(median and p99 of reading an order, p99 of /healthz, MB of the server process)."""
    reads: list[float] = []
    reader.connect()
    ask = threading.Thread(target=lambda: reads.extend(times_of(lambda: reader("GET", "order/A-100001"), seconds)))
    ask.start()
    healthy = times_of(health(port), seconds)
    ask.join()
    memory = psutil.Process(pid).memory_info().rss / (1 << 20)
    return statistics.median(reads), p99(reads), p99(healthy), memory


def prepare(url: str, port: int) -> tuple[Client, str]:
    """(the shop that is to notice nothing, the key of the one that attacks with a long list of orders)."""
    database = Database(url, size=2)
    (_, reader_key), (attacker, attacker_key) = new_shop(database, "reader"), new_shop(database, "attacker")
    database.close()
    today = utc_now().date()
    reader = Client(port, reader_key)
    for client, count in ((reader, 100), (Client(port, attacker_key), 1000)):
        client("POST", "orders", encoded([order(i, today=today) for i in range(count)]))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(COPY_ORDERS, (LISTED // 1000, attacker))
        connection.execute("ANALYZE orders")
    return reader, attacker_key


def main() -> int:
    """Runs the scenes; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--only", default="", help="scenes whose name holds one of these words, comma separated")
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else 16_384, hard))
    good = True
    with tempfile.TemporaryDirectory(prefix="paymatch-hostile-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # the account of the embedded PostgreSQL passes through
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        print("| attack | GET /order median | p99 | /healthz p99 | memory | dropped |\n|---|---|---|---|---|---|")
        with running_server(folder / "data") as url:
            migrate(url)
            with our_server(folder / "data", folder / "log") as (port, pid):
                reader, key = prepare(url, port)
                for scene, attackers in scenes(port, key).items():
                    if given.only and not any(word in scene for word in given.only.split(",")):
                        continue
                    with attacked(attackers) as dropped:
                        middle, read, healthy, memory = measure(port, pid, reader, given.seconds)
                    row = f"| {scene} | {middle:.1f} ms | {read:.1f} ms | {healthy:.1f} ms | {memory:.0f} MB |"
                    print(f"{row} {dropped()} |", flush=True)
                    good &= read < GOAL_READ_MS and healthy < GOAL_HEALTH_MS and memory < GOAL_MEMORY_MB
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
