"""The only outgoing HTTP client (docs/security.md): the address is approved before a packet leaves.

No redirects, no proxies from the environment, no decompression, TLS verified. The caller gets one `Answer`, or an
exception with one line that a merchant understands.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

import certifi
import httpcore

from paymatch.domain.callbacks.call_timing import UNMEASURED, CallTiming
from paymatch.domain.callbacks.receivers import ReceiverAddress, ReceiverRefused, receiver_of, refuse_port
from paymatch.domain.words.faults import Fault, UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.outbound.call_stopwatch import CallStopwatch
from paymatch.outbound.http_connections import ConnectFailed, ConnectionPool, HostBusy, Lease
from paymatch.outbound.resolving import (
    REMEMBERED_SECONDS,
    BoundedResolver,
    Resolver,
    Unresolved,
    checked_addresses,
    system_resolver,
)
from paymatch.traces import SpanKind, note, span

_OWN_HEADERS: Final = frozenset(("host", "content-length", "transfer-encoding", "connection", "accept-encoding"))


class NoAnswerReason(StrEnum):
    """Why there is no answer."""

    NOT_ALLOWED = "NOT_ALLOWED"  # URL or address; nothing was sent
    UNRESOLVED = "UNRESOLVED"
    NOT_CONNECTED = "NOT_CONNECTED"
    TIMEOUT = "TIMEOUT"
    BROKEN = "BROKEN"  # closed or answered with something that is not HTTP
    BUSY = "BUSY"  # our own limit per host; nothing was sent


class CallFailed(Fault):
    """No whole answer came; `message` is one clear line, `elapsed_seconds` the time it took, `timing` its parts."""

    def __init__(
        self,
        reason: NoAnswerReason,
        message: Message,
        elapsed_seconds: float = 0.0,
        timing: CallTiming = UNMEASURED,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.elapsed_seconds = elapsed_seconds
        self.timing = timing


@dataclass(frozen=True, slots=True)
class HttpCall:
    """What to send. `repeatable`: the receiver knows repetitions by an id, so that a kept connection that turns out
    to be closed may be replaced by a new one."""

    url: str
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    method: str = "POST"
    repeatable: bool = False
    more_ports: Collection[int] = ()
    """Ports that it may go to beside 443 and 80."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back, redirects included: a 3xx is an answer. `body` is at most the limit's first bytes, as sent."""

    status: int
    body: bytes
    truncated: bool
    retry_after: str | None
    elapsed_seconds: float
    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """By their names in lower case; of several of one name the last."""
    timing: CallTiming = UNMEASURED


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Bounds of a call (docs/security.md). `connect_seconds` covers TCP and TLS, `total_seconds` everything."""

    connect_seconds: float = 5.0
    total_seconds: float = 15.0
    answer_bytes: int = 64 * 1024
    wire_bytes: int = 1024 * 1024  # with headers and the frames of chunks
    connections_per_host: int = 4
    keep_alive_seconds: float = 15.0
    remember_names_seconds: float = REMEMBERED_SECONDS


class HttpDoor(Protocol):
    """The interface of outgoing HTTP."""

    def call(self, call: HttpCall) -> HttpAnswer:
        """The receiver's answer; CallFailed if there is none."""
        ...

    def close(self) -> None:
        """Lets go of kept connections."""
        ...


class HttpClient:
    """The real door; one for all threads of a process.

    `further_names`: a header is sent a second time under each of these, for receivers that know it by another name.
    """

    def __init__(
        self,
        *,
        allow_private: bool = False,
        further_names: Mapping[str, Sequence[str]] | None = None,
        resolver: Resolver = system_resolver,
        limits: HttpLimits | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._limits = limits or HttpLimits()
        self._allow_private = allow_private
        self._further_names = further_names or {}
        self._resolver = BoundedResolver(resolver, self._limits.remember_names_seconds)
        context = ssl_context or trusted_context()
        self._pool = ConnectionPool(context, self._limits.connections_per_host, self._limits.keep_alive_seconds)

    def call(self, call: HttpCall) -> HttpAnswer:
        """The receiver's answer; CallFailed if there is none within the limits, or if it may not be called."""
        with span(call.method, SpanKind.CLIENT, http__request__method=call.method) as measured:
            answer = self._answer(call)
            measured.set_attribute("http.response.status_code", answer.status)
            return answer

    def _answer(self, call: HttpCall) -> HttpAnswer:
        started, stopwatch = time.monotonic(), CallStopwatch()
        ends = started + self._limits.total_seconds
        try:
            receiver = receiver_of(call.url, allow_private=self._allow_private)
            note(f"{call.method} {receiver.host}", server__address=receiver.host, server__port=receiver.port)
            refuse_port(receiver, call.more_ports, allow_private=self._allow_private)
            request = _request(call, receiver, self._further_names)
            addresses = self._addresses(receiver, ends, stopwatch)
            with self._pool.place(receiver.host, _remaining_seconds(ends)):
                return self._exchange(call, receiver, request, addresses, started, stopwatch)
        except (ReceiverRefused, _HeaderRefused) as error:
            failure = NoAnswerReason.NOT_ALLOWED, error.message
        except Unresolved as error:
            failure = NoAnswerReason.UNRESOLVED, error.message
        except HostBusy as error:
            failure = NoAnswerReason.BUSY, error.message
        except ConnectFailed as error:
            failure = NoAnswerReason.NOT_CONNECTED, error.message
        except (httpcore.TimeoutException, TimeoutError):
            failure = NoAnswerReason.TIMEOUT, Message("call-late", seconds=f"{self._limits.total_seconds:g}")
        except httpcore.LocalProtocolError as error:
            failure = NoAnswerReason.NOT_ALLOWED, Message("call-not-valid", error=str(error))
        except httpcore.RemoteProtocolError as error:
            failure = NoAnswerReason.BROKEN, _broken_text(error)
        except httpcore.NetworkError:
            failure = NoAnswerReason.BROKEN, Message("call-broken")
        raise CallFailed(*failure, elapsed_seconds=time.monotonic() - started, timing=stopwatch.timing())

    def close(self) -> None:
        """Closes the connections that are kept alive."""
        self._pool.close()

    def _addresses(self, receiver: ReceiverAddress, ends: float, stopwatch: CallStopwatch) -> tuple[str, ...]:
        seconds, started = min(self._limits.connect_seconds, _remaining_seconds(ends)), time.monotonic()
        try:
            return checked_addresses(self._resolver, receiver, seconds, allow_private=self._allow_private)
        finally:
            stopwatch.note_lookup(started)

    def _exchange(
        self,
        call: HttpCall,
        receiver: ReceiverAddress,
        request: httpcore.Request,
        addresses: tuple[str, ...],
        started: float,
        stopwatch: CallStopwatch,
    ) -> HttpAnswer:
        lease = self._pool.lease(receiver.scheme, receiver.host, receiver.port, addresses)
        try:
            return self._exchange_once(lease, request, started, stopwatch)
        except (httpcore.RemoteProtocolError, httpcore.NetworkError):
            # The receiver may have closed a kept connection just now, before it saw this call.
            if not (lease.reused and call.repeatable):
                raise
        lease = self._pool.lease(receiver.scheme, receiver.host, receiver.port, addresses, fresh=True)
        return self._exchange_once(lease, request, started, stopwatch)

    def _exchange_once(
        self, lease: Lease, request: httpcore.Request, started: float, stopwatch: CallStopwatch
    ) -> HttpAnswer:
        limits = self._limits
        left_seconds = _remaining_seconds(started + limits.total_seconds)
        lease.budget.start(left_seconds, limits.connect_seconds, limits.wire_bytes, stopwatch)
        try:
            response = lease.connection.handle_request(request)
            try:
                body, truncated = _first_bytes(response, self._limits.answer_bytes)
            finally:
                response.close()
        finally:
            stopwatch.address = lease.address
            self._pool.give_back(lease)
        elapsed_seconds = time.monotonic() - started
        retry_after = _header(response, b"retry-after")
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        timing = stopwatch.timing()
        return HttpAnswer(
            response.status, body, truncated, retry_after, elapsed_seconds, lease.address, headers, timing
        )


@dataclass
class NullHttp:
    """Sends nothing and remembers every call; answers as `answering` says, with 200 by default."""

    answering: Callable[[HttpCall], HttpAnswer] | None = None
    calls: list[HttpCall] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, call: HttpCall) -> HttpAnswer:
        """The scripted answer."""
        with self._lock:
            self.calls.append(call)
        if self.answering is not None:
            return self.answering(call)
        return HttpAnswer(200, b"", truncated=False, retry_after=None, elapsed_seconds=0.0, address="")

    def close(self) -> None:
        """Nothing to let go of."""


def trusted_context() -> ssl.SSLContext:
    """TLS with verified names: the system's certificate authorities, and the bundled ones for images without any."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class _HeaderRefused(UnreadableValue):
    """A header that would change the framing of the message or start another one."""


def _request(call: HttpCall, receiver: ReceiverAddress, further_names: Mapping[str, Sequence[str]]) -> httpcore.Request:
    again = [(more, value) for name, value in call.headers for more in further_names.get(name, ())]
    headers = [("Host", receiver.host_header), ("Accept-Encoding", "identity"), *call.headers, *again]
    if call.body or call.method in {"POST", "PUT", "PATCH"}:
        headers.append(("Content-Length", str(len(call.body))))
    for name, value in (*call.headers, *again):
        if name.lower() in _OWN_HEADERS or not value.isprintable() or not value.isascii():
            raise _HeaderRefused(Message("call-header", name=repr(name)))
    url = httpcore.URL(scheme=receiver.scheme, host=receiver.host, port=receiver.port, target=receiver.target)
    return httpcore.Request(call.method, url, headers=headers, content=call.body)


def _first_bytes(response: httpcore.Response, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of the body, and whether there were more. The rest is never read."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_stream():
        parts.append(part)
        size += len(part)
        if size > limit:
            return b"".join(parts)[:limit], True
    return b"".join(parts), False


def _header(response: httpcore.Response, name: bytes) -> str | None:
    for key, value in response.headers:
        if key.lower() == name:
            return value.decode("latin-1")
    return None


def _remaining_seconds(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _broken_text(error: httpcore.RemoteProtocolError) -> Message:
    if "without sending a response" in str(error):
        return Message("call-closed")
    return Message("call-not-http")
