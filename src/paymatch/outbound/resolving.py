"""Names to addresses for the outgoing client: bounded in time, asked once for many callers, remembered shortly."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from paymatch.domain.callbacks.receivers import ReceiverAddress, refuse_address
from paymatch.domain.words.faults import Fault
from paymatch.domain.words.message import Message

Resolver = Callable[[str, int], Sequence[str]]
"""Addresses of a host name for a port, in the order to try them; OSError if there are none."""

REMEMBERED_SECONDS: Final = 30.0
MAX_LOOKUPS: Final = 256
MAX_REMEMBERED: Final = 10_000
MAX_ADDRESSES: Final = 4
"""Of one name that a call tries."""


class Unresolved(Fault):
    """The name has no address, or none was found in time; the text says which."""


def system_resolver(host: str, port: int) -> list[str]:
    """What the operating system answers, without doubles."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


class _Lookup:
    """One query in progress; several callers may wait for its answer."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.addresses: tuple[str, ...] = ()
        self.expires = 0.0


class BoundedResolver:
    """Asks `resolver` in a thread per name, because the system's call knows no time limit.

    A hanging name blocks one thread, no matter how many callers ask for it, and delays no other name.
    """

    def __init__(self, resolver: Resolver, remembered_seconds: float = REMEMBERED_SECONDS) -> None:
        self._resolver = resolver
        self._remembered_seconds = remembered_seconds
        self._lock = threading.Lock()
        self._lookups: dict[tuple[str, int], _Lookup] = {}
        self._running = 0

    def addresses(self, host: str, port: int, timeout_seconds: float) -> tuple[str, ...]:
        """The addresses of `host`, at least one; Unresolved if there are none within `timeout_seconds`."""
        lookup = self._join_or_start(host, port)
        if not lookup.done.wait(timeout_seconds):
            raise Unresolved(Message("call-name-late", host=host))
        if not lookup.addresses:
            raise Unresolved(Message("call-name-none", host=host))
        return lookup.addresses

    def _join_or_start(self, host: str, port: int) -> _Lookup:
        key = (host, port)
        with self._lock:
            lookup = self._lookups.get(key)
            if lookup is not None and (not lookup.done.is_set() or time.monotonic() < lookup.expires):
                return lookup
            if self._running >= MAX_LOOKUPS:
                raise Unresolved(Message("call-name-busy", host=host))
            if len(self._lookups) >= MAX_REMEMBERED:
                self._lookups = {k: v for k, v in self._lookups.items() if not v.done.is_set()}
            lookup = self._lookups[key] = _Lookup()
            self._running += 1
        threading.Thread(target=self._ask, args=(key, lookup), name=f"resolve {host}", daemon=True).start()
        return lookup

    def _ask(self, key: tuple[str, int], lookup: _Lookup) -> None:
        try:
            lookup.addresses = tuple(self._resolver(*key))
        except (OSError, UnicodeError):
            lookup.addresses = ()
        finally:
            # Only answers are remembered: a name that was just set up must work at the next attempt.
            lookup.expires = time.monotonic() + (self._remembered_seconds if lookup.addresses else 0.0)
            with self._lock:
                self._running -= 1
            lookup.done.set()


def checked_addresses(
    resolver: BoundedResolver, receiver: ReceiverAddress, timeout_seconds: float, *, allow_private: bool
) -> tuple[str, ...]:
    """The receiver's addresses, each of them allowed: one forbidden address refuses the name.

    ReceiverRefused; Unresolved.
    """
    if receiver.is_literal:
        return (receiver.host,)  # receiver_of has judged it
    found = resolver.addresses(receiver.host, receiver.port, timeout_seconds)
    for address in found:
        refuse_address(address, allow_private=allow_private)
    return found[:MAX_ADDRESSES]
