"""`paymatch serve` as a process of its own, and what strangers and shops send to it over real sockets."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from paymatch.clock import utc_now
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.keys import SECRET_KEY
from tests.waiting import PATIENCE_SECONDS, free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]
SECONDS = PATIENCE_SECONDS
"""The longest wait for an answer that is expected: the machine may be busy, but a held service never answers."""


@dataclass(frozen=True)
class Reply:
    """An answer; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Service:
    """A running service."""

    port: int
    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def shop(self, name: str) -> str:
        """The API key of a new shop."""
        with closing(Database(self.url, size=1)) as database:
            return shops.create(database, name, utc_now()).api_key

    def ask(self, path: str, key: str = "", method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
        """The answer to a request on a connection of its own."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)) as connection:
            connection.request(method, path, body, request_headers(key) | named(headers))
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def connect(self, *, small: bool = False) -> socket.socket:
        """An open connection; `small`: one that buffers next to nothing, for a slow reader."""
        connection = socket.socket()
        if small:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(SECONDS)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def send(self, text: str, *, small: bool = False) -> socket.socket:
        """An open connection on which the text is sent; line ends become those of HTTP."""
        connection = self.connect(small=small)
        connection.sendall(text.replace("\n", "\r\n").encode())
        return connection

    def upload(self, key: str, length: int, path: str = "/api/v2/orders") -> socket.socket:
        """An open connection on which a body of this length is announced and one byte of it sent."""
        headers = f"X-Service-API-Key: {key}\n" if key else ""
        return self.send(f"POST {path} HTTP/1.1\nHost: x\n{headers}Content-Length: {length}\n\n[")


def request_headers(key: str) -> dict[str, str]:
    """The header with the key, if there is one."""
    return {"X-Service-API-Key": key} if key else {}


def named(headers: dict[str, str]) -> dict[str, str]:
    """Headers by their names from names of arguments: one low line is a hyphen, two are a low line."""
    return {name.replace("__", "\0").replace("_", "-").replace("\0", "_"): value for name, value in headers.items()}


@contextmanager
def service(url: str, folder: Path, *options: str, **settings: str) -> Iterator[Service]:
    """A service on this database, with settings by their names without the prefix, in lower case."""
    with service_of(ROOT / "src", url, folder, *options, **settings) as running:
        yield running


@contextmanager
def service_of(source: Path, url: str, folder: Path, *options: str, **settings: str) -> Iterator[Service]:
    """As `service`, with the program that lies there, which may be of an earlier state."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAYMATCH_")}
    environment |= {
        "PYTHONPATH": str(source), "PAYMATCH_DATABASE_URL": url, "PAYMATCH_DATA_DIR": str(folder / "data"),
        "PAYMATCH_SECRET_KEY": SECRET_KEY,
    }  # fmt: skip
    environment |= {f"PAYMATCH_{name.upper()}": value for name, value in settings.items()}
    command = [sys.executable, "-m", "paymatch", "serve", "--no-jobs", "--port", str(port), *options]
    log = folder / "log"
    with log.open("ab") as file, ExitStack() as closing_up:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=file)
        closing_up.callback(_stop, process)
        running = Service(port, url, log, process)
        wait_until(lambda: process.poll() is not None or is_healthy(running), lambda: log.read_text("utf-8"))
        assert process.poll() is None, log.read_text("utf-8")
        yield running


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    process.wait(PATIENCE_SECONDS)


def is_healthy(running: Service) -> bool:
    """Whether it answers."""
    try:
        return running.ask("/healthz").status == 200
    except OSError:
        return False
