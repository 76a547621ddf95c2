"""A WSGI application behind our server: the pages today, and whatever else is written for WSGI."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote_to_bytes

import structlog

from paymatch.web import LOCAL, Admission, Reply, Request, gathered

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
_log = structlog.get_logger("paymatch.front")


class PlainApplication:
    """Has a WSGI application answer, in the threads of those who need no key and one address at a time in turn."""

    def __init__(self, application: Wsgi, *, body_limit: int = 0) -> None:
        self._application = application
        self._body_limit = body_limit

    def admit(self, request: Request) -> Admission:
        """Everybody."""
        share = f"page {request.origin.client}"
        return Admission(share, self._body_limit, self._answer, is_stranger=True)

    def refuse(self, _request: Request, status: int, text: str) -> Reply:
        """A refusal of the server itself, as plain text."""
        body = f"{text}\n".encode()
        return Reply(status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))], body)

    def _answer(self, request: Request) -> Reply:
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            started[:] = [(status, headers)]

        try:
            body = gathered(self._application(_environ(request), start_response))
        except Exception:
            _log.exception("page failed", request_id=request.id, path=request.path)
            return self.refuse(request, 500, f"Internal server error (request {request.id})")
        status, headers = started[0]
        return Reply(int(status[:3]), list(headers), body)


def _environ(request: Request) -> dict[str, Any]:
    """The request as PEP 3333 wants it."""
    headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in request.headers.items()}
    return headers | {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(request.raw_path).decode("latin-1"),
        "QUERY_STRING": request.query,
        "REQUEST_URI": request.raw_path,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "SERVER_NAME": request.headers.get("host", "").partition(":")[0],
        "SERVER_PORT": request.headers.get("host", "").partition(":")[2],
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": request.origin.client,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "https" if request.origin.https else "http",
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        LOCAL: request.origin.local,
    }
