"""Callbacks: their states, and when each attempt is due (docs/api.md, Events; D-18).

All times are moments in UTC, so seven days are 168 hours across a clock change too. Attempts have fixed slots, counted
from the moment the callback became due: slot 0 at once, slot k after k times 15 minutes, slot 672 after seven days.
Jitter moves an attempt within its slot and never adds up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Final

from paymatch.domain.lifecycle import Lifecycle
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

INTERVAL: Final = timedelta(minutes=15)  # docs/api.md, Limits: "about every 15 minutes"
LAST_SLOT: Final = 672  # docs/api.md, Limits: "up to 7 days"; 7 * 24 * 4
MAX_JITTER: Final = timedelta(seconds=60)
ATTEMPTS_KEPT: Final = timedelta(days=30)  # the log of attempts
CALLBACK_GRACE_SECONDS: Final = 10
MAX_GRACE_SECONDS: Final = 300
FAILING_AFTER: Final = timedelta(hours=6)  # a callback that fails for so long raises an alert


class CallbackStatus(StrEnum):
    """The state of a callback."""

    PENDING = "PENDING"  # an attempt is due now or later
    WAITING = "WAITING"  # an earlier callback of the same order is not finished
    PAUSED = "PAUSED"  # the receiver said 410 Gone; nothing is sent until the merchant resumes
    DELIVERED = "DELIVERED"
    GIVEN_UP = "GIVEN_UP"  # not delivered within seven days; the merchant can send it again
    OFF = "OFF"  # callbacks were not enabled when the status changed
    WITHDRAWN = "WITHDRAWN"  # a person undid the change, or made it by undoing, before anyone was notified


class CallbackEvent(StrEnum):
    """What can happen to a callback."""

    ACCEPTED = "receiver accepted"  # the receiver answered with success
    FAILED = "attempt failed"  # any other answer or none, and a slot is left
    EXHAUSTED = "last attempt failed"  # the same in the last slot
    GONE = "receiver gone"  # it answered 410; the shop's callbacks pause
    BLOCKED = "earlier one open"  # an earlier callback of the order is ahead of it
    UNBLOCKED = "earlier one finished"  # the earlier one is finished
    RESUMED = "merchant resumed"  # the merchant lets callbacks flow again
    RESENT = "merchant sends again"  # the merchant asks for it once more
    UNDONE = "change undone"  # within the shop's grace period, a person undid the change that it reports


class CallbackMoveRefused(Refused):
    """The callback cannot make this move; the merchant who asked for it sees the text."""

    def __init__(self, status: CallbackStatus, event: CallbackEvent) -> None:
        super().__init__(Message("callback-status-does-not-take", status=status, event=event))
        self.status = status
        self.event = event


UNFINISHED: Final = frozenset({CallbackStatus.PENDING, CallbackStatus.WAITING, CallbackStatus.PAUSED})
"""Callbacks that later ones of the same order must not overtake."""

_S = CallbackStatus
_E = CallbackEvent

CALLBACK_LIFECYCLE: Final = Lifecycle(
    frozenset({_S.PENDING, _S.OFF}),
    {
        (_S.PENDING, _E.ACCEPTED): _S.DELIVERED,  # docs/api.md, Events
        (_S.PENDING, _E.FAILED): _S.PENDING,  # docs/api.md, Events
        (_S.PENDING, _E.EXHAUSTED): _S.GIVEN_UP,  # docs/api.md, Events: up to 7 days
        (_S.PENDING, _E.GONE): _S.PAUSED,  # D-18, RFC 9110 section 15.5.11
        (_S.PAUSED, _E.GONE): _S.PAUSED,  # two attempts of one shop were in progress
        (_S.PAUSED, _E.ACCEPTED): _S.DELIVERED,  # likewise: this one still got through
        (_S.PAUSED, _E.FAILED): _S.PAUSED,  # likewise
        (_S.PAUSED, _E.EXHAUSTED): _S.PAUSED,  # likewise; it gets its last attempt after the pause
        (_S.PAUSED, _E.RESUMED): _S.PENDING,  # D-18
        (_S.PAUSED, _E.RESENT): _S.PENDING,  # D-18
        (_S.GIVEN_UP, _E.RESENT): _S.PENDING,  # D-18
        (_S.DELIVERED, _E.RESENT): _S.PENDING,  # D-18: a receiver may have lost what it acknowledged
        (_S.PENDING, _E.RESENT): _S.PENDING,  # D-18: do not wait for the next slot
        (_S.OFF, _E.RESENT): _S.PENDING,  # D-18: callbacks were enabled later
        (_S.PENDING, _E.BLOCKED): _S.WAITING,  # D-18: in sequence per order
        (_S.PENDING, _E.UNDONE): _S.WITHDRAWN,  # D-18: the callback of the undoing is withdrawn with it
        (_S.WITHDRAWN, _E.RESENT): _S.PENDING,  # D-18
        (_S.WAITING, _E.UNBLOCKED): _S.PENDING,  # D-18
        (_S.WAITING, _E.RESENT): _S.WAITING,  # D-18: its turn comes automatically
    },
    CallbackMoveRefused,
)


class DeliveryOutcome(StrEnum):
    """The result of one attempt."""

    SUCCESS = "SUCCESS"
    GONE = "GONE"
    FAILURE = "FAILURE"


def outcome_of(status_code: int | None, *, any_2xx: bool) -> DeliveryOutcome:
    """Outcome of an attempt answered with `status_code`, None if no complete answer came.

    200 is success (docs/api.md, Events), every 2xx if the shop chose so; 410 asks to stop. Redirects are failures like
    everything else (D-18).
    """
    if status_code == 200 or (any_2xx and status_code is not None and status_code // 100 == 2):
        return DeliveryOutcome.SUCCESS
    return DeliveryOutcome.GONE if status_code == 410 else DeliveryOutcome.FAILURE


EVENT_OF: Final[Mapping[DeliveryOutcome, CallbackEvent]] = {
    DeliveryOutcome.SUCCESS: CallbackEvent.ACCEPTED,
    DeliveryOutcome.GONE: CallbackEvent.GONE,
    DeliveryOutcome.FAILURE: CallbackEvent.FAILED,
}


@dataclass(frozen=True, slots=True)
class PlannedAttempt:
    """The next attempt: the slot it belongs to, and when it is due, jitter included."""

    slot: int
    due_at: datetime


def slot_due_at(callback_id: str, first_due_at: datetime, slot: int) -> datetime:
    """When the attempt of `slot` is due. Slots 0 and 672 have no jitter: at once, and never after seven days."""
    assert 0 <= slot <= LAST_SLOT and first_due_at.tzinfo is not None
    # In UTC before anything is added: arithmetic in a zone with a clock change would add wall-clock hours.
    planned = first_due_at.astimezone(UTC) + slot * INTERVAL
    return planned if slot in (0, LAST_SLOT) else planned + jitter(callback_id, slot)


def jitter(callback_id: str, slot: int) -> timedelta:
    """Up to a minute, upward only, the same for the same callback and slot; spreads what failed together."""
    digest = hashlib.sha256(f"{callback_id}:{slot}".encode()).digest()
    return MAX_JITTER * int.from_bytes(digest[:4]) / 2**32


def slot_of(first_due_at: datetime, due_at: datetime) -> int:
    """The slot that an attempt due at `due_at` belongs to; the last one for anything later."""
    return min(max((due_at.astimezone(UTC) - first_due_at.astimezone(UTC)) // INTERVAL, 0), LAST_SLOT)


def next_attempt(
    callback_id: str, first_due_at: datetime, slot: int, now: datetime, retry_after: timedelta | None = None
) -> PlannedAttempt | None:
    """The attempt after a failed one in `slot`, None if there is no slot left and the callback is given up.

    The first later slot that is due after `now` and, where the receiver asked for a pause, after that pause; a pause
    beyond the seventh day leads to the last slot. Slots that passed while no worker ran are not made up for; an attempt
    that was due in one of them is made once, late.
    """
    now = now.astimezone(UTC)
    wanted = now + max(retry_after or timedelta(), timedelta())
    candidate = max(slot + 1, (wanted - first_due_at.astimezone(UTC)) // INTERVAL)
    if candidate > LAST_SLOT:
        last_due_at = slot_due_at(callback_id, first_due_at, LAST_SLOT)
        return PlannedAttempt(LAST_SLOT, last_due_at) if slot < LAST_SLOT and now < last_due_at else None
    while candidate < LAST_SLOT and slot_due_at(callback_id, first_due_at, candidate) < wanted:
        candidate += 1
    due_at = slot_due_at(callback_id, first_due_at, candidate)
    return PlannedAttempt(candidate, due_at) if now < due_at else None


def retry_after_of(text: str | None, now: datetime) -> timedelta | None:
    """The pause a `Retry-After` header asks for (RFC 9110 section 10.2.3: seconds or a date); None if unreadable."""
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        # More digits than this are far beyond the schedule and would overflow a timedelta.
        return timedelta(seconds=int(text[:9]))
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return max(moment - now, timedelta())
