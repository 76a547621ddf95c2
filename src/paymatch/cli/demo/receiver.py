"""The demo shop's own end: a receiver of callbacks on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Received:
    """A callback as it came: headers in lower case, the order of its body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    text: str


class Receiver:
    """Keeps what it is told. `url` is where it listens."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        kept = self.received

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                kept.append(Received(self.path, headers, msgspec.json.decode(body), body.decode()))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/paymatch"

    def of_order(self, number: str) -> list[Received]:
        """What was told of one order, in sequence."""
        return [each for each in self.received if each.body.get("number") == number]

    @contextmanager
    def listening(self) -> Iterator[Receiver]:
        """Listens inside of the block."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join(5)
