"""Limits of the benchmark of the API: log volume of a re-submission, start, memory with long answers and statements."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg

from lab.api_world import Client, encoded, environment, free_port, new_shop, order, our_server, wait_until_healthy
from lab.statements import write_file
from paymatch.clock import utc_now
from paymatch.store.database import Database

LONG = 100_000
_MB = 1 << 20

COPY_ORDERS = """
INSERT INTO orders (shop_id, number, doc, type, order_date, due_date, currency, digits, amount_minor, status, reference,
                    created_at, updated_at)
SELECT shop_id, number || '-' || i, replace(doc, number, number || '-' || i), type, order_date, due_date, currency,
       digits, amount_minor, status, reference || i, created_at, updated_at
FROM orders, generate_series(2, %s) i WHERE shop_id = %s"""


def wal_bytes(folder: Path, url: str) -> float:
    """Bytes of write-ahead log of a re-submission of 100 unchanged orders: median of nine, no checkpoint between."""
    today = utc_now().date()
    body = encoded([order(i, today=today) for i in range(100)])
    with our_server(folder / "data", folder / "ours.log") as (port, _), psycopg.connect(url, autocommit=True) as psql:
        client = _client(url, port)[1]
        client("POST", "orders", body)
        found: list[float] = []
        for _ in range(9):
            before = _value(psql, "SELECT pg_current_wal_insert_lsn()")
            client("POST", "orders", body)
            found.append(float(_value(psql, f"SELECT pg_current_wal_insert_lsn() - '{before}'")))
    return statistics.median(found)


def memory_of_list(folder: Path, url: str) -> float:
    """Most MB that the server grows while it streams 100,000 orders to a client that reads along."""
    today = utc_now().date()
    with our_server(folder / "data", folder / "ours.log") as (port, pid), psycopg.connect(url, autocommit=True) as psql:
        shop, client = _client(url, port)
        client("POST", "orders", encoded([order(i, today=today) for i in range(1000)]))
        psql.execute(COPY_ORDERS, (LONG // 1000, shop))
        psql.execute("ANALYZE orders")
        for _ in range(3):
            client("GET", "orders?limit=1000")
        process = psutil.Process(pid)
        before = process.memory_info().rss
        with _Peak(process) as peak:
            answer = client("GET", "orders")
        assert len(json.loads(answer)) == LONG
    return float(peak.most - before) / _MB


def memory_of_import(folder: Path, url: str) -> float:
    """Most MB that `paymatch statement import` of 100,000 entries takes above the one of 100 entries."""
    database = Database(url, size=2)
    shops = [new_shop(database, "statements")[0] for _ in range(2)]
    database.close()
    sizes: list[float] = []
    for shop, entries in zip(shops, (100, LONG), strict=True):
        path = folder / f"statement-{entries}.xml"
        write_file(path, entries, uniform=False)
        command = [sys.executable, "-m", "paymatch", "statement", "import", shop, str(path), "--json"]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(command, env=environment(folder / "data"), stdout=output, stderr=output)
            with _Peak(psutil.Process(process.pid)) as peak:  # ru_maxrss would count this process, which forked it
                process.wait()
            output.seek(0)
            answer = output.read().decode()
        assert process.returncode == 0 and f'"new": {entries}' in answer, answer
        sizes.append(peak.most / _MB)
    return sizes[1] - sizes[0]


def start_seconds(folder: Path) -> float:
    """Seconds from the start of `paymatch serve`, its database included, until it is healthy: median of three."""
    found: list[float] = []
    for _ in range(3):
        port = free_port()
        command = [sys.executable, "-m", "paymatch", "serve", "--port", str(port)]
        begun = time.monotonic()
        with (folder / "start.log").open("ab") as log:
            process = subprocess.Popen(command, env=environment(folder / "data"), stdout=log, stderr=log)
            try:
                wait_until_healthy(port, process)
                found.append(time.monotonic() - begun)
            finally:
                process.terminate()
                process.wait(60)
    return statistics.median(found)


class _Peak:
    """Watches the resident memory of a process."""

    def __init__(self, process: psutil.Process) -> None:
        self.most = 0
        self._process, self._over = process, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> _Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        with suppress(psutil.NoSuchProcess):
            while not self._over.wait(0.02):
                self.most = max(self.most, self._process.memory_info().rss)


def _client(url: str, port: int) -> tuple[str, Client]:
    database = Database(url, size=2)
    shop, key = new_shop(database, "limits")
    database.close()
    return shop, Client(port, key)


def _value(connection: psycopg.Connection[tuple[object, ...]], statement: str) -> str:
    row = connection.execute(statement).fetchone()
    assert row is not None
    return str(row[0])
