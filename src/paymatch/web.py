"""Requests and replies as every application of the server sees them, independent of the web server."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from mmap import ACCESS_READ, mmap
from typing import IO, Any, Final, Protocol
from urllib.parse import quote, unquote_to_bytes

from paymatch.domain.words.message import Message
from paymatch.settings import is_loopback

BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose body is read; of any other request it is ignored."""

TOO_SLOW: Final = "The body of the request came too slowly"
TOO_MANY: Final = "Too many requests at once, try again in a moment"
"""The front server's refusals, 408 and 503, for any application behind it."""
CUT_SHORT: Final = "The body of the request is incomplete"
"""400: it ended before the length that was announced, or in the middle of a chunk."""
RETRY_SECONDS: Final = 2
"""After that a caller may try again whom the database did not answer."""

HTTPS_NEEDED: Final = Message("api-https-needed")

_PLAIN: Final = "/:@!$&'()*+,;=~"
"""Characters that stay unescaped in a path, besides letters and digits."""
_ENOUGH: Final = 256 * 1024
"""Bytes of a long answer that are made at a time."""

LOCAL: Final = "paymatch.local"
"""Key of a WSGI environment: whether the request comes from this very machine, without a proxy in between."""

SEEN: Final = "your address: "
"""How a refusal of /metrics names the address that the service sees."""

REQUEST_ID: Final = "paymatch.request_id"
"""Key of a WSGI environment: the id of the request, as in the log."""

TOO_LARGE: Final = "paymatch.too_large"
"""Key of a WSGI environment: the body was longer than its sender may send, and is not there."""

StartResponse = Callable[..., Any]
Body = bytes | memoryview
"""A body in memory, or the view of a file that the system pages in as it is read."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request comes from, as far as the server believes it: the address is the one behind trusted proxies.

    `local`: from this very machine, without a proxy in between. `secure`: by HTTPS, or so that HTTPS is not needed.
    """

    client: str
    https: bool
    local: bool
    secure: bool


@dataclass(slots=True)
class Request:
    """A request whose body, if it is read at all, is complete."""

    method: str
    raw_path: str  # percent-encoded, as in the request line
    query: str  # likewise, without the question mark
    headers: Mapping[str, str]  # names in lower case; lines of one name are joined with commas
    origin: Origin
    body: Body = b""
    body_too_large: bool = False  # longer than the application takes; `body` is empty then
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    arrived_at: float = field(default_factory=time.perf_counter)
    has_left: Callable[[], bool] = field(default=lambda: False)  # whether the caller has hung up

    @property
    def path(self) -> str:
        """The decoded path; bytes that are not UTF-8 show as replacement characters."""
        return unquote_to_bytes(self.raw_path).decode("utf-8", "replace")


class Chunks:
    """A long answer: its first part is made, the rest is made while it is written. Nothing is kept once it is given."""

    def __init__(self, first: bytes, rest: Iterator[bytes] | None) -> None:
        """Without `rest` the first part is all there is."""
        self._first = first
        self._rest = rest

    def __iter__(self) -> Iterator[bytes]:
        is_last = False
        while not is_last:
            part, is_last = self.more()
            yield part

    def more(self) -> tuple[bytes, bool]:
        """(the next part, whether it is the last)."""
        if self._first:
            first, self._first = self._first, b""
            return first, self._rest is None
        return _together(self._rest or iter(()))

    def close(self) -> None:
        """The rest is not wanted."""
        if isinstance(self._rest, Generator):
            self._rest.close()


@dataclass(slots=True)
class HttpReply:
    """An answer. A writer of a long body takes it out, so that it is held once."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes | Chunks = b""


@dataclass(frozen=True, slots=True)
class Admission:
    """A request that is let in by its headers: on whose account it works, and what answers it.

    `authenticate` proves who calls, before any body is taken: a refusal, None if it is who was said, or the admission
    of who it turned out to be. Without one the caller is known.
    """

    share: str
    body_limit: int
    answer: Callable[[Request], HttpReply]
    authenticate: Callable[[], HttpReply | Admission | None] | None = None
    is_stranger: bool = False  # needs no key at all, and waits with those who have none


class Application(Protocol):
    """What the server asks of an application. `admit` and `refuse` never wait for anything."""

    def admit(self, request: Request) -> Admission | HttpReply:
        """The admission of a request whose headers are here, or its refusal."""

    def refuse(self, request: Request, status: int, text: str) -> HttpReply:
        """A refusal of the server itself in the words and form of the application."""


def map_file(file: IO[bytes], size: int) -> memoryview:
    """The first `size` bytes of a file, at least one, without holding them in memory; the file may be closed."""
    return memoryview(mmap(file.fileno(), size, access=ACCESS_READ))


def gather(chunks: bytes | Iterable[bytes]) -> bytes | Chunks:
    """The chunks as bytes if they are few, otherwise with the first of them made: what fails there raises here."""
    if isinstance(chunks, bytes | Chunks):
        return chunks
    rest = iter(chunks)
    first, is_all = _together(rest)
    return first if is_all else Chunks(first, rest)


def _together(chunks: Iterator[bytes]) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size >= _ENOUGH:
            return b"".join(parts), False
    return b"".join(parts), True


def declared_length(headers: Mapping[str, str]) -> int | None:
    """Bytes of the body as the headers say; None if they say nothing that is a number."""
    text = headers.get("content-length", "")
    return int(text[:18]) if text.isascii() and text.isdigit() else None


def request_of(environ: Mapping[str, Any]) -> Request:
    """The request of a WSGI server, still without its body. No header is believed in where it comes from.

    Who names no address calls in process.
    """
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")
    }
    client: str = environ.get("REMOTE_ADDR", "127.0.0.1")
    https, local = environ.get("wsgi.url_scheme") == "https", is_loopback(client)
    target: str = environ.get("REQUEST_URI") or quote(environ.get("PATH_INFO", "").encode("latin-1"), _PLAIN)
    return Request(
        method=environ["REQUEST_METHOD"],
        raw_path=target.partition("?")[0],
        query=environ.get("QUERY_STRING", ""),
        headers=headers,
        origin=Origin(client, https=https, local=local, secure=https or local),
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


def start(reply: HttpReply, start_response: StartResponse) -> Iterable[bytes]:
    """Gives a reply to a WSGI server."""
    start_response(f"{reply.status} {HTTPStatus(reply.status).phrase}", reply.headers)
    return [reply.body] if isinstance(reply.body, bytes) else reply.body
