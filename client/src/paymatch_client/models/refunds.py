"""Refunds: what is sent and what is answered. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from decimal import Decimal

from paymatch_client.models.enumerations import RefundStatus
from paymatch_client.values import Day, Value


class RefundCreation(Value, kw_only=True):
    """A refund as the shop asks for it."""

    external_reference: str
    """The merchant's own reference."""
    amount: Decimal
    """Above 0. Two decimals; true further ones are refused, never rounded."""
    currency: str
    """The currency of the order."""
    planned_date: Day
    """When the transfer should be initiated; in the future on creation."""


class RefundOfOrder(Value, kw_only=True):
    """A refund with its order."""

    external_reference: str
    """The merchant's own reference, unique per shop."""
    amount: Decimal
    """Refund amount, above 0."""
    currency: str
    """The currency of the order."""
    planned_date: Day
    """When the transfer should be initiated; in the future on creation."""
    id: str
    """Assigned by the service."""
    execution_date: Day | None
    """Date of the transfer; null until it was executed."""
    reference_number: str
    """Reference assigned by the service; the EndToEndId of the transfer."""
    status: RefundStatus
    """The refund's status."""
    reason: str | None = None
    """Why it is not transferred, in words; only while something holds it back."""
    order_number: str
    """Order number."""
    waits_for_release: bool | None = None
    """A person of the shop must release it before it is transferred."""
    arrived_amount: Decimal | None = None
    """What arrived for the order and has not gone out again, in the order's currency; only while a person must
    release the refund.
    """
    arrived_from_account: Decimal | None = None
    """The part of it that arrived from the account that the refund goes to."""
    bank_code: str | None = None
    """The bank's message."""


class RefundAccount(Value, kw_only=True):
    """The account that a customer named for a refund."""

    iban: str
    """IBAN; spaces are ignored."""
    account_holder: str
    """Its holder, as the bank knows it."""
