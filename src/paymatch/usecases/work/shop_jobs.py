"""Due work of shops: planned, claimed, done outside of transactions, recorded after (D-32).

A killed process leaves its claim behind; the claim expires, and the job is done again. The claim of a long job is
renewed while it runs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Final

import structlog

from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERT_AFTER, JobRefused, retry_at
from paymatch.domain.words.message import Message
from paymatch.store import ids
from paymatch.store.bank_feeds import feeds
from paymatch.store.connectors import connectors as connector_store
from paymatch.store.customers import refund_requests as request_store
from paymatch.store.database import Database
from paymatch.store.letters import letters as letter_store
from paymatch.store.matching import matching as match_store
from paymatch.store.reminders import reminders as reminder_store
from paymatch.store.replays import replays as replay_store
from paymatch.store.sandbox import sandbox as sandbox_store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import LockNotAcquired, ShopId, ShopTx, Tx
from paymatch.store.work import alerts
from paymatch.store.work import shop_jobs as store
from paymatch.store.work.shop_jobs import JobClaim, JobRow
from paymatch.system_errors import in_a_sentence
from paymatch.traces import span
from paymatch.usecases.bisection import process_bisecting
from paymatch.usecases.work.alerts import failing_jobs
from paymatch.usecases.work.job_kinds import (
    BY_NAME,
    CONNECTORS,
    CONSENT_READING,
    EBICS_EXCHANGE,
    LETTERS,
    MAIL,
    MATCHING,
    REFUND_REQUESTS,
    REPLAY,
    SANDBOX_BANK,
    Done,
    JobGateways,
    JobKind,
)

LEASE: Final = timedelta(minutes=2)
"""How long a claim is valid without renewal: a job of a killed process waits this long."""

RECORD_LOCK_SECONDS: Final = 30
_ERROR_KEPT: Final = 500
_PLANNED_AT_ONCE: Final = 500
_CAUSED: Final[Mapping[str, Callable[[Tx, datetime], list[ShopId]]]] = {
    SANDBOX_BANK.name: sandbox_store.shops_with_bank_work,
    MATCHING.name: match_store.shops_to_rematch,
    MAIL.name: reminder_store.shops_with_due,
    REFUND_REQUESTS.name: request_store.shops_with_due,
    LETTERS.name: letter_store.shops_with_due,
    CONNECTORS.name: connector_store.shops_with_due,
    REPLAY.name: replay_store.shops_with_due,
    EBICS_EXCHANGE.name: partial(feeds.shops_with_due, feed=feeds.EBICS),
    CONSENT_READING.name: partial(feeds.shops_with_due, feed=feeds.CONSENTS),
}
"""Kinds that are due when their cause occurs, and the queries for shops that have it."""

_log = structlog.get_logger("paymatch.jobs")


class JobOutcome(StrEnum):
    """The outcome of an attempt to do a job."""

    DONE = "done"
    FAILED = "failed"
    BUSY = "busy"  # other work has locked what it needs: it stays due
    LOST = "lost"  # it outlasted its claim, and another process has taken it over


@dataclass(frozen=True, slots=True)
class Ran:
    """A job that was tried, with its result or its error as text."""

    state: JobOutcome
    words: str = ""


def plan(database: Database, shop: ShopId | None = None) -> bool:
    """Adds the missing rows of job kinds to all shops, or one; True if there may be more such shops.

    A new kind is due as if it had existed since the shop's creation: at once for older shops.
    """
    with database.of_all_shops() if shop is None else database.of_shop(shop) as tx:
        missing = store.unplanned_jobs(tx, list(BY_NAME), _PLANNED_AT_ONCE, shop)

    def plan_shop(shops: Sequence[tuple[ShopId, datetime, Collection[str]]]) -> bool:
        ((shop_id, created_at, names),) = shops
        with database.of_shop(shop_id) as tx:
            found = _load_shop(tx)
            for name in sorted(names):
                store.add(tx, name, BY_NAME[name].next_at(found, created_at))
        return True

    def on_failure(shop: tuple[ShopId, datetime, Collection[str]], error: Exception) -> None:
        _log.error("jobs of a shop could not be planned", shop=str(shop[0]), exc_info=error)

    planned = [done for each in missing for done in process_bisecting([each], plan_shop, on_failure)]
    return len(planned) == _PLANNED_AT_ONCE


def due(database: Database, clock: datetime, limit: int) -> list[tuple[ShopId, JobKind]]:
    """The due, unclaimed jobs of all shops."""
    with database.of_all_shops() as tx:
        planned = store.due(tx, clock, [name for name in BY_NAME if name not in _CAUSED], limit)
        kinds = (
            SANDBOX_BANK, MATCHING, MAIL, REFUND_REQUESTS, LETTERS, CONNECTORS, EBICS_EXCHANGE, CONSENT_READING, REPLAY,
        )  # fmt: skip
        by_cause = [(shop, kind) for kind in kinds for shop in _CAUSED[kind.name](tx, clock)]
    return by_cause[:limit] + [(shop, BY_NAME[name]) for shop, name in planned]


def run(
    database: Database,
    doors: JobGateways,
    shop_id: ShopId,
    kind: JobKind,
    clock: Callable[[], datetime],
    *,
    early: bool = False,
    holding: bool = False,
) -> Ran | None:
    """Does a job of the shop if it is due, or with `early` before; None if it is not, or another process is doing it.

    `holding`: the caller moves the clock of this sandbox shop. Any exception of the job is recorded as its failure.
    """
    with database.of_shop(shop_id, at=clock()) as tx:
        shop = _load_shop(tx)
        claim = _claim(tx, kind, early=early, holding=holding)
    if claim is None:
        return None
    log, started = _log.bind(shop=str(shop_id), job=kind.name), time.perf_counter()
    try:
        job = span(f"job {kind.name}", paymatch__shop=str(shop_id), paymatch__job=kind.name)
        with job, _keep_claim(database, claim, clock):
            allowed = shop.status in kind.statuses
            done = kind.do(database, doors, shop, clock()) if allowed else Done(f"the shop is {shop.status}", idle=True)
    except LockNotAcquired:
        with database.of_shop(shop_id, at=clock()) as tx:
            store.release(tx, claim)
        return Ran(JobOutcome.BUSY, "other work holds what it needs")
    except Exception as error:
        log.exception("job failed", failures=claim.failures + 1, ms=_ms(started))
        return _record_failure(database, claim, f"{type(error).__name__}: {in_a_sentence(error)}", clock())
    ran = _record_success(database, claim, kind, done, clock())
    (log.debug if done.idle else log.info)("job done", result=done.words, ms=_ms(started))
    return ran


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)


def _load_shop(tx: ShopTx) -> Shop:
    shop = shop_store.load(tx)
    assert shop is not None, "a job belongs to a shop"
    return shop


def _claim(tx: ShopTx, kind: JobKind, *, early: bool, holding: bool) -> JobClaim | None:
    if early or kind.next_at(tx.shop, tx.wall_time) is None:
        store.add(tx, kind.name, kind.next_at(tx.shop, tx.now))
    name = ids.new_id("job", tx.wall_time)
    return store.claim(
        tx, kind.name, name, now=tx.now, clock=tx.wall_time, until=tx.wall_time + LEASE, early=early,
        holding=holding,
    )  # fmt: skip


def _record_success(database: Database, claim: JobClaim, kind: JobKind, done: Done, clock: datetime) -> Ran:
    with database.of_shop(claim.shop, RECORD_LOCK_SECONDS, at=clock) as tx:
        shop = _load_shop(tx)
        now = shop.now(clock)
        next_at = now if done.again else kind.next_at(shop, now)
        if claim.failing_since is None:
            tx.commit_with_next()
        if not store.record_done(tx, claim, done.words, now, next_at):
            return Ran(JobOutcome.LOST)
        if claim.failing_since is not None:
            _tell(tx, now)
    return Ran(JobOutcome.DONE, done.words)


def _record_failure(database: Database, claim: JobClaim, error: str, clock: datetime) -> Ran:
    words = " ".join(error.replace("\x00", "\ufffd").split())[:_ERROR_KEPT]
    failures = claim.failures + 1
    with database.of_shop(claim.shop, RECORD_LOCK_SECONDS, at=clock) as tx:
        now = _load_shop(tx).now(clock)
        if not store.record_failed(tx, claim, words, now, retry_at(failures, now)):
            return Ran(JobOutcome.LOST)
        if failures >= ALERT_AFTER:
            _tell(tx, now)
    return Ran(JobOutcome.FAILED, words)


def _tell(tx: ShopTx, now: datetime) -> None:
    """Raises and closes the alerts of failing jobs here and now: it may be the job of the alerts that fails."""
    causes = {alert.subject: alert for alert in failing_jobs(tx)}
    alerts.resolve_others(tx, AlertKind.JOB_FAILING, list(causes), now)
    for alert in causes.values():
        alerts.add(tx, alert.kind, alert.subject, alert.text, now)


@contextmanager
def _keep_claim(database: Database, claim: JobClaim, clock: Callable[[], datetime]) -> Iterator[None]:
    """Renews the claim for as long as the block takes."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(LEASE.total_seconds() / 4):
            try:
                with database.of_shop(claim.shop, at=clock()) as tx:
                    store.renew(tx, claim, clock() + LEASE)
            except Exception:
                _log.warning("claim could not be renewed", job=claim.kind, shop=str(claim.shop), exc_info=True)

    keeper = threading.Thread(target=renew, name="job claim", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()


def run_now(database: Database, doors: JobGateways, shop: Shop, name: str, clock: Callable[[], datetime]) -> Ran:
    """Does a job of the shop at once. JobRefused if there is no such kind, or it is running just now."""
    _check_name(name)
    ran = run(database, doors, ShopId(shop.id), BY_NAME[name], clock, early=True)
    if ran is None:
        raise JobRefused(Message("job-shop-being-done-just", name=name))
    return ran


def jobs(database: Database, shop: Shop, name: str = "") -> list[JobRow]:
    """The shop's jobs by kind, or the one of this kind. JobRefused if there is no such kind."""
    if name:
        _check_name(name)
    plan(database, ShopId(shop.id))
    with database.of_shop(shop) as tx:
        return [row for row in store.rows(tx) if row.kind in BY_NAME and name in ("", row.kind)]


def _check_name(name: str) -> None:
    if name not in BY_NAME:
        raise JobRefused(Message("job-unknown", name=repr(name), names=", ".join(sorted(BY_NAME))))
