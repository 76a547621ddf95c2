"""A reference model of the ledger, small enough to be believed: what an order must say, given what the bank booked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from paymatch.domain.shops.sandbox import iban_of

GIVEN: Final = iban_of("Tante Hedwig")
"""The account that customers name where a refund cannot go back to the one that has paid."""


@dataclass
class ModelBooking:
    """A booking of the bank, signed: for which orders, and whether a statement that shows it is in the books."""

    booking_id: str
    reference: str
    numbers: tuple[str, ...]
    minor: int
    day: date
    formats: tuple[str, ...]
    account: str  # of the payer or payee
    refund: str = ""  # externalReference of the refund that it executes or brings back
    in_books: bool = False
    returned: bool = False
    must_match: bool = False


@dataclass(frozen=True)
class ModelFile:
    """A statement file that the bank has written."""

    digest: str
    name: str
    format: str
    day: date

    def shows(self, booking: ModelBooking) -> bool:
        """A statement tells the whole day; a notification tells what it was asked to tell."""
        return booking.day == self.day and (self.format != "camt.054" or "camt.054" in booking.formats)


@dataclass
class ModelRefund:
    """A refund as the model keeps it; attempts are counted from 1."""

    reference: str
    minor: int
    planned: date
    outcome: str
    has_details: bool
    details_given: bool = False
    attempt: int = 1
    cancelled: bool = False
    waits_from: date = date.min  # the day on which the customer last named an account
    sent: set[int] = field(default_factory=set)
    rejected: set[int] = field(default_factory=set)
    debited: set[int] = field(default_factory=set)  # by statements that are in the books
    returned: set[int] = field(default_factory=set)  # likewise

    @property
    def status(self) -> str:
        """The refund's status by D-4: the strongest word of the bank on the present attempt counts."""
        said = ((self.returned, "RETURNED"), (self.debited, "PROCESSED"), (self.rejected, "ERROR"),
                (self.sent, "IN_PROCESS"))  # fmt: skip
        if self.cancelled:
            return "CANCELLED"
        return next((status for attempts, status in said if self.attempt in attempts), self._waiting)

    @property
    def _waiting(self) -> str:
        return "NEW" if self.has_details else "BANKDETAILS_MISSING"

    @property
    def is_pending(self) -> bool:
        """Not with the bank yet, and still wanted."""
        return self.status in ("NEW", "BANKDETAILS_MISSING")

    @property
    def is_held(self) -> bool:
        """An earlier transfer may still have reached the payee (D-31)."""
        return any(each < self.attempt for each in self.sent - self.rejected - self.returned)


@dataclass
class ModelOrder:
    """An order as the model keeps it. `matched_minor` is what the service has allocated of what is in the books."""

    number: str
    name: str
    due_minor: int
    day: str
    mark: str = ""
    matched_minor: int = 0
    payers: set[str] = field(default_factory=set)  # accounts of the allocated payments, where a refund may go (D-5)
    was_paid: bool = False  # by a payment that may have been taken back since
    changes: list[str] = field(default_factory=list)
    refunds: dict[str, ModelRefund] = field(default_factory=dict)

    @property
    def refunded_minor(self) -> int:
        """The sum of the processed refunds."""
        return sum(refund.minor for refund in self.refunds.values() if refund.status == "PROCESSED")

    @property
    def net_minor(self) -> int:
        """What was paid less what was refunded."""
        return self.matched_minor - self.refunded_minor

    @property
    def status(self) -> str:
        """The paymentStatus, by the rules of D-1 to D-3, written a second time."""
        if self.mark:
            return self.mark
        refunded = self.refunded_minor
        net = self.matched_minor - refunded
        covered = self.due_minor <= 0 or (net > 0 and net >= self.due_minor)
        if refunded and net <= 0:
            return "REFUNDED"
        if covered:
            return "PAID"
        if refunded:
            return "REFUNDED_PARTIAL"
        return "PAID_PARTIAL" if net > 0 else "UNPAID"

    @property
    def amount_paid(self) -> str:
        """The amountPaid that a read shows, `unset` where the document leaves it out."""
        if self.status == "UNPAID":
            return "unset"
        minor = self.net_minor
        return f"{'-' if minor < 0 else ''}{abs(minor) // 100}.{abs(minor) % 100:02d}"

    @property
    def refund_statuses(self) -> dict[str, str]:
        """externalReference -> status."""
        return {reference: refund.status for reference, refund in self.refunds.items()}

    def payees(self, reference: str) -> set[str]:
        """The accounts that the refund may go to."""
        return {GIVEN} if self.refunds[reference].details_given else self.payers

    def send_refunds(self, today: date) -> int:
        """The run of a bank day: due refunds go out while the order's money covers them, the older ones first (D-3).

        How many went out.
        """
        sent = 0
        refunds = self.refunds.values()
        left = self.net_minor - sum(refund.minor for refund in refunds if refund.status == "IN_PROCESS")
        for refund in [each for each in refunds if each.is_pending]:
            covered = refund.minor <= left
            left -= refund.minor if covered else 0
            has_account = bool(self.payees(refund.reference))
            if covered and has_account and refund.planned <= today and not refund.is_held:
                sent += 1
                refund.has_details = True
                refund.sent.add(refund.attempt)
                if refund.outcome == "rejected":
                    refund.rejected.add(refund.attempt)
        return sent


@dataclass
class Model:
    """The shop: its orders, what its bank has booked, and which statements of it are in the books."""

    orders: dict[str, ModelOrder] = field(default_factory=dict)
    bookings: dict[str, ModelBooking] = field(default_factory=dict)
    files: dict[str, ModelFile] = field(default_factory=dict)
    withheld: set[str] = field(default_factory=set)  # files whose import was undone and that are to come again
    statuses: dict[str, str] = field(default_factory=dict)

    @property
    def refunds(self) -> dict[str, ModelRefund]:
        """All refunds by externalReference."""
        return {name: refund for order in self.orders.values() for name, refund in order.refunds.items()}

    def read_books(self) -> None:
        """What is in the books by the statements that are in them."""
        files = [file for digest, file in self.files.items() if digest not in self.withheld]
        for booking in self.bookings.values():
            booking.in_books = any(file.shows(booking) for file in files)

    def unsettle(self, numbers: Iterable[str]) -> None:
        """What was the exact amount of an open order when it was paid may no longer be when it is booked."""
        changed = set(numbers)
        for booking in self.bookings.values():
            if not booking.in_books and changed.intersection(booking.numbers):
                booking.must_match = False

    def note_changes(self) -> None:
        """Every order whose status differs from the one noted last has had one change."""
        for order in self.orders.values():
            if order.status != self.statuses.get(order.number, order.status):
                order.changes.append(order.status)
            self.statuses[order.number] = order.status
