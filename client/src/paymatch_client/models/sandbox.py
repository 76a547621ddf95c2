"""Sandbox: what is sent and what is answered. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from decimal import Decimal

from paymatch_client.models.enumerations import SandboxMailStatus, SandboxPaymentReference, SandboxRefundOutcome
from paymatch_client.values import Day, Moment, Value


class SandboxClock(Value, kw_only=True):
    """A sandbox shop's clock."""

    now: Moment
    """The shop's current time."""
    done: bool | None = None
    """False if another call has to move the clock further."""
    moments: int | None = None
    """Moments at which something was due."""
    files: int | None = None
    """Bank files that were delivered."""
    postings: int | None = None
    """Postings that were booked."""
    callbacks_delivered: int | None = None
    """Callbacks that were delivered."""
    callbacks_failed: int | None = None
    """Callbacks that failed."""


class SandboxJourney(Value, kw_only=True):
    """New time of the clock; one of the two."""

    advance: str | None = None
    """By how much: weeks, days, hours, minutes."""
    set: str | None = None
    """To which day or moment, in the shop's time zone."""


class SandboxBooking(Value, kw_only=True):
    """Bookings of the simulated bank."""

    id: str
    """Id of the booking."""
    order_numbers: list[str] | None = None
    """Order number."""
    amount: Decimal
    """Signed in the shop's view."""
    currency: str
    """ISO 4217 code."""
    posting_date: Day
    """Booking date."""
    delivered_at: Moment | None = None
    """When the bank's file arrives."""
    formats: list[str] | None = None
    """The bank files that report it."""
    originator: str | None = None
    """Name of the counterparty."""
    iban: str | None = None
    """Account of the counterparty."""
    reference: str | None = None
    """The bank's reference."""
    text: str | None = None
    """Remittance information."""


class SandboxMail(Value, kw_only=True):
    """A mail that a customer would have got."""

    id: str
    """Id of the mail."""
    order_number: str
    """The order that it is about."""
    dunning_level: int
    """Level of the reminder; 0 is the payment information."""
    status: SandboxMailStatus
    """KEPT once it is out."""
    to: str
    """Its recipient. Like subject and text, empty once the mail was kept long enough."""
    subject: str | None = None
    """Its subject."""
    message_id: str | None = None
    """Its Message-ID."""
    created_at: Moment | None = None
    """When it was written."""
    text: str | None = None
    """Its plain text."""


class SandboxBank(Value, kw_only=True):
    """Whether the simulated bank delivers."""

    silent: bool
    """Its files are held back; once it is not silent, all of them come at once."""


class SandboxPayment(Value, kw_only=True):
    """A customer's transfer."""

    order_number: str | None = None
    """Order number."""
    order_numbers: list[str] | None = None
    """Instead of `orderNumber`: several orders at once."""
    amount: Decimal | None = None
    """Amount paid; the open amount by default."""
    payer: str | None = None
    """Name of the payer."""
    iban: str | None = None
    """Account of the payer."""
    reference: SandboxPaymentReference | None = None
    """How well the customer copies the number."""
    text: str | None = None
    """The remittance information word for word."""
    formats: list[str] | None = None
    """The bank files that report it."""
    fee: Decimal | None = None
    """Fee that the bank deducts."""
    times: int | None = None
    """How often it is paid."""
    delivered_twice: bool | None = None
    """The bank delivers its file twice."""


class SandboxReturn(Value, kw_only=True):
    """A payment that comes back."""

    payment: str | None = None
    """Id of the booking."""
    order_number: str | None = None
    """Instead of `payment`: the order that was paid."""
    reason: str | None = None
    """ISO reason code, FOCR if not given."""
    charges: Decimal | None = None
    """Charges of the bank."""
    formats: list[str] | None = None
    """The bank files that report it."""


class SandboxPayout(Value, kw_only=True):
    """A carrier's payout."""

    order_number: str | None = None
    """Order number."""
    order_numbers: list[str] | None = None
    """Instead of `orderNumber`: several orders at once."""
    fee: Decimal | None = None
    """The carrier's fee in all."""
    carrier: str | None = None
    """Its name."""


class SandboxRefund(Value, kw_only=True):
    """Outcome of a refund at the bank."""

    external_reference: str
    """The refund's externalReference."""
    outcome: SandboxRefundOutcome
    """Outcome."""
    reason: str | None = None
    """ISO reason code, AC04 if not given."""


class SandboxOther(Value, kw_only=True):
    """A booking that belongs to no order."""

    amount: Decimal
    """Negative: money out."""
    name: str | None = None
    """Name of the counterparty."""
    text: str | None = None
    """Remittance information."""
