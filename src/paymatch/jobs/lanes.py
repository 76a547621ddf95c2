"""Lanes: which receivers may be called how much at once, so that dead ones never delay healthy ones.

A host is judged by its last call. Quick ones share many senders and may have several calls in progress; one that is not
known yet gets a single call from a reserve of its own; slow and hanging ones share a third reserve.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, TypeVar

from paymatch.outbound.http import CallFailed, HttpAnswer, NoAnswerReason

SLOW_SECONDS: Final = 1.0
"""A call that takes longer leaves the quick lane."""

MAX_HOSTS: Final = 20_000  # remembered; the longest unused one is forgotten

Item = TypeVar("Item")


class Lane(StrEnum):
    """How a host answered last."""

    QUICK = "QUICK"
    NEW = "NEW"  # not called yet by this process
    SLOW = "SLOW"  # answers, but takes its time
    HUNG = "HUNG"  # did not answer in time


@dataclass(frozen=True, slots=True)
class Bounds:
    """Senders of a lane in all, senders of one host, and calls that one host may have claimed ahead."""

    senders: int
    per_host: int
    ahead: int


BOUNDS: Final = {
    Lane.QUICK: Bounds(senders=64, per_host=4, ahead=32),
    Lane.NEW: Bounds(senders=256, per_host=1, ahead=1),
    Lane.SLOW: Bounds(senders=64, per_host=4, ahead=4),
    Lane.HUNG: Bounds(senders=64, per_host=1, ahead=1),
}
ALL_SENDERS: Final = sum(bounds.senders for bounds in BOUNDS.values())


def lane_after(result: HttpAnswer | CallFailed) -> Lane:
    """The lane of a host after a call."""
    if result.elapsed_seconds < SLOW_SECONDS:
        return Lane.QUICK
    if isinstance(result, CallFailed) and result.reason in (
        NoAnswerReason.TIMEOUT,
        NoAnswerReason.NOT_CONNECTED,
        NoAnswerReason.UNRESOLVED,
    ):
        return Lane.HUNG
    return Lane.SLOW


@dataclass(eq=False)
class _Host(Generic[Item]):
    lane: Lane = Lane.NEW
    senders: int = 0
    queue: deque[Item] = field(default_factory=deque)


class Lanes(Generic[Item]):
    """The hosts' queues and how many senders each lane has; safe to use from many threads."""

    def __init__(self, bounds: dict[Lane, Bounds] | None = None) -> None:
        self._bounds = bounds or BOUNDS
        self._lock = threading.Lock()
        self._hosts: OrderedDict[str, _Host[Item]] = OrderedDict()
        self._senders = dict.fromkeys(Lane, 0)

    def room(self, host: str) -> int:
        """How many calls to the host may be claimed now; none if no sender could take them up soon."""
        with self._lock:
            entry = self._entry(host)
            bounds = self._bounds[entry.lane]
            if self._senders[entry.lane] >= bounds.senders:
                return 0
            if len(entry.queue) * 2 > bounds.ahead:
                return 0  # many small claims cost more than few large ones
            # Every sender has a call in hand.
            return max(bounds.ahead - len(entry.queue) - entry.senders, 0)

    def add(self, host: str, items: list[Item]) -> list[Lane]:
        """Queues calls to the host; the lanes of the senders that the caller starts now, one sender each."""
        with self._lock:
            entry = self._entry(host)
            entry.queue.extend(items)
            return self._start_senders(entry)

    def _start_senders(self, entry: _Host[Item]) -> list[Lane]:
        bounds = self._bounds[entry.lane]
        free = min(bounds.senders - self._senders[entry.lane], bounds.per_host - entry.senders, len(entry.queue))
        # Every claim is called or released: a host with a queue has a sender.
        wanted = max(free, 1 if entry.queue and not entry.senders else 0)
        entry.senders += wanted
        self._senders[entry.lane] += wanted
        return [entry.lane] * wanted

    def take(self, host: str, lane: Lane) -> Item | None:
        """The next call for a sender of `lane`; None if there is none, and then that sender is gone."""
        with self._lock:
            entry = self._entry(host)
            if entry.queue and entry.lane is lane:
                return entry.queue.popleft()
            entry.senders -= 1
            self._senders[lane] -= 1
            return None

    def note_call(self, host: str, result: HttpAnswer | CallFailed) -> list[Item]:
        """Judges the host by a call; the queued calls to release because it is no longer quick."""
        with self._lock:
            entry = self._entry(host)
            entry.lane = lane_after(result)
            if entry.lane is Lane.QUICK:
                return []
            rest = list(entry.queue)
            entry.queue.clear()
            return rest

    def left_behind(self, host: str) -> list[Lane]:
        """Lanes of senders to start for calls that the last sender of another lane left in the queue."""
        with self._lock:
            return self._start_senders(self._entry(host))

    def busy(self) -> bool:
        """True if a sender is at work."""
        with self._lock:
            return any(self._senders.values())

    def lane_of(self, host: str) -> Lane:
        """The state of the host."""
        with self._lock:
            return self._entry(host).lane

    def _entry(self, host: str) -> _Host[Item]:
        entry = self._hosts.get(host)
        if entry is None:
            if len(self._hosts) >= MAX_HOSTS:
                self._forget_one()
            entry = self._hosts[host] = _Host()
        else:
            self._hosts.move_to_end(host)
        return entry

    def _forget_one(self) -> None:
        for host, entry in self._hosts.items():
            if not entry.senders and not entry.queue:
                del self._hosts[host]
                return
