"""Sending callbacks: one thread finds and claims what is due, many call, one records (D-18).

No transaction is open while a receiver is called. The claims of a killed process are claimed again by another once the
lease has expired, with the same webhook-id.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.callbacks.receivers import ReceiverRefused, receiver_of
from paymatch.domain.words.message import Message
from paymatch.jobs.lanes import ALL_SENDERS, Lane, Lanes
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, HttpDoor, NoAnswerReason
from paymatch.store.callbacks.callbacks import CallbackTarget
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases import callbacks as usecase
from paymatch.usecases.bisection import process_bisecting, tell_alone
from paymatch.usecases.callbacks import LEASE, Delivery, Outgoing

POLL_SECONDS: Final = 0.25
PAUSE_SECONDS: Final = 0.02  # between two polls while there is work: due callbacks gather into one claim
BATCH: Final = 200  # deliveries recorded in one go
STALE: Final = timedelta(seconds=2)
"""A claim that waited this long for its call is released: the body must be the order's state at sending."""

_log = structlog.get_logger("paymatch.jobs")


@dataclass(frozen=True, slots=True)
class _Released:
    """A claim that is released without a call."""

    outgoing: Outgoing


class CallbackSender:
    """Delivers the callbacks of all shops, or of one. `start` and `stop` once each, or `drain` instead of both."""

    def __init__(
        self,
        database: Database,
        door: HttpDoor,
        clock: Callable[[], datetime],
        *,
        shop: ShopId | None = None,
        lease: timedelta = LEASE,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._database = database
        self._door = door
        self._clock = clock
        self._shop = shop
        self._lease = lease
        self._poll_seconds = poll_seconds
        self._lanes: Lanes[Outgoing] = Lanes()
        self._pool = ThreadPoolExecutor(ALL_SENDERS, thread_name_prefix="callback")
        self._done: queue.SimpleQueue[Delivery | _Released | None] = queue.SimpleQueue()
        self._unrecorded = 0
        self._counting = threading.Lock()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._finder = threading.Thread(target=self._find_until_stopped, name="callbacks due")
        self._recorder = threading.Thread(target=self._record_until_stopped, name="callbacks record")
        self._turn = 0

    def start(self) -> None:
        """Begins to send."""
        self._recorder.start()
        self._finder.start()

    def stop(self) -> None:
        """Claims nothing more, lets calls in progress end (15 seconds at most) and records them."""
        self._stopping.set()
        self._wake.set()
        if self._finder.ident is not None:
            self._finder.join()
        self._pool.shutdown(wait=True)
        self._done.put(None)
        self._recorder.join()

    def drain(self) -> None:
        """Sends everything that is due now, and what becomes due because of it, then ends."""
        self._recorder.start()
        while True:
            # Asked before the poll: a result recorded during it may make something due that it did not see.
            at_rest = not self._unrecorded and not self._lanes.busy()
            found = self._claim_due()
            if not found and at_rest:
                break
            self._wake.wait(self._poll_seconds if not found else PAUSE_SECONDS)
            self._wake.clear()
        self.stop()

    def wake(self) -> None:
        """Looks for due callbacks now rather than at the next poll."""
        self._wake.set()

    # Finding and claiming

    def _find_until_stopped(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            try:
                self._claim_due()
                failures = 0
            except Exception:
                # The database may be restarting; nothing is lost, what is due stays due.
                failures += 1
                _log.exception("callbacks could not be claimed")
                self._stopping.wait(min(0.25 * 2**failures, 10))
            time.sleep(PAUSE_SECONDS)
            self._wake.wait(self._poll_seconds)
            self._wake.clear()

    def _claim_due(self) -> bool:
        """Claims what is due and can be called now; True if anything is due at all that can be claimed."""
        with self._database.of_all_shops() as tx:
            targets = usecase.due_targets(tx, self._clock(), self._shop)
        # Every look begins with another shop, so that none is always served last.
        self._turn += 1
        start = self._turn % len(targets) if targets else 0
        broken: list[CallbackTarget] = []

        def on_failure(target: CallbackTarget, error: Exception) -> None:
            """A fault in one shop's callbacks does not block others."""
            _log.error("callbacks of a shop could not be claimed", shop=str(target.shop), exc_info=error)
            broken.append(target)

        for target in targets[start:] + targets[:start]:
            if self._stopping.is_set():
                break
            process_bisecting([target], lambda some: self._claim_of(some[0]), on_failure)
        return len(targets) > len(broken)

    def _claim_of(self, target: CallbackTarget) -> None:
        host = _host_of(target.url)
        room = self._lanes.room(host)
        if not room:
            return
        with self._database.of_shop(target.shop, at=self._clock()) as tx:
            claimed = usecase.claim(tx, target, room, self._lease)
        if claimed.more:
            self._wake.set()
        if claimed.outgoing:
            with self._counting:
                self._unrecorded += len(claimed.outgoing)
            self._start(host, self._lanes.add(host, list(claimed.outgoing)))

    def _start(self, host: str, lanes: Sequence[Lane]) -> None:
        for lane in lanes:
            self._pool.submit(self._send_until_empty, host, lane)

    # Calling

    def _send_until_empty(self, host: str, lane: Lane) -> None:
        while (outgoing := self._lanes.take(host, lane)) is not None:
            clock = self._clock()
            if clock - outgoing.claimed_at > STALE or self._stopping.is_set():
                self._done.put(_Released(outgoing))
                continue
            delivery = self._deliver(outgoing, clock)
            for left in self._lanes.note_call(host, delivery.result):
                self._done.put(_Released(left))
            refused = isinstance(delivery.result, CallFailed) and delivery.result.reason is NoAnswerReason.BUSY
            self._done.put(_Released(outgoing) if refused else delivery)
        if not self._stopping.is_set():
            self._start(host, self._lanes.left_behind(host))
        self._wake.set()

    def _deliver(self, outgoing: Outgoing, clock: datetime) -> Delivery:
        result: HttpAnswer | CallFailed
        call = HttpCall(outgoing.url)
        try:
            call = usecase.outgoing_call(outgoing, clock)
            result = self._door.call(call)
        except CallFailed as failed:
            result = failed
        except Exception as error:
            self._tell(outgoing, error)
            result = CallFailed(NoAnswerReason.BROKEN, Message("call-internal"))
        return Delivery(outgoing, call, clock, result)

    # Recording

    def _record_until_stopped(self) -> None:
        while True:
            batch = self._next_batch()
            by_shop: dict[ShopId, list[Delivery | _Released]] = defaultdict(list)
            for item in batch:
                if item is not None:
                    by_shop[item.outgoing.shop].append(item)
            for shop, items in by_shop.items():
                self._record_stubbornly(shop, items)
                with self._counting:
                    self._unrecorded -= len(items)
            self._wake.set()
            if None in batch:
                return

    def _next_batch(self) -> list[Delivery | _Released | None]:
        batch = [self._done.get()]
        while len(batch) < BATCH and batch[-1] is not None:
            try:
                batch.append(self._done.get_nowait())
            except queue.Empty:
                break
        return batch

    def _record_stubbornly(self, shop: ShopId, items: Sequence[Delivery | _Released]) -> None:
        """Records results, retrying while the database is down; later all is sent again by the leases' expiry.

        One that cannot be recorded does not affect others: it is sent again once its lease expires, and an alert is
        raised.
        """
        ends = time.monotonic() + self._lease.total_seconds()
        pause = 0.1
        left = list(items)

        def record(some: Sequence[Delivery | _Released]) -> None:
            self._record(shop, some)
            for item in some:
                left.remove(item)

        def on_failure(item: Delivery | _Released, error: Exception) -> None:
            self._tell(item.outgoing, error)
            left.remove(item)

        while True:
            try:
                process_bisecting(tuple(left), record, on_failure)
            except Exception:
                if self._stopping.is_set() or time.monotonic() > ends:
                    _log.exception("callbacks could not be recorded and will be sent again", count=len(left))
                    return
                _log.warning("callbacks could not be recorded, trying again", count=len(left), exc_info=True)
                time.sleep(pause)
                pause = min(pause * 2, 5)
            else:
                return

    def _tell(self, outgoing: Outgoing, error: Exception) -> None:
        tell_alone(self._database, outgoing.shop, Message("item-callback", callback=outgoing.id), error, self._clock())

    def _record(self, shop: ShopId, items: Sequence[Delivery | _Released]) -> None:
        deliveries = [item for item in items if isinstance(item, Delivery)]
        released = [item.outgoing.id for item in items if isinstance(item, _Released)]
        with self._database.of_shop(shop, at=self._clock()) as tx:
            written = usecase.record(tx, deliveries) if deliveries else []
            if released:
                usecase.release(tx, released)
        for item in written:
            if item.status in (CallbackStatus.GIVEN_UP, CallbackStatus.PAUSED):
                _log.warning(
                    "callback not delivered",
                    shop=str(shop),
                    callback=item.callback_id,
                    status=item.status,
                    attempts=item.attempt.attempt,
                    error=item.attempt.error,
                )


def _host_of(url: str) -> str:
    """What shares a lane: the receiver's host; a URL that cannot be called is its own lane."""
    try:
        return receiver_of(url, allow_private=True).host
    except ReceiverRefused:
        return url
