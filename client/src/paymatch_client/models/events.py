"""Events and callbacks: what is sent and what is answered. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from typing import Any

from paymatch_client.models.enumerations import CallbackStatus, PaymentStatus
from paymatch_client.values import Moment, Value


class Callback(Value, kw_only=True):
    """A callback and its result."""

    id: str
    """The `webhook-id`."""
    event_id: int | None = None
    """The event that it reports."""
    order_number: str | None = None
    """Order number."""
    previous_payment_status: PaymentStatus | None = None
    """The order's payment status."""
    payment_status: PaymentStatus | None = None
    """The order's payment status."""
    status: CallbackStatus
    """Current state."""
    attempts: int
    """How often it was sent."""
    created: Moment
    """When it was queued."""
    next_attempt: Moment | None = None
    """When it is sent next."""
    finished: Moment | None = None
    """When it was delivered or given up."""
    last_error: str | None = None
    """Error of the last attempt."""
    attempt_log: list[dict[str, Any]] | None = None
    """Each attempt, newest first; only when one callback is read."""


class Event(Value, kw_only=True):
    """A change of an order's payment status."""

    id: int
    """Counts the shop's events from 1 without gaps."""
    order_number: str
    """Order number."""
    previous_payment_status: PaymentStatus | None = None
    """The order's payment status."""
    payment_status: PaymentStatus
    """The order's payment status."""
    cause: str | None = None
    """Cause of the change."""
    timestamp: Moment | None = None
    """When."""
