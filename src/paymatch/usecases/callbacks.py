"""Callbacks: claiming due ones, recording results, and a merchant's actions (D-18).

Claiming and recording are two transactions with the call between them; `outgoing_call` and `Delivery` connect the two.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from paymatch import __version__
from paymatch.domain.callbacks.deliveries import (
    CALLBACK_LIFECYCLE,
    EVENT_OF,
    FAILING_AFTER,
    UNFINISHED,
    CallbackEvent,
    CallbackStatus,
    DeliveryOutcome,
    next_attempt,
    outcome_of,
    retry_after_of,
    slot_of,
)
from paymatch.domain.callbacks.signatures import SECRET_BYTES, secret_text, signature_headers
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.shops.alerts import CALLBACK_KINDS, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall
from paymatch.store import ids
from paymatch.store.callbacks import callbacks as store
from paymatch.store.callbacks.callbacks import AttemptedCallback, CallbackAttempt, CallbackRow
from paymatch.store.shops import shops
from paymatch.store.transactions import ShopId, ShopTx, Tx
from paymatch.store.work import alerts, shop_jobs, tallies
from paymatch.usecases import audit

LEASE: Final = timedelta(seconds=60)
"""How long a claim is valid: four times the longest call, so only a dead worker's claims expire."""

ANSWER_KEPT: Final = 1024  # bytes of the answer that the log shows
SECRET_OVERLAP: Final = timedelta(hours=24)
_ID: Final = re.compile(r"[a-z0-9_]{1,64}")
_ACCESS_CODE_HEADER: Final = "X-Service-Access-Code"  # docs/api.md, Events


class CallbackUnknown(Unknown):
    """The shop has no callback of this id."""

    def __init__(self, callback_id: str) -> None:
        super().__init__(Message("callback-not-found", callback_id=callback_id))


class CallbacksOff(Refused):
    """The shop sends no callbacks, so there is nothing to test."""

    def __init__(self) -> None:
        super().__init__(Message("callbacks-off"))


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A claimed callback with everything that its call needs; the body is the order in its present state."""

    shop: ShopId
    id: str
    order_number: str
    is_test: bool
    due_at: datetime
    url: str
    any_2xx: bool
    access_code: str
    secrets: tuple[str, ...]
    body: bytes
    claimed_at: datetime
    more_ports: Sequence[int]  # allowed by the shop besides the usual ones


@dataclass(frozen=True, slots=True)
class Delivery:
    """A completed call: time, request and answer."""

    outgoing: Outgoing
    call: HttpCall
    started_at: datetime
    result: HttpAnswer | CallFailed


@dataclass(frozen=True, slots=True)
class Claimed:
    """The result of a claim; `more` if there may be further due callbacks."""

    outgoing: tuple[Outgoing, ...]
    more: bool


def due_targets(tx: Tx, clock: datetime, shop: ShopId | None = None) -> list[store.CallbackTarget]:
    """The shops that have callbacks to send now, or only the given one of them; needs the operator's view."""
    return [target for target in store.due_targets(tx, clock) if shop is None or target.shop == shop]


def claim(tx: ShopTx, target: store.CallbackTarget, limit: int, lease: timedelta = LEASE) -> Claimed:
    """Leases up to `limit` due callbacks of the shop and reads their present content."""
    shop = shops.load(tx)
    assert shop is not None, "a target is a shop"
    now = tx.now
    due, seen = store.claim(tx, limit, now=now, clock=tx.wall_time, until=tx.wall_time + lease)
    if not due:
        return Claimed((), more=seen == limit)
    bodies = store.bodies(tx, [callback.order_number for callback in due if not callback.is_test])
    _give_up_without_order(tx, [c for c in due if not c.is_test and c.order_number not in bodies], now)
    access_code, secret, old_secret, old_until = shops.callback_secrets(tx)
    overlapping = bool(old_secret) and old_until is not None and tx.wall_time < old_until
    test_body = _test_body(shop, tx.wall_time)
    outgoing = (
        Outgoing(
            shop=target.shop,
            id=callback.id,
            order_number=callback.order_number,
            is_test=callback.is_test,
            due_at=callback.due_at,
            url=target.url,
            any_2xx=target.any_2xx,
            access_code=access_code,
            secrets=(secret, old_secret) if overlapping else (secret,),
            body=(test_body if callback.is_test else bodies[callback.order_number]).encode(),
            claimed_at=tx.wall_time,
            more_ports=shop.callback_ports,
        )
        for callback in due
        if callback.is_test or callback.order_number in bodies
    )
    return Claimed(tuple(outgoing), more=seen == limit)


def _give_up_without_order(tx: ShopTx, due: Sequence[store.DueCallback], now: datetime) -> None:
    for callback in due:
        store.give_up(tx, callback.id, Message("call-order-gone"), now)
    if due:
        store.unblock(tx, [callback.order_number for callback in due], now)


def outgoing_call(outgoing: Outgoing, clock: datetime) -> HttpCall:
    """The call that delivers the callback, signed for this moment."""
    headers = (
        ("Content-Type", "application/json"),
        ("User-Agent", f"paymatch/{__version__}"),
        (_ACCESS_CODE_HEADER, outgoing.access_code),
        *signature_headers(outgoing.secrets, outgoing.id, clock, outgoing.body),
        *((("X-Service-Test", "true"),) if outgoing.is_test else ()),
    )
    return HttpCall(outgoing.url, outgoing.body, headers, repeatable=True, more_ports=outgoing.more_ports)


def record(tx: ShopTx, deliveries: Sequence[Delivery]) -> list[AttemptedCallback]:
    """Records the results of calls: the log, the next attempt or the end; unblocks later callbacks of the order.

    A callback that another worker settled meanwhile (this one's lease had run out) keeps its state.
    """
    shop = shops.load(tx)
    assert shop is not None, "what was claimed belongs to a shop"
    now = tx.now
    stored = store.lock(tx, [delivery.outgoing.id for delivery in deliveries])
    written: list[AttemptedCallback] = []
    finished: list[str] = []
    for delivery in deliveries:
        if delivery.outgoing.id not in stored:
            continue
        before = stored[delivery.outgoing.id]
        item = _write_callback(delivery, before, now, shop.now(delivery.started_at))
        written.append(item)
        # One callback may be here twice: its lease ran out while the first call waited to be recorded.
        stored[delivery.outgoing.id] = replace(
            before, status=item.status, due_at=item.due_at or before.due_at, attempts=item.attempt.attempt
        )
        if item.status is CallbackStatus.PAUSED:
            store.pause(tx, now)
        elif item.due_at is None:
            finished.append(delivery.outgoing.order_number)
    store.record(tx, written)
    if finished:
        store.unblock(tx, finished, now)
    late = any(now - each.first_due_at >= FAILING_AFTER for each in stored.values())
    _wake_alerts(tx, {item.status for item in written}, now, late=late)
    _count(tx, written)
    return written


def _wake_alerts(tx: ShopTx, statuses: set[CallbackStatus], now: datetime, *, late: bool) -> None:
    """Schedules the alerts if one may be missing, or an open one may have lost its cause."""
    opened = alerts.open_kinds(tx, CALLBACK_KINDS)
    worse = statuses & {CallbackStatus.PAUSED, CallbackStatus.GIVEN_UP} or (
        late and CallbackStatus.PENDING in statuses and AlertKind.CALLBACKS_FAILING not in opened
    )
    better = opened and CallbackStatus.DELIVERED in statuses
    if worse or better or AlertKind.CALLBACKS_PAUSED in opened:
        shop_jobs.wake(tx, ALERTS, now)


def _count(tx: ShopTx, written: Sequence[AttemptedCallback]) -> None:
    failed = sum(bool(item.attempt.error) for item in written)
    given_up = sum(item.status is CallbackStatus.GIVEN_UP for item in written)
    counts = {tallies.DELIVERED: len(written) - failed, tallies.FAILED: failed, tallies.GIVEN_UP: given_up}
    tallies.add(tx, counts)


def _write_callback(delivery: Delivery, stored: store.StoredCallback, now: datetime, at: datetime) -> AttemptedCallback:
    outgoing, result = delivery.outgoing, delivery.result
    answer = result if isinstance(result, HttpAnswer) else None
    outcome = outcome_of(answer.status if answer else None, any_2xx=outgoing.any_2xx)
    if outgoing.is_test and outcome is not DeliveryOutcome.SUCCESS:
        event, due_at = CallbackEvent.EXHAUSTED, None  # a person checks a test at once; it is not repeated
    else:
        event, due_at = _event(outgoing, outcome, answer, stored, now)
    status = stored.status
    if CALLBACK_LIFECYCLE.allows(status, event):
        status = CALLBACK_LIFECYCLE.move(status, event)
    else:
        due_at = stored.due_at if status in UNFINISHED else None
    log = CallbackAttempt(
        attempt=stored.attempts + 1,
        at=at,
        elapsed_ms=round(result.elapsed_seconds * 1000),
        http_status=answer.status if answer else None,
        error=_error_text(result, outcome),
        request=_request_text(delivery.call, whole=stored.attempts == 0 or outcome is DeliveryOutcome.SUCCESS),
        answer=_answer_text(answer),
        next_try_at=due_at,
        timing=result.timing,
    )
    return AttemptedCallback(outgoing.id, status, due_at, log)


def _event(
    outgoing: Outgoing, outcome: DeliveryOutcome, answer: HttpAnswer | None, stored: store.StoredCallback, now: datetime
) -> tuple[CallbackEvent, datetime | None]:
    """The callback's event after the attempt, and when it is due again (None: not automatically)."""
    if outcome is not DeliveryOutcome.FAILURE:
        return EVENT_OF[outcome], None
    if stored.due_at > outgoing.due_at:
        return CallbackEvent.FAILED, stored.due_at  # another call or the merchant has moved it meanwhile
    pause = retry_after_of(answer.retry_after if answer else None, now)
    slot = slot_of(stored.first_due_at, stored.due_at)
    planned = next_attempt(outgoing.id, stored.first_due_at, slot, now, pause)
    return (CallbackEvent.FAILED, planned.due_at) if planned else (CallbackEvent.EXHAUSTED, None)


def release(tx: ShopTx, callback_ids: Sequence[str]) -> None:
    """Releases claims that were not called: they are due at once for the next claim."""
    store.release(tx, callback_ids)


def resend(tx: ShopTx, callback_id: str) -> CallbackRow:
    """Makes the callback due at once and restarts its seven days, under the same id. CallbackUnknown.

    Lifts a pause: asking for a callback implies that the receiver is back.
    """
    now = tx.now
    _resend(tx, [callback_id], now)
    return show(tx, callback_id)[0]


def resend_failed(tx: ShopTx, since: datetime) -> int:
    """Makes all failed callbacks queued since a moment due at once; returns their number."""
    now = tx.now
    failed = store.failed_since(tx, since)
    _resend(tx, failed, now)
    return len(failed)


def _resend(tx: ShopTx, callback_ids: Sequence[str], now: datetime) -> None:
    for callback_id in callback_ids:
        _check_form(callback_id)
    stored = store.lock(tx, callback_ids)
    for callback_id in callback_ids:
        if callback_id not in stored:
            raise CallbackUnknown(callback_id)
        status = CALLBACK_LIFECYCLE.move(stored[callback_id].status, CallbackEvent.RESENT)
        if status is CallbackStatus.PENDING:
            store.restart(tx, callback_id, status, now)
    if callback_ids and store.paused_at(tx) is not None:
        resume(tx)


def next_due_at(tx: ShopTx) -> datetime | None:
    """When the shop's next attempt is due by its own clock, None if none is planned or the shop sends nothing now.

    A moment in the past means that attempts are due or in progress: a sandbox clock waits for them before it moves.
    """
    if not tx.shop.sends_callbacks or store.paused_at(tx) is not None:
        return None
    return store.next_due_at(tx)


def pause(tx: ShopTx) -> None:
    """Pauses the shop's callbacks until a person resumes them; new ones wait. CallbacksOff."""
    if not tx.shop.sends_callbacks:
        raise CallbacksOff
    now = tx.now
    store.pause(tx, now)
    shop_jobs.wake(tx, ALERTS, now)
    audit.record(tx, tx.shop, AuditAction.CALLBACKS_PAUSED, "callbacks")


def resume(tx: ShopTx) -> int:
    """Resumes the shop's callbacks after a pause; returns how many were paused."""
    audit.record(tx, tx.shop, AuditAction.CALLBACKS_RESUMED, "callbacks")
    return store.resume(tx)


def paused_at(tx: ShopTx) -> datetime | None:
    """Since when the shop's callbacks are paused, by a 410 from its receiver or by a person. None if they are not."""
    return store.paused_at(tx)


def send_test(tx: ShopTx) -> str:
    """Queues a test event: one attempt with an invented order and the header `X-Service-Test`; its id. CallbacksOff."""
    if not tx.shop.sends_callbacks:
        raise CallbacksOff
    callback_id = ids.new_id("cb", tx.wall_time)
    store.add_test(tx, callback_id, tx.now)
    return callback_id


def rotate_secret(tx: ShopTx, overlap: timedelta = SECRET_OVERLAP) -> str:
    """A new signing secret; until the overlap ends, callbacks also carry a signature of the old one."""
    secret = secret_text(ids.random_bytes(SECRET_BYTES))
    store.rotate_secret(tx, secret, tx.wall_time + overlap)
    audit.record(
        tx, tx.shop, AuditAction.CREDENTIALS_ROTATED, "webhook-secret", after={"oldValidUntil": tx.wall_time + overlap}
    )
    return secret


def page(
    tx: ShopTx, statuses: Sequence[CallbackStatus] = (), before_id: str | None = None, limit: int = 100
) -> list[CallbackRow]:
    """The shop's callbacks, newest first, starting after `before_id`. CallbackUnknown."""
    if before_id is not None:
        _load_callback(tx, before_id)
    return store.page(tx, statuses, before_id, limit)


def show(tx: ShopTx, callback_id: str) -> tuple[CallbackRow, list[CallbackAttempt]]:
    """The callback and its logged attempts, newest first. CallbackUnknown."""
    return _load_callback(tx, callback_id), store.attempts(tx, callback_id)


def _load_callback(tx: ShopTx, callback_id: str) -> CallbackRow:
    _check_form(callback_id)
    found = store.find(tx, callback_id)
    if found is None:
        raise CallbackUnknown(callback_id)
    return found


def _check_form(callback_id: str) -> None:
    """CallbackUnknown for an invalid id, before the database sees it."""
    if not _ID.fullmatch(callback_id):
        raise CallbackUnknown(callback_id)


def _error_text(result: HttpAnswer | CallFailed, outcome: DeliveryOutcome) -> str:
    if isinstance(result, CallFailed):
        return result.message
    return "" if outcome is DeliveryOutcome.SUCCESS else Message("call-answered", status=result.status)


def _request_text(call: HttpCall, *, whole: bool) -> str:
    """The request in the log's form. The body is kept once on failure, and as delivered on success."""
    shown = (f"{name}: {'(the access code)' if name == _ACCESS_CODE_HEADER else value}" for name, value in call.headers)
    digest = hashlib.sha256(call.body).hexdigest()
    body = call.body.decode() if whole else f"({len(call.body)} bytes, SHA-256 {digest})"
    return "\n".join((f"{call.method} {call.url}", *shown, "", body))


def _answer_text(answer: HttpAnswer | None) -> str:
    # PostgreSQL's text accepts everything but NUL.
    return answer.body[:ANSWER_KEPT].decode(errors="replace").replace("\x00", "\ufffd") if answer else ""


def _test_body(shop: Shop, clock: datetime) -> str:
    day = shop.today(clock).strftime("%d-%m-%Y")
    return (
        f'{{"number":"TEST","date":"{day}","type":"PREPAYMENT","amount":19.90,"currency":"{shop.currency}",'
        f'"billing":{{"lastName":"Test","countryCode":"{shop.country}"}},"paymentStatus":"PAID","dunningLevel":0,'
        '"amountPaid":19.90}'
    )
