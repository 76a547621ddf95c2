"""Our addition to the API: the shop's callbacks, their states, and sending again (D-18)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import json_of
from paymatch.api.refusals import INVALID_DAY, ours
from paymatch.api.router import endpoint
from paymatch.api.sections import EVENTS
from paymatch.domain.calendar import moment_text
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import as_text
from paymatch.formats.contract.json_schema import array, ref, whole
from paymatch.formats.contract.values import invalid
from paymatch.store.callbacks.callbacks import CallbackAttempt, CallbackRow
from paymatch.usecases import callbacks

_UNKNOWN: Final = ours(404, "Callback '<id>' not found", "The shop has no such callback.")


@dataclass(frozen=True, slots=True)
class CallbacksQuery:
    """Which callbacks."""

    status: tuple[CallbackStatus, ...] = parameters.several_of(CallbackStatus, "Statuses, separated by commas.")
    before: str | None = parameters.text("Continue after the callback with this id.", default=None)
    limit: int = parameters.page_limit()


@endpoint("GET", "callbacks", EVENTS, "List callbacks", "Newest first.", answer=json_of(array(ref("Callback"))))
def list_callbacks(call: ApiCall, query: CallbacksQuery) -> ApiAnswer:
    """Newest first. `status`: comma separated; `before`: the `id` of the last one seen; `limit`: 100, at most 1,000."""
    try:
        rows = callbacks.page(call.tx, query.status, query.before, query.limit)
    except callbacks.CallbackUnknown:
        raise invalid("before", expected="the id of a callback") from None
    return ApiAnswer(msgspec.json.encode([_callback(row, call.shop) for row in rows], enc_hook=as_text))


@endpoint(
    "GET",
    "callbacks/{callbackId}",
    EVENTS,
    "Read a callback",
    "With its attempts of the last 30 days.",
    answer=json_of(ref("Callback")),
    refusals=(_UNKNOWN,),
)
def show_callback(call: ApiCall) -> ApiAnswer:
    """One callback with its attempts of the last 30 days, newest first; 404 if unknown."""
    row, attempts = callbacks.show(call.tx, call.params["callbackId"])
    log = [_attempt(attempt, call.shop) for attempt in attempts]
    return ApiAnswer(msgspec.json.encode(_callback(row, call.shop) | {"attemptLog": log}, enc_hook=as_text))


@endpoint(
    "POST",
    "callbacks/{callbackId}/resend",
    EVENTS,
    "Send a callback again",
    "At once, under the same `webhook-id`.",
    answer=json_of(ref("Callback")),
    refusals=(_UNKNOWN,),
)
def resend(call: ApiCall) -> ApiAnswer:
    """The callback is due at once, under the same `webhook-id`; 404 if unknown."""
    row = callbacks.resend(call.tx, call.params["callbackId"])
    return ApiAnswer(msgspec.json.encode(_callback(row, call.shop), enc_hook=as_text))


@dataclass(frozen=True, slots=True)
class ResendQuery:
    """Which callbacks."""

    since: datetime = parameters.moment("Callbacks queued at this moment or later.")


@endpoint(
    "POST",
    "callbacks/resend",
    EVENTS,
    "Send failed callbacks again",
    "All since a moment; answers their number.",
    answer=json_of(whole("Number of callbacks that are due again.")),
    refusals=(INVALID_DAY,),
)
def resend_failed(call: ApiCall, query: ResendQuery) -> ApiAnswer:
    """All callbacks since the moment `since` that failed are due at once; answers their number."""
    since = query.since.replace(tzinfo=ZoneInfo(call.shop.timezone))
    count = callbacks.resend_failed(call.tx, since)
    return ApiAnswer(msgspec.json.encode(count, enc_hook=as_text))


@endpoint(
    "POST",
    "callbacks/test",
    EVENTS,
    "Send a test callback",
    "An invented order, one attempt, with `X-Service-Test: true`.",
    answer=json_of(ref("Callback")),
    refusals=(
        ours(
            400,
            "Callbacks are off: register a callback URL and switch them on",
            "The shop sends no callbacks, so there is nothing to try out.",
        ),
    ),
)
def send_test(call: ApiCall) -> ApiAnswer:
    """Queues a test event: an invented order, one attempt, header `X-Service-Test: true`; 400 if callbacks are off."""
    callback_id = callbacks.send_test(call.tx)
    row, _ = callbacks.show(call.tx, callback_id)
    return ApiAnswer(msgspec.json.encode(_callback(row, call.shop), enc_hook=as_text))


def _callback(row: CallbackRow, shop: Shop) -> dict[str, Any]:
    """A callback as the API shows it; what is unset is left out."""
    found = {
        "id": row.id,
        "eventId": row.event_seq,
        "orderNumber": row.order_number or None,
        "previousPaymentStatus": row.from_status or None,
        "paymentStatus": row.to_status or None,
        "status": row.status,
        "attempts": row.attempts,
        "created": moment_text(row.queued_at, shop.timezone),
        "nextAttempt": _moment(row.due_at, shop) if row.status is CallbackStatus.PENDING else None,
        "finished": _moment(row.finished_at, shop),
        "lastError": row.last_error or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _attempt(attempt: CallbackAttempt, shop: Shop) -> dict[str, Any]:
    found = {
        "attempt": attempt.attempt,
        "timestamp": moment_text(attempt.at, shop.timezone),
        "elapsedMs": attempt.elapsed_ms,
        "httpStatus": attempt.http_status,
        "error": attempt.error or None,
        "request": attempt.request,
        "answer": attempt.answer,
        "nextAttempt": _moment(attempt.next_try_at, shop),
    }
    return {name: value for name, value in found.items() if value is not None}


def _moment(moment: datetime | None, shop: Shop) -> str | None:
    return None if moment is None else moment_text(moment, shop.timezone)
