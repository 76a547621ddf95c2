"""Reconciliation of the journal's debtors with open orders: named differences, order by order (D-107)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from paymatch.domain.orders.settlement import AWAITING_MONEY, PaymentStatus


class ReconciliationLine(StrEnum):
    """A line of the reconciliation, in its order: debtors = open - overpaid + the items + difference."""

    DEBTORS = "debtors of the journal"
    OPEN = "open orders"
    OVERPAID = "overpaid orders"
    LATE_STATEMENTS = "payments known later"
    BOOKED_LATER = "corrections booked in a later month"
    LATE_ORDERS = "orders known on another day"
    SET_PAID = "set paid without money, not booked"
    NO_CREDIT_NOTE = "refunds without credit note"
    REFUNDS_UNDER_WAY = "refunds that no posting shows yet"
    TOLERANCE = "paid within the tolerance"
    LEFT_OUT = "left out of the list of open orders"
    REMOVED = "removed orders"
    BELOW_NOTHING = "orders below 0.00"
    PAID_OUT = "cancelled orders with more paid out than paid in"
    OTHER_CURRENCY = "paid or refunded in another currency"
    DIFFERENCE = "difference"


ALWAYS_SHOWN = frozenset(
    {ReconciliationLine.DEBTORS, ReconciliationLine.OPEN, ReconciliationLine.OVERPAID, ReconciliationLine.DIFFERENCE}
)


@dataclass(slots=True)
class OrderReckoning:
    """The books' figures of one order in its currency at the end of a day, each from its own source; minor units.

    The first five are as known then, the others as known today for the days until then.
    """

    status: PaymentStatus | None = None  # None: the order was not known
    amount_minor: int = 0
    net_minor: int = 0  # payments without refunds, as the order counts them
    refunded_minor: int = 0
    credited_known_minor: int = 0  # by postings, refunds counted negative
    refunds_known_minor: int = 0  # that postings show
    is_marked_paid: bool = False
    journal_minor: int = 0  # on its debtor
    booked_later_minor: int = 0  # on its debtor after the day, for earlier days
    sold_minor: int = 0
    credited_minor: int = 0
    set_paid_minor: int = 0
    has_other_currency: bool = False

    @property
    def cost_minor(self) -> int:
        """The order's amount: 0 once it is cancelled or removed, or while it is not known."""
        is_void = self.status in (None, PaymentStatus.CANCELLED, PaymentStatus.DISAPPEARED)
        return 0 if is_void else self.amount_minor

    @property
    def open_minor(self) -> int:
        """The figure of the report `open`."""
        return max(self.amount_minor - self.net_minor, 0) if self.status in AWAITING_MONEY else 0

    @property
    def overpaid_minor(self) -> int:
        """The figure of the report `overpaid`."""
        due = 0 if self.status is PaymentStatus.CANCELLED else max(self.amount_minor, 0)
        return max(self.net_minor - due, 0)


def reconcile(order: OrderReckoning) -> dict[ReconciliationLine, int]:
    """Line -> amount of the order, signed so that the lines add up; lines of 0 are left out.

    The difference of an order in two currencies has its own line; everything else is `DIFFERENCE`.
    """
    found = {
        ReconciliationLine.DEBTORS: order.journal_minor,
        ReconciliationLine.OPEN: order.open_minor,
        ReconciliationLine.OVERPAID: -order.overpaid_minor,
        ReconciliationLine.LATE_STATEMENTS: order.credited_known_minor - order.credited_minor,
        ReconciliationLine.BOOKED_LATER: -order.booked_later_minor,
        ReconciliationLine.LATE_ORDERS: order.sold_minor - order.cost_minor,
        ReconciliationLine.REFUNDS_UNDER_WAY: order.refunds_known_minor - order.refunded_minor,
    }
    for line, minor in _not_open(order).items():
        found[line] = found.get(line, 0) + minor
    rest = order.journal_minor - sum(minor for line, minor in found.items() if line is not ReconciliationLine.DEBTORS)
    found[ReconciliationLine.OTHER_CURRENCY if order.has_other_currency else ReconciliationLine.DIFFERENCE] = rest
    return {line: minor for line, minor in found.items() if minor}


def _not_open(order: OrderReckoning) -> dict[ReconciliationLine, int]:
    """The order's remaining debt by its amounts, although no report lists it; less booked set-paid amounts."""
    owed = order.cost_minor - order.net_minor - order.open_minor + order.overpaid_minor
    match order.status:
        case PaymentStatus.REFUNDED | PaymentStatus.REFUNDED_PARTIAL:
            return {ReconciliationLine.NO_CREDIT_NOTE: owed, ReconciliationLine.SET_PAID: -order.set_paid_minor}
        case PaymentStatus.LEGACY:
            return {ReconciliationLine.LEFT_OUT: owed, ReconciliationLine.SET_PAID: -order.set_paid_minor}
        case PaymentStatus.DISAPPEARED:
            return {ReconciliationLine.REMOVED: owed, ReconciliationLine.SET_PAID: -order.set_paid_minor}
        case PaymentStatus.CANCELLED:
            return {ReconciliationLine.PAID_OUT: owed, ReconciliationLine.SET_PAID: -order.set_paid_minor}
        case PaymentStatus.PAID if owed < 0:
            return {ReconciliationLine.BELOW_NOTHING: owed, ReconciliationLine.SET_PAID: -order.set_paid_minor}
        case PaymentStatus.PAID:
            left = owed - order.set_paid_minor
            if order.refunded_minor:
                return {ReconciliationLine.NO_CREDIT_NOTE: left}
            return {ReconciliationLine.SET_PAID if order.is_marked_paid else ReconciliationLine.TOLERANCE: left}
    return {ReconciliationLine.SET_PAID: -order.set_paid_minor}
