"""Measures the parts of an outgoing call where they happen: lookup, connection, handshake, wait for the answer."""

from __future__ import annotations

import time

from paymatch.domain.callbacks.call_timing import CallTiming


class CallStopwatch:
    """The parts of one call; of a call that is repeated on a new connection, the sum of both. Reads no wall clock."""

    __slots__ = ("_connect", "_first_byte", "_name", "_sent_at", "_tls", "address")

    def __init__(self) -> None:
        self._name: float | None = None
        self._connect: float | None = None
        self._tls: float | None = None
        self._first_byte: float | None = None
        self._sent_at: float | None = None
        self.address = ""

    def note_lookup(self, started: float) -> None:
        """The lookup that began at `started`, on the monotonic clock, has ended, with or without an address."""
        self._name = time.monotonic() - started

    def note_connection(self, started: float) -> None:
        """The attempts to connect that began at `started` have ended."""
        self._connect = (self._connect or 0.0) + time.monotonic() - started

    def note_handshake(self, started: float) -> None:
        """The TLS handshake that began at `started` has ended."""
        self._tls = (self._tls or 0.0) + time.monotonic() - started

    def note_sent(self) -> None:
        """A part of the request has been sent; the last one counts."""
        self._sent_at = time.monotonic()

    def note_read(self) -> None:
        """A read has ended, with bytes or without; only the first one after the request counts."""
        if self._sent_at is not None:
            self._first_byte = (self._first_byte or 0.0) + time.monotonic() - self._sent_at
            self._sent_at = None

    def timing(self) -> CallTiming:
        """What has been measured so far."""
        return CallTiming(
            _microseconds(self._name),
            _microseconds(self._connect),
            _microseconds(self._tls),
            _microseconds(self._first_byte),
            self.address,
        )


def _microseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1_000_000)
