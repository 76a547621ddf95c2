"""A mail provider's API on loopback: takes messages as JSON, names them, or answers as a test says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.serving import serving


@dataclass
class MailProvider:
    """What it was asked, each with the key; `status` other than 200 refuses."""

    port: int = 0
    status: int = 200
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@contextmanager
def mail_provider() -> Iterator[MailProvider]:
    """A provider whose messages are named 1, 2, 3 ..."""
    state = MailProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.headers["X-Server-API-Key"], asked))
            named = {recipient: {"id": len(state.asked), "token": "t"} for recipient in _plain(asked["to"])}
            body = json.dumps({"status": "success", "data": {"messages": named}}).encode()
            self.send_response(state.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_address[1]
    with serving(server):
        yield state


def _plain(recipients: list[str]) -> list[str]:
    return [each.rpartition("<")[2].rstrip(">") for each in recipients]
