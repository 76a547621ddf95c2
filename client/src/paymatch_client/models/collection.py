"""Collection: what is sent and what is answered. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from decimal import Decimal

from paymatch_client.models.enumerations import CollectionReportStatus, CollectionStatus, PaymentStatus
from paymatch_client.values import Day, Moment, Value


class CollectionCase(Value, kw_only=True):
    """An order that was handed over to the collection agency."""

    order_number: str
    """Order number."""
    partner: str
    """The agency."""
    file: str | None = None
    """File number at the agency."""
    status: CollectionStatus
    """What the agency says; only while collection is active."""
    active: bool
    """Whether the agency still has it."""
    handed_over: Moment
    """When it was handed over."""
    warned_on: Day | None = None
    """Day of the last reminder."""
    currency: str | None = None
    """Currency of the amounts."""
    claim: Decimal | None = None
    """Open amount at the handover."""
    fees: Decimal | None = None
    """Reminder fees claimed in addition."""
    interest: Decimal | None = None
    """Statutory interest claimed in addition."""
    interest_until: Day | None = None
    """Last day that interest is claimed for."""
    lump_sum: Decimal | None = None
    """Lump sum for late payment claimed of companies."""
    open: Decimal | None = None
    """Open amount now."""
    order_status: PaymentStatus | None = None
    """The order's payment status."""


class CollectionReportsResult(Value, kw_only=True):
    """Result of the reports."""

    taken: int
    """Reports that were accepted."""
    refused: list[RefusedReport]
    """A report that was not taken."""


class RefusedReport(Value, kw_only=True):
    """A report that was not taken."""

    row: int | None = None
    """Its place, from 1."""
    error: str | None = None
    """Why."""


class CollectionReport(Value, kw_only=True):
    """The agency's report on a case, identified by `orderNumber` or `file`."""

    order_number: str | None = None
    """Order number."""
    file: str | None = None
    """File number at the agency; with an order number it is set."""
    status: CollectionReportStatus | None = None
    """New state of the case."""
    description: str | None = None
    """The agency's own words, for the history."""
