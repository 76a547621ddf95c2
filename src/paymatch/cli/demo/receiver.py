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
class ReceivedCallback:
    """A callback as it came: headers in lower case, the order of its body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class ReceiverRefusal:
    """How the shop refuses a callback, and when it wants to be asked again."""

    status: int
    text: str
    again_after_hours: int


class CallbackListener:
    """Keeps what it takes. `url` is where it listens.

    While there is an `outage` it takes nothing; `refused` names orders that it never takes.
    """

    def __init__(self) -> None:
        self.received: list[ReceivedCallback] = []
        self.outage: ReceiverRefusal | None = None
        self.refused: dict[str, ReceiverRefusal] = {}
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                callback = ReceivedCallback(self.path, headers, msgspec.json.decode(body), body.decode())
                refusal = receiver.outage or receiver.refused.get(callback.body.get("number", ""))
                if refusal is None:
                    receiver.received.append(callback)
                self._answer(refusal)

            def _answer(self, refusal: ReceiverRefusal | None) -> None:
                content = refusal.text.encode() if refusal else b""
                self.send_response(refusal.status if refusal else 200)
                if refusal:
                    self.send_header("Retry-After", str(refusal.again_after_hours * 3600))
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/paymatch"

    def of_order(self, number: str) -> list[ReceivedCallback]:
        """The callbacks of one order, in sequence."""
        return [each for each in self.received if each.body.get("number") == number]

    @contextmanager
    def serve(self) -> Iterator[CallbackListener]:
        """Listens inside of the block."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join(5)
