"""The end of a server process: nobody new is let in, and who came gets an answer, before the web server stops.

The web server itself, once told to stop, closes every connection on which nothing has come yet, and every idle one:
whose request is on its way then sees it broken, and cannot know whether it was answered.
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

from paymatch.front.sockets import sockets_of

LEAVING_SECONDS: Final = 1.0
"""For so long open connections are waited for: those that are busy go by themselves with their next answer."""

_LOOK_SECONDS: Final = 0.02
_SO_ATTACH_FILTER: Final = 26  # of asm-generic/socket.h; Python has no name for it
_NO_SYN: Final = (  # (code, jump if true, jump if false, value): a packet that only asks for a connection is dropped
    (0x30, 0, 0, 13),  # the byte of a TCP header that holds the flags
    (0x54, 0, 0, 0x12),  # of these SYN and ACK
    (0x15, 0, 1, 0x02),
    (0x06, 0, 0, 0),
    (0x06, 0, 0, 0xFFFFFFFF),
)
_WAITING: Final = struct.Struct("24xI")  # tcpi_unacked in struct tcp_info: of a listener, those not accepted yet


class Leaving:
    """What the parent of the server processes and these say to each other about the end.

    By semaphores alone: an event or a condition waits for ever for a process that was killed while it waited.
    """

    def __init__(self) -> None:
        method = multiprocessing.get_start_method()
        context = multiprocessing.get_context(method if method in {"fork", "spawn"} else "spawn")  # as Granian does
        self._told = context.Semaphore(0)
        self._done = context.Semaphore(0)
        self._has_begun = False

    def end(self, processes: int) -> None:
        """In the parent: has the processes let nobody in any more; returns when they have no connection left, soon."""
        for _ in range(processes):
            self._told.release()
        until = time.monotonic() + 2 * LEAVING_SECONDS  # one that has died says nothing
        for _ in range(processes):
            self._done.acquire(timeout=max(until - time.monotonic(), 0))

    def has_begun(self) -> bool:
        """In a server process: whether each answer has to be the last of its connection."""
        return self._has_begun

    def watch(self, port: int) -> None:
        """In a server process: does its part when it is told to, in a thread."""
        threading.Thread(target=self._leave, args=(port,), name="leaving", daemon=True).start()

    def _leave(self, port: int) -> None:
        self._told.acquire()
        try:
            _let_nobody_in(port)
            self._has_begun = True
            until = time.monotonic() + LEAVING_SECONDS
            while _has_connections(port) and time.monotonic() < until:
                time.sleep(_LOOK_SECONDS)
        finally:
            self._done.release()


def _let_nobody_in(port: int) -> None:
    """Who asks for a connection from now on hears nothing, asks again after a second, and finds the next server.

    Closing the socket would break the connections that wait in its queue. Linux only: others are let in until the end.
    """
    if sys.platform != "linux":
        return
    steps = b"".join(struct.pack("=HBBI", *step) for step in _NO_SYN)
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = struct.pack("@HP", len(_NO_SYN), ctypes.addressof(buffer))
    for found in sockets_of(port):
        if _is_listening(found):
            with suppress(OSError):  # a sandbox may forbid it: then some are let in until the end
                found.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def _has_connections(port: int) -> bool:
    """Whether any connection is open or waits to be accepted."""
    return any(not _is_listening(found) or _waiting(found) for found in sockets_of(port))


def _is_listening(found: socket.socket) -> bool:
    return bool(found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def _waiting(listening: socket.socket) -> int:
    """Connections that are not accepted yet, where the system tells."""
    if sys.platform != "linux":
        return 0
    (count,) = _WAITING.unpack(listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size))
    return int(count)
