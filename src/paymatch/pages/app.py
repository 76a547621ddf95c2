"""Pages as a WSGI application: start page, health, metrics; a wholly invalid URL leads to the start page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import resources
from typing import Any, Final

import psycopg
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from paymatch.store.database import Database

StartResponse = Callable[..., Any]
_STATIC: Final = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/docs": ("docs.html", "text/html; charset=utf-8"),
    "/static/redoc.standalone.js": ("redoc.standalone.js", "text/javascript; charset=utf-8"),
    "/static/docs.js": ("docs.js", "text/javascript; charset=utf-8"),
    "/static/paymatch.css": ("paymatch.css", "text/css; charset=utf-8"),
}
_POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:;"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


class Pages:
    """WSGI callable for everything outside of /api/."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ.get("PATH_INFO", "/")
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return _send(start_response, "404 Not Found", b"Not found\n", "text/plain; charset=utf-8")
        if path == "/healthz":
            return _send(start_response, "200 OK", b"ok\n", "text/plain; charset=utf-8")
        if path == "/readyz":
            return self._ready(start_response)
        if path == "/metrics":
            return _send(start_response, "200 OK", generate_latest(), CONTENT_TYPE_LATEST)
        if path in _STATIC:
            name, media_type = _STATIC[path]
            content = resources.files("paymatch.pages").joinpath("static", name).read_bytes()
            return _send(start_response, "200 OK", content, media_type)
        return _send(start_response, "302 Found", b"", "text/plain; charset=utf-8", ("Location", "/"))

    def _ready(self, start_response: StartResponse) -> Iterable[bytes]:
        """Ready means that the database answers."""
        try:
            with self._database.transaction(None) as tx:
                tx.value("SELECT 1")
        except psycopg.Error:
            return _send(
                start_response,
                "503 Service Unavailable",
                b"the database does not answer\n",
                "text/plain; charset=utf-8",
            )
        return _send(start_response, "200 OK", b"ready\n", "text/plain; charset=utf-8")


def _send(
    start_response: StartResponse, status: str, body: bytes, media_type: str, *more: tuple[str, str]
) -> Iterable[bytes]:
    headers = [
        ("Content-Type", media_type),
        ("Content-Length", str(len(body))),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", _POLICY),
        ("Referrer-Policy", "no-referrer"),
        *more,
    ]
    start_response(status, headers)
    return [body]
