"""Connections of the outgoing client: to checked addresses only, under a deadline, few per host, kept alive shortly."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import httpcore

from paymatch.domain.words.faults import Fault
from paymatch.domain.words.message import Message
from paymatch.outbound.call_stopwatch import CallStopwatch

MAX_IDLE: Final = 256
"""Connections kept alive over all hosts."""


class ConnectFailed(Fault):
    """No connection came about; the text is one clear line."""


class HostBusy(Fault):
    """All connections that the host may have were in use until the deadline."""


class CallBudget:
    """What one call may still use: time on the monotonic clock and bytes from the wire. One call at a time."""

    def __init__(self) -> None:
        self._ends = 0.0
        self._connect_ends = 0.0
        self._bytes_left = 0
        self.stopwatch = CallStopwatch()

    def start(self, total_seconds: float, connect_seconds: float, wire_bytes: int, stopwatch: CallStopwatch) -> None:
        """A new call begins now; `stopwatch` measures its parts."""
        now = time.monotonic()
        self.stopwatch = stopwatch
        self._ends = now + total_seconds
        self._connect_ends = min(now + connect_seconds, self._ends)
        self._bytes_left = wire_bytes

    def remaining_seconds(self) -> float:
        """Seconds left; TimeoutError if there are none."""
        return _above_zero(self._ends - time.monotonic())

    def remaining_to_connect(self) -> float:
        """Seconds left for establishing TCP and TLS; TimeoutError if there are none."""
        return _above_zero(self._connect_ends - time.monotonic())

    def take(self, size: int) -> None:
        """Counts bytes from the wire; httpcore.RemoteProtocolError if they were too many.

        The body has its own limit; this one stops endless interim answers and headers.
        """
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise httpcore.RemoteProtocolError("answer too long")


def _above_zero(seconds: float) -> float:
    if seconds <= 0:
        raise TimeoutError("deadline")
    return seconds


@contextlib.contextmanager
def _map_errors(timeout: type[Exception], failure: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise timeout(str(error)) from error
    except OSError as error:
        raise failure(str(error)) from error


class DeadlineStream(httpcore.NetworkStream):
    """A connected socket whose every operation ends at the deadline, however slowly the other side dribbles."""

    def __init__(self, sock: socket.socket, budget: CallBudget) -> None:
        self._socket = sock
        self._budget = budget

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes, empty at the end; httpcore.ReadTimeout at the deadline."""
        with _map_errors(httpcore.ReadTimeout, httpcore.ReadError):
            try:
                self._socket.settimeout(self._budget.remaining_seconds())
                data = self._socket.recv(max_bytes)
            finally:
                self._budget.stopwatch.note_read()
        self._budget.take(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of `buffer` is sent; httpcore.WriteTimeout at the deadline."""
        with _map_errors(httpcore.WriteTimeout, httpcore.WriteError):
            while buffer:
                self._socket.settimeout(self._budget.remaining_seconds())
                buffer = buffer[self._socket.send(buffer) :]
        self._budget.stopwatch.note_sent()

    def close(self) -> None:
        """The socket is closed."""
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection under TLS, `server_hostname` verified; ConnectFailed if that fails."""
        started = time.monotonic()
        try:
            self._socket.settimeout(self._budget.remaining_to_connect())
            secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise ConnectFailed(Message("call-certificate", error=error.verify_message)) from error
        except TimeoutError as error:
            self.close()
            raise ConnectFailed(Message("call-handshake-late")) from error
        except (ssl.SSLError, OSError) as error:
            self.close()
            raise ConnectFailed(Message("call-handshake")) from error
        finally:
            self._budget.stopwatch.note_handshake(started)
        return DeadlineStream(secured, self._budget)

    def get_extra_info(self, info: str) -> Any:
        """`is_readable`: whether the idle socket has bytes or an end to read; None for everything else."""
        if info != "is_readable":
            return None
        poll = select.poll()
        poll.register(self._socket.fileno(), select.POLLIN)
        return bool(poll.poll(0))


class PinnedBackend(httpcore.NetworkBackend):
    """Connects to the addresses that were checked, for any name of the caller; there is no second lookup."""

    def __init__(self, addresses: Sequence[str], budget: CallBudget) -> None:
        self._addresses = addresses
        self._budget = budget
        self.connected_address = ""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A stream to the first checked address that answers; the time is shared between them. ConnectFailed."""
        started = time.monotonic()
        try:
            sock, self.connected_address = first_connected(self._addresses, port, self._budget.remaining_to_connect)
        finally:
            self._budget.stopwatch.note_connection(started)
        return DeadlineStream(sock, self._budget)


def first_connected(
    addresses: Sequence[str], port: int, seconds_left: Callable[[], float]
) -> tuple[socket.socket, str]:
    """A socket to the first of the checked addresses that answers, and that address; the time is shared between them.

    ConnectFailed.
    """
    failure: Exception = TimeoutError()
    for tried, address in enumerate(addresses):
        try:
            return _connect(address, port, seconds_left() / (len(addresses) - tried)), address
        except OSError as error:
            failure = error
    raise ConnectFailed(_connect_text(failure)) from failure


def _connect(address: str, port: int, timeout_seconds: float) -> socket.socket:
    """A connected socket; the literal goes to connect() itself, past every resolver."""
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout_seconds)
        sock.connect((address, port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        sock.close()
        raise
    return sock


def _connect_text(error: Exception) -> Message:
    if isinstance(error, ConnectionRefusedError):
        return Message("call-refused")
    if isinstance(error, TimeoutError):
        return Message("call-connect-late")
    return Message("call-unreachable")


@dataclass(eq=False)
class Lease:
    """One of the host's connections, for one call; `reused` if it served a call before."""

    connection: httpcore.HTTPConnection
    budget: CallBudget
    backend: PinnedBackend
    key: tuple[str, str, int]
    reused: bool = False
    idle_since: float = 0.0

    @property
    def address(self) -> str:
        """The address it is connected to, empty before that."""
        return self.backend.connected_address


@dataclass
class _Host:
    free: threading.BoundedSemaphore
    users: int = 0
    idle: list[Lease] = field(default_factory=list)


class ConnectionPool:
    """At most `per_host` connections at a time for each host name; idle ones are kept `keep_alive_seconds`."""

    def __init__(self, ssl_context: ssl.SSLContext, per_host: int, keep_alive_seconds: float) -> None:
        self._ssl_context = ssl_context
        self._per_host = per_host
        self._keep_alive_seconds = keep_alive_seconds
        self._lock = threading.Lock()
        self._hosts: dict[str, _Host] = {}
        self._idle_count = 0
        self._swept_at = 0.0

    @contextlib.contextmanager
    def place(self, host: str, timeout_seconds: float) -> Iterator[None]:
        """Inside, the caller has one of the host's places; HostBusy if none became free in time."""
        with self._lock:
            entry = self._hosts.setdefault(host, _Host(threading.BoundedSemaphore(self._per_host)))
            entry.users += 1
        try:
            if not entry.free.acquire(timeout=timeout_seconds):
                raise HostBusy(Message("call-busy"))
            try:
                yield
            finally:
                entry.free.release()
        finally:
            with self._lock:
                entry.users -= 1
                self._sweep(time.monotonic())

    def lease(self, scheme: str, host: str, port: int, addresses: Sequence[str], *, fresh: bool = False) -> Lease:
        """A connection to one of `addresses`: an idle one if there is one, unless `fresh`; else not yet connected."""
        key = (scheme, host, port)
        while not fresh and (kept := self._take_idle(key, addresses)) is not None:
            if kept.connection.has_expired():
                kept.connection.close()
                continue
            kept.reused = True
            return kept
        budget = CallBudget()
        backend = PinnedBackend(addresses, budget)
        origin = httpcore.Origin(scheme.encode(), host.encode(), port)
        connection = httpcore.HTTPConnection(origin, ssl_context=self._ssl_context, network_backend=backend)
        return Lease(connection, budget, backend, key)

    def give_back(self, lease: Lease) -> None:
        """Keeps the connection for the next call if its answer was read to the end; closes it otherwise."""
        now = time.monotonic()
        # A connection that never came about calls itself idle and closed at once.
        if lease.connection.is_idle() and not lease.connection.is_closed():
            with self._lock:
                entry = self._hosts.get(lease.key[1])
                if entry is not None and self._idle_count < MAX_IDLE:
                    lease.idle_since = now
                    entry.idle.append(lease)
                    self._idle_count += 1
                    return
        lease.connection.close()

    def close(self) -> None:
        """Closes what is idle; calls in progress are not touched."""
        with self._lock:
            for entry in self._hosts.values():
                self._close_idle(entry, entry.idle)

    def _take_idle(self, key: tuple[str, str, int], addresses: Sequence[str]) -> Lease | None:
        with self._lock:
            entry = self._hosts[key[1]]
            for lease in reversed(entry.idle):
                if lease.key == key and lease.address in addresses:
                    entry.idle.remove(lease)
                    self._idle_count -= 1
                    return lease
        return None

    def _sweep(self, now: float) -> None:
        if now - self._swept_at < 1:
            return
        self._swept_at = now
        for host, entry in list(self._hosts.items()):
            self._close_idle(entry, [x for x in entry.idle if now - x.idle_since > self._keep_alive_seconds])
            if not entry.idle and not entry.users:
                del self._hosts[host]

    def _close_idle(self, entry: _Host, leases: list[Lease]) -> None:
        for lease in list(leases):
            entry.idle.remove(lease)
            self._idle_count -= 1
            lease.connection.close()
