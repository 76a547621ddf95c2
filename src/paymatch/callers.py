"""Whether whoever asked for the work of this thread still waits for it.

While the database is away calls wait for it, and their callers give up and ask again, perhaps another server. What was
given up must not be done once the database is back: it could undo what the caller has asked for since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

PATIENCE_SECONDS: Final = 2.0
"""What waited no longer is done whether its caller is still there or not: some send and do not stay for the answer."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever waits at the other end of a connection; `queued` seconds went by until the work began."""

    queued: float
    has_left: Callable[[], bool]


_caller: ContextVar[Caller | None] = ContextVar("caller", default=None)


@contextmanager
def on_behalf_of(caller: Caller) -> Iterator[None]:
    """What the block does is done for this caller."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


def is_given_up(waited: float) -> bool:
    """Whether nobody wants any more what has waited for the database for so many seconds, and in the queue before."""
    caller = _caller.get()
    return caller is not None and caller.queued + waited > PATIENCE_SECONDS and caller.has_left()
