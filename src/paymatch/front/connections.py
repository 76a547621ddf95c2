"""The connections of this process: how many an address may have, and closing of idle or stalled ones.

The web server closes what is idle for long, but knows no limit per address, gives a sender of headers a byte at a time
the whole of that, and cannot drop a connection whose reader has stopped. All of that is seen on the sockets themselves.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from paymatch.front.http_exchange import GRACE_SECONDS, IDLE_SECONDS
from paymatch.front.sockets import descriptors, own_sockets, peers_of, socket_number, tcp_info

LOOK_SECONDS: Final = 1.0
HEADERS_SECONDS: Final = GRACE_SECONDS
"""The time for sending a request's headers."""

_RECEIVED: Final = struct.Struct("128xQ")  # tcpi_bytes_received
_USER_TIMEOUT: Final[int | None] = getattr(socket, "TCP_USER_TIMEOUT", None)
_log = structlog.get_logger("paymatch.front")

Peer = tuple[str, str]
"""Address and port of the other end, as the web server writes them."""


@dataclass(slots=True)
class _Connection:
    descriptor: int
    peer: Peer
    asked: int = 0  # requests so far
    quiet_since: float = 0.0  # without a request in progress
    received: int = 0  # bytes, when that began
    is_checked: bool = False  # whether the time for a begun request is over


class Connections:
    """Watches the sockets of one port in its own thread; the event loop reports the requests on them."""

    def __init__(self, port: int, *, per_address: int, most: int, is_exempt: Callable[[str], bool]) -> None:
        """`is_exempt`: addresses through which many come, trusted proxies; they count for `most` only."""
        self._port = port
        self._per_address = per_address
        self._most = most
        self._is_exempt = is_exempt
        self._under_way: dict[Peer, int] = {}
        self._asked: dict[Peer, int] = {}
        self._doomed: deque[Peer] = deque()
        self._known: dict[int, _Connection] = {}  # by the number of the socket
        self._foreign: set[int] = set()
        self._wake = threading.Event()

    def watch(self) -> None:
        """Begins to look after the connections."""
        threading.Thread(target=self._watch, name="connections", daemon=True).start()

    def begin(self, peer: Peer) -> None:
        """Records a request in progress on this connection."""
        self._under_way[peer] = self._under_way.get(peer, 0) + 1
        self._asked[peer] = self._asked.get(peer, 0) + 1

    def end(self, peer: Peer) -> None:
        """It is answered."""
        left = self._under_way.pop(peer) - 1
        if left:
            self._under_way[peer] = left

    def has_left(self, peer: Peer) -> bool:
        """Whether the connection is closed by now."""
        for number, connection in list(self._known.items()):
            if connection.peer == peer and socket_number(connection.descriptor) == number:
                return False
        return peer not in peers_of(self._port)

    def cut(self, peer: Peer) -> None:
        """The connection is to be dropped, with everything still in transit."""
        self._doomed.append(peer)
        self._wake.set()

    def look(self, now: float) -> None:
        """Finds the connections of this moment and drops those that may not stay."""
        self._find(now)
        doomed = {self._doomed.popleft() for _ in range(len(self._doomed))}
        for number, connection in list(self._known.items()):
            if connection.peer in doomed or self._is_dribbling(number, connection, now):
                self._drop(number, connection)
        for number, connection in self._too_many():
            self._drop(number, connection)

    def _watch(self) -> None:
        while True:
            self._wake.wait(LOOK_SECONDS)
            self._wake.clear()
            try:
                self.look(time.monotonic())
            except Exception:
                _log.exception("connections are not looked after")

    def _find(self, now: float) -> None:
        seen: set[int] = set()
        for descriptor in descriptors():
            number = socket_number(descriptor)
            if number is None:
                continue
            seen.add(number)
            if number not in self._known and number not in self._foreign:
                self._meet(number, descriptor, now)
        self._foreign &= seen
        for number in self._known.keys() - seen:
            del self._known[number]
        for peer in set(self._asked) - {connection.peer for connection in self._known.values()}:
            self._asked.pop(peer, None)
        for connection in self._known.values():
            asked = self._asked.get(connection.peer, 0)
            if connection.peer in self._under_way or asked != connection.asked:
                connection.asked, connection.quiet_since, connection.is_checked = asked, now, False
                connection.received = -1  # what was received by now belongs to requests that were answered

    def _meet(self, number: int, descriptor: int, now: float) -> None:
        """Takes up a socket that was not there before."""
        with own_sockets(descriptor, number) as found, suppress(OSError):
            if found is not None and found.getsockname()[1] == self._port:
                host, port = found.getpeername()[:2]
                self._known[number] = _Connection(descriptor, (host, str(port)), quiet_since=now)
                if _USER_TIMEOUT is not None:  # the kernel drops clients that read nothing
                    found.setsockopt(socket.IPPROTO_TCP, _USER_TIMEOUT, int(IDLE_SECONDS * 1000))
        if number not in self._known:
            self._foreign.add(number)

    def _is_dribbling(self, number: int, connection: _Connection, now: float) -> bool:
        """Whether headers were begun and not ended in time. Looked at twice: as it falls quiet, and at the end."""
        if connection.peer in self._under_way or connection.is_checked:
            return False
        if connection.received < 0:
            connection.received = _bytes_received(number, connection)
        if now - connection.quiet_since < HEADERS_SECONDS:
            return False
        connection.is_checked = True
        return _bytes_received(number, connection) > connection.received

    def _too_many(self) -> Iterator[tuple[int, _Connection]]:
        """Those beyond the limits: of each address, and of all, first those that are quiet for longest."""
        order = sorted(self._known.items(), key=lambda item: (item[1].peer in self._under_way, item[1].quiet_since))
        surplus = Counter(connection.peer[0] for _, connection in order)
        for address in surplus:
            surplus[address] -= len(order) if self._is_exempt(address) else self._per_address
        over = len(order) - self._most
        for number, connection in order:
            if surplus[connection.peer[0]] > 0 or over > 0:
                surplus[connection.peer[0]] -= 1
                over -= 1
                yield number, connection

    def _drop(self, number: int, connection: _Connection) -> None:
        with own_sockets(connection.descriptor, number) as found, suppress(OSError):
            if found is not None:
                found.shutdown(socket.SHUT_RDWR)


def _bytes_received(number: int, connection: _Connection) -> int:
    """Bytes that came by the connection so far; 0 where the system does not tell."""
    with own_sockets(connection.descriptor, number) as found, suppress(OSError):
        if found is not None:
            return tcp_info(found, _RECEIVED)
    return 0
