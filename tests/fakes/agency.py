"""A collection agency with a server on 127.0.0.1: takes each parcel once by its Idempotency-Key, and can be down."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.fakes.serving import serving


@dataclass
class Agency:
    """What it has taken, by the key of the parcel; `calls` counts repetitions too."""

    port: int = 0
    down: bool = False
    loses_answers: int = 0  # of the next parcels: it has them, but the answer is lost
    calls: list[str] = field(default_factory=list)
    credentials: list[str] = field(default_factory=list)  # with which the calls came
    parcels: dict[str, dict[str, bytes]] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)  # what each parcel is about

    @property
    def url(self) -> str:
        """Where new cases go."""
        return f"http://127.0.0.1:{self.port}/cases"

    def told(self) -> list[tuple[str, str, str]]:
        """(kind, order, open) of every parcel, in the order of arrival."""
        messages: list[dict[str, Any]] = [json.loads(files["message.json"]) for files in self.parcels.values()]
        return [(each["kind"], each["orderNumber"], each["open"]) for each in messages]


class _Handler(BaseHTTPRequestHandler):
    agency: ClassVar[Agency]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers["Idempotency-Key"]
        self.agency.calls.append(key)
        self.agency.credentials.append(self.headers.get("Authorization", ""))
        if self.agency.down:
            self.send_error(503)
            return
        assert (body["id"], body["file"]) == (key, f"{key}.zip")
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(body["content"]))) as bundle:
            files = {name: bundle.read(name) for name in bundle.namelist()}
        assert self.agency.parcels.setdefault(key, files) == files, "a repetition has the same content"
        self.agency.subjects[key] = body["subject"]
        if self.agency.loses_answers:
            self.agency.loses_answers -= 1
            return
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def agency_server() -> Iterator[Agency]:
    """The agency while it listens."""
    found = Agency()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"agency": found}))
    found.port = server.server_address[1]
    with serving(server):
        yield found
