"""Detects that the client of the current request has disconnected.

While the database is away, calls wait for it; their callers give up and repeat them, perhaps at another server. A call
that was given up must not be carried out once the database is back: it could undo what the caller has asked for since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

PATIENCE_SECONDS: Final = 2.0
"""A call that waited no longer is carried out even if its caller has left: some clients send and do not wait."""


@dataclass(frozen=True, slots=True)
class WaitingClient:
    """The client at the other end of the connection; its call waited `queued` seconds for a thread."""

    queued: float
    has_left: Callable[[], bool]


_caller: ContextVar[WaitingClient | None] = ContextVar("caller", default=None)


@contextmanager
def on_behalf_of(caller: WaitingClient) -> Iterator[None]:
    """The block works for this caller."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


def is_given_up(waited: float) -> bool:
    """Whether the caller has left a call that waited too long: `waited` seconds for the database, after the queue."""
    caller = _caller.get()
    return caller is not None and caller.queued + waited > PATIENCE_SECONDS and caller.has_left()
