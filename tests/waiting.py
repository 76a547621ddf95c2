"""Waiting in tests: as long as the busiest machine needs, since a limit that it misses refuses a change by chance."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable
from typing import Final, TypeVar

Found = TypeVar("Found")
PATIENCE_SECONDS: Final = 120.0
"""The longest wait for what has to come. Only a failing test waits so long; a whole test may take 300."""
_PAUSE_SECONDS: Final = 0.02
_PORTS: Final = range(20_000, 32_000)
"""Below the ports that Linux gives to outgoing connections: one of those is taken again before a service listens."""


def wait_until(found: Callable[[], Found], message: Callable[[], object] = str) -> Found:
    """The first true answer of `found`; AssertionError with the message after PATIENCE_SECONDS."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while not (answer := found()):
        assert time.monotonic() < ends, message()
        time.sleep(_PAUSE_SECONDS)
    return answer


def free_port() -> int:
    """A port of 127.0.0.1 on which a process that is started now can listen."""
    for port in random.SystemRandom().sample(_PORTS, 1000):  # hypothesis seeds the other one, alike in all workers
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")
