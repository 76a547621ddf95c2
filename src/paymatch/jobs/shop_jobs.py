"""Doing the due work of shops: one look finds what is due, a few threads do it, each job in its own transactions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Final

import structlog

from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.work import metrics
from paymatch.usecases.work import shop_jobs as usecase
from paymatch.usecases.work.job_kinds import JobGateways, JobKind
from paymatch.usecases.work.shop_jobs import JobOutcome

POLL_SECONDS: Final = 0.5
HEARTBEAT_SECONDS: Final = 30.0  # how often a worker leaves a trace that it is at work
PLAN_SECONDS: Final = 60.0  # how often shops that were created since get the rows of their jobs
THREADS: Final = 4
AT_ONCE: Final = 200  # jobs of one look

_log = structlog.get_logger("paymatch.jobs")


class ShopJobRunner:
    """Does the due jobs of all shops. `run` until stopped, or `drain` once."""

    def __init__(
        self,
        database: Database,
        doors: JobGateways,
        clock: Callable[[], datetime],
        show_alive: Callable[[], None] = lambda: None,
    ) -> None:
        """`show_alive` is called each time that the runner looks for work, whether or not the database answers."""
        self._database = database
        self._doors = doors
        self._clock = clock
        self._show_alive = show_alive
        self._stopping = threading.Event()
        self._in_hand: set[tuple[ShopId, str]] = set()
        self._left: set[tuple[ShopId, str]] = set()
        self._lock = threading.Lock()

    def run(self, stopping: threading.Event) -> None:
        """Works until the event; jobs in progress are finished."""
        self._stopping = stopping
        planned_at: float | None = None
        beaten_at: float | None = None
        with ThreadPoolExecutor(THREADS, thread_name_prefix="job") as pool:
            while not stopping.wait(POLL_SECONDS):
                self._show_alive()
                try:
                    if planned_at is None or time.monotonic() - planned_at >= PLAN_SECONDS:
                        planned_at = None if usecase.plan(self._database) else time.monotonic()
                    self._look(pool)
                    if beaten_at is None or time.monotonic() - beaten_at >= HEARTBEAT_SECONDS:
                        metrics.record_worker(self._database, self._clock())
                        beaten_at = time.monotonic()
                except Exception:
                    # The database may be away for a moment: the next look finds the same work.
                    _log.exception("due jobs could not be found")
                    stopping.wait(1)

    def drain(self) -> None:
        """Does all due work, and what becomes due because of it, then ends; jobs blocked by other work are left.

        Jobs blocked by one of these are retried: only if all due jobs are blocked, others block them.
        """
        while usecase.plan(self._database):
            pass
        leaving: set[tuple[ShopId, str]] = set()
        with ThreadPoolExecutor(THREADS, thread_name_prefix="job") as pool:
            while started := self._look(pool, leaving):
                while self._busy():
                    time.sleep(0.01)
                if len(self._left) == started:
                    leaving |= self._left
                self._left.clear()

    def _look(self, pool: ThreadPoolExecutor, leaving: Collection[tuple[ShopId, str]] = ()) -> int:
        """Starts what is due, not in hand here and not to be left; how many jobs these are."""
        room = AT_ONCE - len(self._in_hand)
        started = 0
        for shop, kind in usecase.due(self._database, self._clock(), AT_ONCE) if room > 0 else ():
            key = (shop, kind.name)
            with self._lock:
                if key in self._in_hand or key in leaving:
                    continue
                self._in_hand.add(key)
            pool.submit(self._do, shop, kind)
            started += 1
        return started

    def _do(self, shop: ShopId, kind: JobKind) -> None:
        try:
            if not self._stopping.is_set():
                ran = usecase.run(self._database, self._doors, shop, kind, self._clock)
                if ran is None or ran.state is JobOutcome.BUSY:
                    self._left.add((shop, kind.name))
        except Exception:
            # Claiming or recording failed, so the database is away: the claim runs out and the job is done again.
            _log.exception("job could not be recorded", shop=str(shop), job=kind.name)
            self._left.add((shop, kind.name))
        finally:
            with self._lock:
                self._in_hand.discard((shop, kind.name))

    def _busy(self) -> bool:
        with self._lock:
            return bool(self._in_hand)
