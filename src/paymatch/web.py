"""Requests and replies as every application of the server sees them, whatever stands in front of it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose body is read; of any other request it is ignored."""

_PLAIN: Final = "/:@!$&'()*+,;=~"
"""What stands in a path as it is, beside letters and digits."""
_ENOUGH: Final = 256 * 1024

StartResponse = Callable[..., Any]


@dataclass(slots=True)
class Request:
    """A request whose body, if it is read at all, is complete.

    `client` and `secure` are what the server believes: the address behind trusted proxies, and whether the request
    came by HTTPS or from this very machine.
    """

    method: str
    raw_path: str  # percent-encoded, as it stands in the request line
    query: str  # likewise, without the question mark
    headers: Mapping[str, str]  # names in lower case; lines of one name are joined with commas
    client: str
    secure: bool
    body: bytes = b""
    body_too_large: bool = False  # longer than the application takes; `body` is empty then
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    arrived_at: float = field(default_factory=time.perf_counter)

    @property
    def path(self) -> str:
        """The decoded path; bytes that are no UTF-8 show as replacement characters."""
        return unquote_to_bytes(self.raw_path).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: bytes, or chunks of a long one that are made while it is written."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes | Iterator[bytes] = b""


@dataclass(frozen=True, slots=True)
class Admission:
    """A request that is let in by its headers: on whose account it works, and what answers it.

    `authenticate` proves who calls, before any body is taken: a refusal, or None. Without one the caller is known.
    """

    share: str
    body_limit: int
    answer: Callable[[Request], Reply]
    authenticate: Callable[[], Reply | None] | None = None


def gathered(chunks: Iterable[bytes]) -> bytes | Iterator[bytes]:
    """The chunks as bytes if they are few, otherwise with the first of them made: what fails there raises here."""
    iterator = iter(chunks)
    parts: list[bytes] = []
    size = 0
    for chunk in iterator:
        parts.append(chunk)
        size += len(chunk)
        if size >= _ENOUGH:
            return _chain(b"".join(parts), iterator)
    return b"".join(parts)


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def declared_length(headers: Mapping[str, str]) -> int | None:
    """Bytes of the body as the headers say; None if they say nothing that is a number."""
    text = headers.get("content-length", "")
    return int(text[:18]) if text.isascii() and text.isdigit() else None


def request_of(environ: Mapping[str, Any], *, secure: bool) -> Request:
    """The request of a WSGI server that is believed as it is, still without its body."""
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")
    }
    target: str = environ.get("REQUEST_URI") or quote(environ.get("PATH_INFO", "").encode("latin-1"), _PLAIN)
    return Request(
        method=environ["REQUEST_METHOD"],
        raw_path=target.partition("?")[0],
        query=environ.get("QUERY_STRING", ""),
        headers=headers,
        client=environ.get("REMOTE_ADDR", ""),
        secure=secure,
    )


def take_body(request: Request, stream: Any, limit: int) -> None:
    """Reads the body of a WSGI server; of one beyond `limit` nothing is kept."""
    if request.method not in BODY_METHODS:
        return
    request.body_too_large = (declared_length(request.headers) or 0) > limit
    if not request.body_too_large:
        body: bytes = stream.read(limit + 1)
        request.body_too_large = len(body) > limit
        request.body = b"" if request.body_too_large else body


def start(reply: Reply, start_response: StartResponse) -> Iterable[bytes]:
    """Gives a reply to a WSGI server."""
    start_response(f"{reply.status} {HTTPStatus(reply.status).phrase}", reply.headers)
    return [reply.body] if isinstance(reply.body, bytes) else reply.body
