"""An S3-compatible storage on 127.0.0.1, as small as our door needs it: put, get and delete of one bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from tests.fakes.serving import serving

_NO_SUCH_KEY = b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>none</Message></Error>'
_DENIED = b'<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>'


class _Handler(BaseHTTPRequestHandler):
    objects: ClassVar[dict[str, bytes]]
    access_key: ClassVar[str]
    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if self._allowed():
            self.objects[self.path] = data
            self._answer(200, b"")

    def do_GET(self) -> None:
        if self._allowed():
            found = self.objects.get(self.path)
            self._answer(404 if found is None else 200, _NO_SUCH_KEY if found is None else found)

    def do_DELETE(self) -> None:
        if self._allowed():
            self.objects.pop(self.path, None)
            self._answer(204, b"")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests keep their output to themselves."""

    def _allowed(self) -> bool:
        if f"Credential={self.access_key}/" in self.headers.get("Authorization", ""):
            return True
        self._answer(403, _DENIED)
        return False

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def s3_server(access_key: str) -> Iterator[tuple[str, dict[str, bytes]]]:
    """(endpoint URL, objects by path)."""
    objects: dict[str, bytes] = {}
    handler = type("Handler", (_Handler,), {"objects": objects, "access_key": access_key})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with serving(server) as url:
        yield url, objects
