"""Our addition to the API: the shop's callbacks, what became of each, and sending again (D-18)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from paymatch.api.call import Answer, ApiCall
from paymatch.api.errors import ApiRefused
from paymatch.api.fields import invalid
from paymatch.api.router import endpoint
from paymatch.domain.calendar import moment_text
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.shops.shop import Shop
from paymatch.store.callbacks.callbacks import Attempt, CallbackRow
from paymatch.usecases import callbacks

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
_MOMENT: Final = "%d-%m-%Y %H:%M:%S"


@endpoint("GET", "callbacks")
def list_callbacks(call: ApiCall) -> Answer:
    """Newest first. `status`: comma separated; `before`: the `id` of the last one seen; `limit`: 100, at most 1,000."""
    rows = callbacks.page(
        call.tx,
        call.shop,
        _statuses(call.query.get("status", "")),
        call.query.get("before"),
        call.whole("limit", DEFAULT_LIMIT, MAX_LIMIT) or DEFAULT_LIMIT,
    )
    return Answer(msgspec.json.encode([_callback(row, call.shop) for row in rows]))


@endpoint("GET", "callbacks/{callbackId}")
def show_callback(call: ApiCall) -> Answer:
    """One callback with its attempts of the last 30 days, newest first; 404 if unknown."""
    row, attempts = callbacks.show(call.tx, call.shop, call.params["callbackId"])
    log = [_attempt(attempt, call.shop) for attempt in attempts]
    return Answer(msgspec.json.encode(_callback(row, call.shop) | {"attemptLog": log}))


@endpoint("POST", "callbacks/{callbackId}/resend", writes=True)
def resend(call: ApiCall) -> Answer:
    """The callback is due at once, under the same `webhook-id`; 404 if unknown."""
    row = callbacks.resend(call.tx, call.shop, call.params["callbackId"], call.clock)
    return Answer(msgspec.json.encode(_callback(row, call.shop)))


@endpoint("POST", "callbacks/resend", writes=True)
def resend_failed(call: ApiCall) -> Answer:
    """All callbacks since the moment `since` that failed are due at once; answers their number."""
    count = callbacks.resend_failed(call.tx, call.shop, _since(call), call.clock)
    return Answer(msgspec.json.encode(count))


@endpoint("POST", "callbacks/test", writes=True)
def send_test(call: ApiCall) -> Answer:
    """Queues a test event: an invented order, one attempt, header `X-Service-Test: true`; 400 if callbacks are off."""
    callback_id = callbacks.send_test(call.tx, call.shop, call.clock)
    row, _ = callbacks.show(call.tx, call.shop, callback_id)
    return Answer(msgspec.json.encode(_callback(row, call.shop)))


def _statuses(text: str) -> list[CallbackStatus]:
    try:
        return [CallbackStatus(part.strip()) for part in text.split(",") if part.strip()]
    except ValueError:
        raise invalid("status", allowed=CallbackStatus) from None


def _since(call: ApiCall) -> datetime:
    """The moment `dd-MM-yyyy HH:mm:ss`, or the beginning of a day `dd-MM-yyyy`, in the shop's time zone."""
    text = call.query.get("since")
    if text is None:
        raise ApiRefused(400, "Missing parameter since", parameter="since")
    try:
        # In the shop's zone and aware: what is read here is naive for one moment only.
        moment = datetime.strptime(text if " " in text else f"{text} 00:00:00", _MOMENT)  # noqa: DTZ007
    except ValueError:
        raise ApiRefused(
            400, f"Invalid date: {text}, format should be dd-MM-yyyy or dd-MM-yyyy HH:mm:ss", parameter="since"
        ) from None
    return moment.replace(tzinfo=ZoneInfo(call.shop.timezone))


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


def _attempt(attempt: Attempt, shop: Shop) -> dict[str, Any]:
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
