"""The clock of a sandbox shop: it moves from due moment to due moment, and does all due work at each.

The mover claims the shop: the workers leave it alone meanwhile, so everything at one moment is recorded before the next
begins. A process that dies leaves the clock where it was; the next move continues from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.domain.shops.sandbox import ClockHeld, SandboxRefused, day_ends_at
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, HttpDoor
from paymatch.store.callbacks.callbacks import CallbackTarget
from paymatch.store.database import Database
from paymatch.store.sandbox import sandbox as store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import shop_jobs as job_store
from paymatch.usecases import callbacks
from paymatch.usecases.callbacks import Delivery
from paymatch.usecases.customers import refund_requests
from paymatch.usecases.reminders import reminders
from paymatch.usecases.sandbox.simulated_bank import deliver, next_quiet_day
from paymatch.usecases.sandbox.transfers import take_files
from paymatch.usecases.shops.dunning_plans import plan_of
from paymatch.usecases.statements.completeness import KeptGaps
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import (
    KINDS,
    LETTERS,
    LOCAL_BASE,
    MAIL,
    MATCHING,
    REFUND_REQUESTS,
    JobGateways,
    JobKind,
)
from paymatch.usecases.work.shop_jobs import JobOutcome

HOLD: Final = timedelta(minutes=2)
"""How long the shop stays claimed when its mover has died."""

WAIT_SECONDS: Final = 20
"""Longer than the longest call in progress of a worker."""

MAX_YEARS: Final = 10
_BATCH: Final = 100
_PATIENCE: Final = 200
_PAUSE_SECONDS: Final = 0.05


@dataclass(slots=True)
class ClockAdvance:
    """The events of a move; `reached` is the clock's position, `done` whether that is the requested one."""

    reached: datetime
    done: bool = True
    moments: int = 0
    files: int = 0
    postings: int = 0
    callbacks_delivered: int = 0
    callbacks_failed: int = 0


@contextmanager
def hold_due_work(database: Database, shop: Shop, clock: Callable[[], datetime]) -> Iterator[None]:
    """Claims the shop's due work for the caller during the block. ClockHeld if another process has it."""
    if not shop.sandbox:
        raise SandboxRefused(Message("sandbox-only-shops-have-clock"))
    shop_id = ShopId(shop.id)
    with database.of_shop(shop, at=clock()) as tx:
        if not store.hold(tx, clock(), clock() + HOLD):
            raise ClockHeld(Message("sandbox-clock-shop-being-moved"))
    try:
        _wait_for_workers(database, shop_id, clock)
        shop_jobs.plan(database, shop_id)
        yield
    finally:
        with database.of_shop(shop, at=clock()) as tx:
            store.keep_holding(tx, None)


def move(
    database: Database,
    shop: Shop,
    until: datetime,
    door: HttpDoor,
    clock: Callable[[], datetime],
    *,
    base: str = LOCAL_BASE,
    seconds: float | None = None,
    writes_mail: bool = True,
    gaps: KeptGaps | None = None,
) -> ClockAdvance:
    """Moves the clock to `until` and does all due work on the way, in order; the caller has claimed the shop.

    `base` is the address of the service's pages, for links in mails. With `seconds`, stops after about that much real
    time, at a moment with nothing left to do. Without `writes_mail`, mails are recorded without their text. `gaps` are
    the shop's, if its caller keeps them from move to move: only imports may change its postings meanwhile.
    SandboxRefused if `until` is before the shop's moment or more than ten years after it.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    doors = JobGateways(base=base, writes_mail=writes_mail, gaps=gaps)
    travel = _Travel(database, ShopId(shop.id), door, clock, doors)
    now = travel.moved.reached
    if until < now:
        raise SandboxRefused(Message("sandbox-clock-never-goes-back", now=f"{now:%Y-%m-%d %H:%M}"))
    if until - now > timedelta(days=366 * MAX_YEARS):
        raise SandboxRefused(Message("sandbox-clock-moves-most-years", most=MAX_YEARS))
    due = travel.work()
    while due is not None and due <= until:
        if ends is not None and time.monotonic() > ends:
            travel.moved.done = False
            return travel.moved
        travel.go_to(due)
        due = travel.work()
    if until > travel.moved.reached:
        travel.go_to(until)
        travel.work()
    return travel.moved


class _Travel:
    """One journey of a shop's clock."""

    def __init__(
        self, database: Database, shop: ShopId, door: HttpDoor, clock: Callable[[], datetime], doors: JobGateways
    ) -> None:
        self._database = database
        self._shop_id = shop
        self._door = door
        self._clock = clock
        self._doors = doors
        self._due: list[tuple[datetime, Callable[[Shop], bool]]] = []
        self._quiet_day_ends = False
        with database.of_shop(shop, at=clock()) as tx:
            store.forget_claims(tx)  # no one else sends while we have the shop: they belong to a dead process
            self.moved = ClockAdvance(store.now(tx, clock()))
            self._look(tx)

    def go_to(self, moment: datetime) -> None:
        """Sets the clock to `moment`."""
        with self._database.of_shop(self._shop_id) as tx:
            store.set_clock(tx, moment, held_until=self._clock() + HOLD)
            self.moved.reached = moment
            self._look(tx)
        self.moved.moments += 1

    def work(self) -> datetime | None:
        """Does all due work, in causal order; returns when more is due."""
        fruitless = 0
        while fruitless < _PATIENCE:
            job = next((do for moment, do in self._due if moment <= self.moved.reached), None)
            if job is None:
                return min((moment for moment, _ in self._due), default=None)
            done = job(self._shop)
            fruitless = 0 if done else fruitless + 1
            if not done:
                time.sleep(_PAUSE_SECONDS)  # another process has locked the rows: an import by hand, a call of the API
            with self._database.of_shop(self._shop_id) as tx:
                self._due = self._waiting_work(tx)
        raise SandboxRefused(Message("sandbox-something-due-moment-held"))

    def _look(self, tx: ShopTx) -> None:
        """The shop at this moment, and its planned work."""
        shop = shop_store.load(tx)
        assert shop is not None, "a shop whose clock moves exists"
        self._shop = shop
        self._levels = len(plan_of(tx).levels)
        self._due = self._waiting_work(tx)

    def _waiting_work(self, tx: ShopTx) -> list[tuple[datetime, Callable[[Shop], bool]]]:
        """Planned work: time and kind. Callbacks report everything else."""
        shop = self._shop
        sends = shop.sends_callbacks and shop.status is ShopStatus.ACTIVE
        waiting = store.next_due(tx, self._levels, sends_callbacks=sends)
        planned = dict(waiting.jobs)
        quiet_day = next_quiet_day(shop, self._clock(), waiting.told_until, silent=waiting.bank_silent)
        quiet_at = None if quiet_day is None else day_ends_at(quiet_day, shop.timezone)
        self._quiet_day_ends = quiet_at is not None and quiet_at <= self.moved.reached
        bank = min((moment for moment in (waiting.bank, quiet_at) if moment is not None), default=None)
        # They wait for postings and orders, and longer only after a failure.
        matching = _not_before(waiting.matching, planned.pop(MATCHING.name, None))
        mail = _not_before(waiting.mail if reminders.are_sent(shop) else None, planned.pop(MAIL.name, None))
        asked_at = waiting.refund_requests if refund_requests.are_sent(shop) else None
        requests = _not_before(asked_at, planned.pop(REFUND_REQUESTS.name, None))
        letters = _not_before(waiting.letters, planned.pop(LETTERS.name, None))
        jobs: tuple[tuple[datetime | None, Callable[[Shop], bool]], ...] = (
            *(
                (self._stop_for(tx, kind, waiting, planned), partial(self._run, kind))
                for kind in KINDS
                if not kind.last
            ),
            (waiting.transfers, self._hand_over),
            (bank, self._deliver),
            (matching, partial(self._run, MATCHING)),
            (mail, partial(self._run, MAIL)),
            (requests, partial(self._run, REFUND_REQUESTS)),
            (letters, partial(self._run, LETTERS)),
            (waiting.callbacks, self._send_callbacks),
            *((self._stop_for(tx, kind, waiting, planned), partial(self._run, kind)) for kind in KINDS if kind.last),
        )
        return [(moment, do) for moment, do in jobs if moment is not None]

    def _stop_for(
        self, tx: ShopTx, kind: JobKind, waiting: store.Due, planned: Mapping[str, datetime]
    ) -> datetime | None:
        """When the clock stops for a planned job; None if it does not."""
        due, now = planned.get(kind.name), self.moved.reached
        if due is None or kind.last:
            return due if due is not None and due <= now else None
        if kind.first_day is None:
            return due
        day = kind.first_day(waiting)
        begins = None if day is None else datetime.combine(day, datetime.min.time(), ZoneInfo(self._shop.timezone))
        if begins is not None and begins <= due:
            return due
        stop = None if begins is None else kind.next_at(self._shop, begins - timedelta(microseconds=1))
        if due <= now and (stop is None or stop > now):
            job_store.pass_over(tx, kind.name, kind.next_at(self._shop, now))
        return stop

    def _run(self, kind: JobKind, _shop: Shop) -> bool:
        ran = shop_jobs.run(self._database, self._doors, self._shop_id, kind, self._clock, holding=True)
        return ran is not None and ran.state is not JobOutcome.BUSY

    def _hand_over(self, shop: Shop) -> bool:
        return take_files(self._database, shop, self._clock()) > 0

    def _deliver(self, shop: Shop) -> bool:
        reports = deliver(self._database, shop, self._clock())
        self.moved.files += len(reports)
        self.moved.postings += sum(report.new for report in reports)
        return bool(reports) or self._quiet_day_ends

    def _send_callbacks(self, shop: Shop) -> bool:
        """Sends due callbacks, one after another; False if none could be claimed."""
        with self._database.of_shop(self._shop_id, at=self._clock()) as tx:
            target = CallbackTarget(self._shop_id, shop.callback_url, store.any_2xx(tx))
            claimed = callbacks.claim(tx, target, _BATCH)
        deliveries = [self._call(outgoing) for outgoing in claimed.outgoing]
        if deliveries:
            with self._database.of_shop(self._shop_id, at=self._clock()) as tx:
                callbacks.record(tx, deliveries)
        return bool(deliveries)

    def _call(self, outgoing: callbacks.Outgoing) -> Delivery:
        clock = self._clock()
        call: HttpCall = callbacks.outgoing_call(outgoing, clock)
        result: HttpAnswer | CallFailed
        try:
            result = self._door.call(call)
        except CallFailed as failed:
            result = failed
        delivered = isinstance(result, HttpAnswer) and (
            result.status == 200 or (outgoing.any_2xx and result.status < 300)
        )
        self.moved.callbacks_delivered += delivered
        self.moved.callbacks_failed += not delivered
        return Delivery(outgoing, call, clock, result)


def _not_before(due_at: datetime | None, earliest: datetime | None) -> datetime | None:
    return None if due_at is None else max(due_at, earliest or due_at)


def _wait_for_workers(database: Database, shop: ShopId, clock: Callable[[], datetime]) -> None:
    """Waits until a worker's calls in progress are recorded."""
    ends = time.monotonic() + WAIT_SECONDS
    while True:
        with database.of_shop(shop, at=clock()) as tx:
            if not store.under_way(tx, clock()):
                return
        if time.monotonic() > ends:
            return  # the process that claimed them has died
        time.sleep(_PAUSE_SECONDS)
