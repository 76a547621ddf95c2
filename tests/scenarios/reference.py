"""A reference model of the ledger, small enough to be believed: what an order must say, given what the bank booked."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class ModelPayment:
    """A booking of the bank: for which order, signed, and whether its file has been delivered."""

    booking_id: str
    reference: str
    number: str
    minor: int
    delivered: bool = False
    returned: bool = False
    must_match: bool = False


@dataclass
class ModelOrder:
    """An order as the model keeps it. `matched_minor` is what the service has allocated of what was delivered."""

    number: str
    name: str
    due_minor: int
    day: str
    mark: str = ""
    matched_minor: int = 0
    refunded_minor: int = 0
    changes: list[str] = field(default_factory=list)
    refunds: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """The paymentStatus, by the rules of the API document and D-1 to D-3, written a second time."""
        if self.mark:
            return self.mark
        net = self.matched_minor - self.refunded_minor
        covered = self.due_minor <= 0 or (net > 0 and net >= self.due_minor)
        if self.refunded_minor and net <= 0:
            return "REFUNDED"
        if covered:
            return "PAID"
        if self.refunded_minor:
            return "REFUNDED_PARTIAL"
        return "PAID_PARTIAL" if net > 0 else "UNPAID"

    @property
    def amount_paid(self) -> str:
        """The amountPaid that a read shows, `unset` where the document leaves it out."""
        if self.status == "UNPAID":
            return "unset"
        minor = self.matched_minor - self.refunded_minor
        return f"{'-' if minor < 0 else ''}{abs(minor) // 100}.{abs(minor) % 100:02d}"


@dataclass
class Model:
    """The shop: its orders and what its bank has booked."""

    orders: dict[str, ModelOrder] = field(default_factory=dict)
    payments: list[ModelPayment] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)

    def note_changes(self) -> None:
        """Every order whose status differs from the one noted last has had one change."""
        for order in self.orders.values():
            if order.status != self.statuses.get(order.number, order.status):
                order.changes.append(order.status)
            self.statuses[order.number] = order.status
