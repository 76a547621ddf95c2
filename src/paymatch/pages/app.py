"""Pages as a WSGI application: start page, API reference, metrics; any other URL leads to the start page."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import SecretStr

from paymatch.pages.metrics import Metrics, ServiceState
from paymatch.pages.reference.site import ReferenceSite
from paymatch.pages.static_files import StaticFile, static_file
from paymatch.store.database import Database
from paymatch.web import LOCAL, SEEN

StartResponse = Callable[..., Any]

_PLAIN: Final = "text/plain; charset=utf-8"
_BESIDE_AREA: Final = frozenset({"/healthz", "/readyz", "/metrics", "/favicon.ico", "/docs", "/docs.md", "/llms.txt"})
_REFERENCE: Final = ("/docs", "/llms.txt")
_FOLDER: Final = "/static/"
_OF_AREA: Final = "/static/area/"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


class Pages:
    """WSGI callable for everything outside of /api/."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        metrics_token: SecretStr | None,
        describe: Callable[[], Mapping[str, Any]],
        service: ServiceState | None = None,
    ) -> None:
        """`describe` returns the OpenAPI document that the reference is made of; `service` is shown by /metrics."""
        self._metrics = Metrics(database, clock, service)
        self._metrics_token = metrics_token
        self._reference = ReferenceSite(describe)

    def has(self, path: str) -> bool:
        """Whether the address stays one of these pages where there is a merchant area; all others are the area's."""
        if path in _BESIDE_AREA or path.startswith("/docs/"):
            return True
        return path.startswith(_FOLDER) and not path.startswith(_OF_AREA)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        method: str = environ["REQUEST_METHOD"]
        if method not in ("GET", "HEAD"):
            return _send(start_response, "404 Not Found", b"Not found\n")
        body = self._answer(environ, start_response)
        return [] if method == "HEAD" else body

    def _answer(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ.get("PATH_INFO", "/")
        if path == "/metrics":
            return self._figures(environ, start_response)
        if path == "/" or path.startswith((_FOLDER, *_REFERENCE)):
            found = self._file(path, environ.get("QUERY_STRING", ""))
            if found is None:
                return _not_found(environ, start_response, path)
            return _send_file(environ, start_response, found)
        if path == "/favicon.ico":
            return _send(start_response, "404 Not Found", b"Not found\n")
        return _send(start_response, "302 Found", b"", _PLAIN, ("Location", "/"))

    def _file(self, path: str, query: str) -> StaticFile | None:
        if path.startswith(_REFERENCE):
            return self._reference.page(path, query)
        return static_file("index.html" if path == "/" else path.removeprefix(_FOLDER))

    def _figures(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """The figures, for the token, and for this machine with `local_requests`: they say how large a business is.

        All others get the address that the service sees, so `paymatch doctor` detects a silent proxy.
        """
        if not (environ.get(LOCAL) or self._has_token(environ.get("HTTP_AUTHORIZATION", ""))):
            wanted, seen = ("WWW-Authenticate", "Bearer"), environ.get("REMOTE_ADDR", "")
            return _send(
                start_response, "401 Unauthorized", f"with the token only\n{SEEN}{seen}\n".encode(), _PLAIN, wanted
            )
        return _send(start_response, "200 OK", self._metrics.text(), CONTENT_TYPE_LATEST)

    def _has_token(self, header: str) -> bool:
        scheme, _, token = header.partition(" ")
        wanted = self._metrics_token
        if wanted is None or scheme.lower() != "bearer":
            return False
        return hmac.compare_digest(token.strip().encode(), wanted.get_secret_value().encode())


def _not_found(environ: dict[str, Any], start_response: StartResponse, path: str) -> Iterable[bytes]:
    """404: a page for a browser that looks for one of the reference, a line for programs and files."""
    page = static_file("not-found.html") if path.startswith("/docs/") else None
    if page is None or "text/html" not in environ.get("HTTP_ACCEPT", ""):
        return _send(start_response, "404 Not Found", b"Not found\n")
    return _send(start_response, "404 Not Found", page.content, page.media_type)


def _send_file(environ: dict[str, Any], start_response: StartResponse, found: StaticFile) -> Iterable[bytes]:
    """The file, or 304 for a client that has it. It is revalidated each time: an update is seen at once."""
    kept = (("ETag", found.tag), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding"))
    known = {tag.strip().removeprefix("W/") for tag in environ.get("HTTP_IF_NONE_MATCH", "").split(",")}
    if found.tag in known:
        start_response("304 Not Modified", list(kept))
        return []
    if found.packed and "gzip" in environ.get("HTTP_ACCEPT_ENCODING", "").lower():
        more = (*kept, ("Content-Encoding", "gzip"))
        return _send(start_response, "200 OK", found.packed, found.media_type, *more)
    return _send(start_response, "200 OK", found.content, found.media_type, *kept)


def _send(
    start_response: StartResponse,
    status: str,
    body: bytes,
    media_type: str = _PLAIN,
    *more: tuple[str, str],
) -> Iterable[bytes]:
    headers = [
        ("Content-Type", media_type),
        ("Content-Length", str(len(body))),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", _POLICY),
        ("Referrer-Policy", "no-referrer"),
        *more,
    ]
    if not any(name == "Cache-Control" for name, _ in more):
        headers.append(("Cache-Control", "no-store"))
    start_response(status, headers)
    return [body]
