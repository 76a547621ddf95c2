"""Threads that are shared fairly: each shop has a queue of its own, and the queues take turns."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

PLACES: Final = 64
"""Requests of one shop, or of one address without a key, in progress at once: read, waiting, worked, written."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What work gave, or what it raised. A future that raises would end the server's own task in the middle."""

    value: T | None
    error: BaseException | None

    def get(self) -> T:
        """The value; raises what the work raised."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class _Job:
    share: str
    work: Callable[[], Any]
    done: asyncio.Future[Outcome[Any]]


class Shares:
    """A few threads and the queues before them. All but the work itself happens on the event loop.

    One share never has more than `most` of the threads; those that wait get the next free thread in turn. The thread
    that was busy last is busy first: what it needs is still near the processor, and a third of the cost is saved.
    """

    def __init__(self, threads: int, most: int) -> None:
        self._most = most
        self._running: dict[str, int] = {}
        self._waiting: dict[str, deque[_Job]] = {}  # in the order of their turns
        self._idle: list[SimpleQueue[_Job]] = [SimpleQueue() for _ in range(threads)]  # one for each idle thread
        for number, jobs in enumerate(self._idle):
            threading.Thread(target=self._serve, args=(jobs,), name=f"requests {number}", daemon=True).start()

    def run(self, share: str, work: Callable[[], T]) -> asyncio.Future[Outcome[T]]:
        """The outcome of some work, once a thread is free and it is the share's turn."""
        job = _Job(share, work, asyncio.get_running_loop().create_future())
        if self._idle and share not in self._waiting and self._running.get(share, 0) < self._most:
            self._begin(job)
        else:
            self._waiting.setdefault(share, deque()).append(job)
        return job.done

    def _begin(self, job: _Job) -> None:
        self._running[job.share] = self._running.get(job.share, 0) + 1
        self._idle.pop().put(job)

    def _serve(self, jobs: SimpleQueue[_Job]) -> None:
        while True:
            job = jobs.get()
            try:
                outcome = Outcome(job.work(), None)
            except BaseException as error:
                outcome = Outcome(None, error)
            job.done.get_loop().call_soon_threadsafe(self._end, jobs, job, outcome)
            del job, outcome  # they hold bodies, and the next job may be long in coming

    def _end(self, jobs: SimpleQueue[_Job], job: _Job, outcome: Outcome[Any]) -> None:
        self._idle.append(jobs)
        running = self._running.pop(job.share) - 1
        if running:
            self._running[job.share] = running
        job.done.set_result(outcome)
        if self._waiting:
            self._next()

    def _next(self) -> None:
        """Begins the work of the share whose turn it is; its further work waits behind all others."""
        for share in self._waiting:
            if self._running.get(share, 0) < self._most:
                queue = self._waiting.pop(share)
                self._begin(queue.popleft())
                if queue:
                    self._waiting[share] = queue
                return


class InFlightLimit:
    """The number of requests in progress per share."""

    def __init__(self, places: int = PLACES) -> None:
        self._places = places
        self._taken: dict[str, int] = {}

    def take(self, share: str) -> bool:
        """Whether there was a place left; it is taken until `give`."""
        taken = self._taken.get(share, 0)
        if taken >= self._places:
            return False
        self._taken[share] = taken + 1
        return True

    def give(self, share: str) -> None:
        """The place is free again."""
        left = self._taken.pop(share) - 1
        if left:
            self._taken[share] = left


class LargeResponses:
    """How many long answers are being written at once, and the size of their pieces."""

    def __init__(self) -> None:
        self._count = 0

    def __enter__(self) -> None:
        self._count += 1

    def __exit__(self, *_: object) -> None:
        self._count -= 1

    @property
    def piece_size(self) -> int:
        """Bytes: few readers are served with little ado, many slow ones must not take the memory."""
        return 256 * 1024 if self._count <= 8 else 32 * 1024
