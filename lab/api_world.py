"""What the benchmark of the API works with: two servers on one embedded database, a shop for each, orders, a client."""

from __future__ import annotations

import http.client
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import psutil
import psycopg

from paymatch.clock import utc_now
from paymatch.store.database import Database
from paymatch.usecases.shops import shops

_CITIES = (("Berlin", "10115"), ("München", "80331"), ("Köln", "50667"), ("Görlitz", "02826"), ("Ulm", "89073"))
_FIRST = ("Anna", "Jürgen", "Sven", "Leonie", "Mehmet", "Zoë", "Karl-Heinz")
_LAST = ("Müller", "Schmidt", "Öztürk", "Weiß", "von der Heide", "Kowalski", "García")


def order(number: int, *, version: int = 0, today: date) -> dict[str, Any]:
    """A usual order of about 900 bytes; with another `version` it has another amount and status text."""
    city, post_code = _CITIES[number % len(_CITIES)]
    first, last = _FIRST[number % len(_FIRST)], _LAST[number // 7 % len(_LAST)]
    cents = 1990 + number * 37 % 40000 + version
    address = {
        "gender": "male" if number % 2 else "female", "firstName": first, "lastName": last,
        "street": f"Lange Straße {number % 120 + 1}", "postCode": post_code, "city": city, "countryCode": "DE",
        "phone": f"+49 30 {number:08d}",
    }  # fmt: skip
    return {
        "number": f"A-{100_000 + number}",
        "date": (today - timedelta(days=number % 60)).strftime("%d-%m-%Y"),
        "dueDate": (today + timedelta(days=number % 14)).strftime("%d-%m-%Y"),
        "type": "INVOICE" if number % 3 else "PREPAYMENT",
        "amount": msgspec.Raw(f"{cents // 100}.{cents % 100:02d}".encode()),
        "currency": "EUR",
        "customerEmail": f"kunde{number}@example.com",
        "customerNumber": f"K{20_000 + number % 5000}",
        "paymentMethod": "invoice",
        "paymentMethodDescription": "Kauf auf Rechnung",
        "statusDescription": f"versandt {version}" if version else "versandt",
        "language": "de",
        "items": [{"number": f"ART-{(number + i) % 900}", "name": f"Regal Modell {i}"} for i in range(1 + number % 3)],
        "invoiceNumbers": [f"RE-{500_000 + number}"],
        "shippingNumbers": [f"LS-{700_000 + number}"],
        "billing": address,
        "shipping": address if number % 4 == 0 else None,
    }  # fmt: skip


def encoded(orders: Sequence[dict[str, Any]]) -> bytes:
    """The request body; unset fields are left out."""
    return msgspec.json.encode([{key: value for key, value in one.items() if value is not None} for one in orders])


@dataclass
class Client:
    """One connection that is kept open while it is used; answers other than 200 end the benchmark."""

    port: int
    key: str
    connection: http.client.HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self.connect()

    def connect(self) -> None:
        """A new connection, because servers close one that was idle for some seconds."""
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __call__(self, method: str, path: str, body: bytes | None = None) -> bytes:
        self.connection.request(method, "/api/v2/" + quote(path, safe="/?=&"), body, {"X-Service-API-Key": self.key})
        response = self.connection.getresponse()
        answer = response.read()
        assert response.status == 200, (self.port, method, path, response.status, answer[:500])
        return answer


def free_port() -> int:
    """A port nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
    return found


def new_shop(database: Database, name: str) -> tuple[str, str]:
    """(shop id, API key) of a new shop with one bank account; all of one name are called alike, but for six digits."""
    new = shops.create(database, f"{name} {secrets.randbelow(10**6):06d}", utc_now(), ibans=["DE89370400440532013000"])
    return str(new.shop.id), new.api_key


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a process so far, exact to the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime((~pid << 3) | 2)


def postgres_cpu_seconds(server: int) -> float:
    """User and system time of a PostgreSQL server and of all its processes so far, those that have ended included."""
    main = psutil.Process(server)
    found = main.cpu_times().children_user + main.cpu_times().children_system
    for each in (main, *main.children(recursive=True)):
        with suppress(OSError):  # one that ends meanwhile
            found += cpu_seconds(each.pid)
    return float(found)


def postgres_of(url: str) -> int:
    """The process id of the PostgreSQL server that answers there."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        found: int = psutil.Process(row[0]).ppid()
    return found


def environment(data_dir: Path) -> dict[str, str]:
    """Of our server and our commands: nothing set but the data directory."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYMATCH_")}
    return kept | {"PAYMATCH_DATA_DIR": str(data_dir)}


@contextmanager
def our_server(data_dir: Path, log: Path) -> Iterator[tuple[int, int]]:
    """(port, process id of the server process) of `paymatch serve --no-jobs`, with its usual log lines in `log`."""
    port = free_port()
    command = [sys.executable, "-m", "paymatch", "serve", "--no-jobs", "--port", str(port)]
    with log.open("ab") as file, _process(command, environment(data_dir), file) as process:
        wait_until_healthy(port, process)
        yield port, _server_process(process.pid)


@contextmanager
def bare_server(url: str, log: Path) -> Iterator[tuple[int, int]]:
    """(port, process id) of the peer."""
    port = free_port()
    command = [sys.executable, "-m", "lab.bare_api", "--port", str(port), "--url", url]
    with log.open("ab") as file, _process(command, dict(os.environ), file) as process:
        _wait_for_port(port, process)
        yield port, process.pid


@contextmanager
def _process(command: list[str], env: dict[str, str], log: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=env, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def _server_process(parent: int) -> int:
    """The one process below `parent` that answers requests: not the database, not multiprocessing's own."""
    for child in psutil.Process(parent).children():
        words = child.cmdline()
        if any("python" in word for word in words[:1]) and "resource_tracker" not in " ".join(words):
            found: int = child.pid
            return found
    raise RuntimeError("the server has no process")


def wait_until_healthy(port: int, process: subprocess.Popen[bytes]) -> None:
    """Returns with the first 200 of /healthz."""
    while True:
        assert process.poll() is None, "the server ended"
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.02)


def _wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    while True:
        assert process.poll() is None, "the peer ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
