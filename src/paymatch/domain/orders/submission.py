"""Orders: rules for submitted orders besides their form (docs/api.md, Orders)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from paymatch.domain.calendar import latest_due_date
from paymatch.domain.orders.settlement import Mark, PaymentStatus
from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.words.message import Message

LOCKED_AGAINST_AMOUNT_CHANGE: Final = frozenset(
    {PaymentStatus.CANCELLED, PaymentStatus.REFUNDED, PaymentStatus.COLLECTION}
)
"""D-11: in these states an order's amount and currency cannot change."""

REVIVED_BY_SUBMISSION: Final = frozenset({Mark.LEGACY, Mark.DISAPPEARED})
"""D-11: these marks fall away when the shop submits the order again."""


class OrderRefused(Refused):
    """A rule of docs/api.md or of D-11 to D-13 is not met. `number` and `index`: which order of several."""

    def __init__(
        self,
        message: Message,
        *,
        parameter: str = "",
        number: str = "",
        index: int | None = None,
        allowed: Sequence[str] = (),
        expected: str = "",
    ) -> None:
        super().__init__(message, parameter=parameter, allowed=allowed, expected=expected)
        self.number = number
        self.index = index

    @property
    def additions(self) -> dict[str, str | int | list[str]]:
        """The order, in addition to what every refusal adds (D-13)."""
        found: dict[str, str | int | list[str]] = {}
        if self.number:
            found["orderNumber"] = self.number
        if self.index is not None:
            found["index"] = self.index
        return found | super().additions


class OrderUnknown(Unknown):
    """The shop has no order of this number (404)."""

    def __init__(self, number: str) -> None:
        super().__init__(Message("order-not-found", number=number))
        self.number = number


@dataclass(frozen=True, slots=True)
class Submission:
    """The facts of a submitted order that the rules need."""

    number: str
    order_date: date
    due_date: date | None
    amount_minor: int
    currency: str
    initial_dunning_level: int


@dataclass(frozen=True, slots=True)
class SubmittedOrder:
    """A well-formed order: its wire document as stored, and the facts that rules and columns need."""

    submission: Submission
    doc: bytes
    type: str
    digits: int  # of the currency's minor unit
    exchange_rate: Decimal | None
    stop_reminder: bool
    mail_problem: str = ""  # why no mail can be sent to its customerEmail


@dataclass(frozen=True, slots=True)
class StoredOrder:
    """The facts of the stored order that the rules need."""

    status: PaymentStatus
    mark: Mark | None
    amount_minor: int
    currency: str
    has_allocations: bool
    initial_dunning_level: int = 0


def check_submission(submitted: Submission, stored: StoredOrder | None, today: date) -> None:
    """OrderRefused with the first rule that is not met, in the documented order of errors (docs/api.md).

    `stored` is None for a new order; `today` is the day in the shop's time zone.
    """
    if stored is None and submitted.order_date > today:
        raise OrderRefused(Message("order-parameter-date-must-not"), parameter="date")
    if submitted.due_date is not None and submitted.due_date > latest_due_date(today):
        raise OrderRefused(Message("order-parameter-duedate-must-not"), parameter="dueDate")
    if stored is None:
        return
    if submitted.initial_dunning_level not in (0, stored.initial_dunning_level):
        raise OrderRefused(
            Message("order-parameter-initialdunninglevel-can-only"),
            parameter="initialDunningLevel",
        )
    other_currency = submitted.currency != stored.currency
    changed = submitted.amount_minor != stored.amount_minor or other_currency
    if changed and stored.status in LOCKED_AGAINST_AMOUNT_CHANGE:
        parameter = "currency" if other_currency else "amount"
        raise OrderRefused(Message("order-could-not-update-order-status", status=stored.status), parameter=parameter)
    if other_currency and stored.has_allocations:
        # The allocated amounts are in the old currency: they cannot be recounted without a rate of their day.
        raise OrderRefused(Message("order-could-not-update-order-currency"), parameter="currency")


def mark_after_submission(mark: Mark | None) -> Mark | None:
    """The mark once the order was submitted or listed again: a legacy or disappeared order comes back (D-6, D-11)."""
    return None if mark in REVIVED_BY_SUBMISSION else mark


def check_set_paid(status: PaymentStatus) -> None:
    """OrderRefused if the order is PAID already (docs/api.md, Orders)."""
    if status is PaymentStatus.PAID:
        raise OrderRefused(Message("order-already-paymentstatus-paid"))


def check_set_unpaid(status: PaymentStatus, mark: Mark | None) -> None:
    """OrderRefused unless the order is PAID through a manual set (docs/api.md, Orders; D-12)."""
    if status is not PaymentStatus.PAID:
        raise OrderRefused(Message("order-must-have-paymentstatus-paid"))
    if mark is not Mark.PAID:
        raise OrderRefused(Message("order-must-have-manual-paymentstatus"))
