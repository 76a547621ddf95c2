"""The sockets of this process, found among its descriptors.

Granian accepts connections outside of Python and hands out the descriptor of its listening socket only: there is no
transport and no protocol class from which a connection could be learned.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

_DESCRIPTORS: Final = "/dev/fd"
_TCP_INFO: Final[int | None] = getattr(socket, "TCP_INFO", None)


def descriptors() -> Iterator[int]:
    """What this process has open at this moment."""
    return map(int, os.listdir(_DESCRIPTORS))  # noqa: PTH208  thousands of them, once a second


def socket_number(descriptor: int) -> int | None:
    """The identity of a socket; None for anything else."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_ino if stat.S_ISSOCK(status.st_mode) else None


@contextmanager
def own_sockets(descriptor: int, number: int) -> Iterator[socket.socket | None]:
    """A second hold on a TCP socket of the web server, which may close its own at any moment; None if it did."""
    found: socket.socket | None = None
    try:
        found = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        yield None
        return
    with found:
        internet = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
        yield found if internet and socket_number(found.fileno()) == number else None


def sockets_of(port: int) -> Iterator[socket.socket]:
    """The TCP sockets with this port at our end, each held until the next is asked for."""
    for descriptor in descriptors():
        number = socket_number(descriptor)
        if number is None:
            continue
        with own_sockets(descriptor, number) as found:
            if found is not None and found.getsockname()[1] == port:
                yield found


def tcp_info(found: socket.socket, layout: struct.Struct) -> int:
    """A number of struct tcp_info (linux/tcp.h), which `layout` reads; 0 where the system does not tell it."""
    if _TCP_INFO is None:
        return 0
    answer = found.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, layout.size)
    return int(layout.unpack(answer)[0]) if len(answer) == layout.size else 0


def peers_of(port: int) -> set[tuple[str, str]]:
    """Address and port of the other ends of the connections to this port, as the web server writes them."""
    found = set()
    for each in sockets_of(port):
        with suppress(OSError):  # it listens, or is closed at this moment
            host, there = each.getpeername()[:2]
            found.add((host, str(there)))
    return found
