"""How a server process ends: it takes no new connections and answers those it has, and only then the web server stops.

On a stop signal the web server alone closes idle connections and those on which nothing has arrived yet. A
client whose request is on its way would see its connection break, and could not know whether the request was handled.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from typing import Final

from paymatch.front.sockets import sockets_of, tcp_info

LEAVING_SECONDS: Final = 1.0
"""The longest wait for open connections: a busy one closes with its next answer."""

_LOOK_SECONDS: Final = 0.02
_SO_ATTACH_FILTER: Final = 26  # of asm-generic/socket.h; Python has no name for it
_NO_SYN: Final = (  # (code, jump if true, jump if false, value): drops packets that ask for a new connection
    (0x30, 0, 0, 13),  # the byte of a TCP header that holds the flags
    (0x54, 0, 0, 0x12),  # of these SYN and ACK
    (0x15, 0, 1, 0x02),
    (0x06, 0, 0, 0),
    (0x06, 0, 0, 0xFFFFFFFF),
)
_WAITING: Final = struct.Struct("24xI")  # tcpi_unacked: of a listening socket, the connections not accepted yet


class Leaving:
    """The parent's signal to its server processes to accept no more connections, and their replies.

    Semaphores only: setting a `multiprocessing.Event` blocks for ever if a process was killed while waiting for it.
    """

    def __init__(self) -> None:
        method = multiprocessing.get_start_method()
        context = multiprocessing.get_context(method if method in {"fork", "spawn"} else "spawn")  # as Granian does
        self._told = context.Semaphore(0)
        self._done = context.Semaphore(0)
        self._has_begun = False

    def end(self, processes: int) -> None:
        """In the parent: signals this many processes, and waits up to two seconds for their connections to close."""
        for _ in range(processes):
            self._told.release()
        until = time.monotonic() + 2 * LEAVING_SECONDS  # a process that has died does not answer
        for _ in range(processes):
            self._done.acquire(timeout=max(until - time.monotonic(), 0))

    def has_begun(self) -> bool:
        """In a server process: whether every answer has to close its connection."""
        return self._has_begun

    def watch(self, port: int) -> None:
        """In a server process: starts the thread that waits for the signal, and then lets the connections end."""
        threading.Thread(target=self._leave, args=(port,), name="leaving", daemon=True).start()

    def _leave(self, port: int) -> None:
        self._told.acquire()
        try:
            _take_no_more(port)
            self._has_begun = True
            until = time.monotonic() + LEAVING_SECONDS
            while _has_connections(port) and time.monotonic() < until:
                time.sleep(_LOOK_SECONDS)
        finally:
            self._done.release()


def _take_no_more(port: int) -> None:
    """New connection attempts get no answer from now on; the client's system repeats them after a second.

    By then they are refused, or the next server takes them. Closing the listening socket instead would break the
    connections in its queue. Linux only: elsewhere connections are taken until the end.
    """
    if sys.platform != "linux":
        return
    steps = b"".join(struct.pack("=HBBI", *step) for step in _NO_SYN)
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = struct.pack("@HP", len(_NO_SYN), ctypes.addressof(buffer))
    for found in sockets_of(port):
        if _is_listening(found):
            with suppress(OSError):  # where it is forbidden, connections are taken until the end
                found.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def _has_connections(port: int) -> bool:
    """Whether any connection is open or waits to be accepted."""
    return any(not _is_listening(found) or tcp_info(found, _WAITING) > 0 for found in sockets_of(port))


def _is_listening(found: socket.socket) -> bool:
    return bool(found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
