"""Payment status: one pure function of the ledger, the amount due and the mark of the order (D-1 to D-3, D-98)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class PaymentStatus(StrEnum):
    UNPAID = "UNPAID"
    PAID = "PAID"
    PAID_PARTIAL = "PAID_PARTIAL"
    CANCELLED = "CANCELLED"
    REFUNDED = "REFUNDED"
    REFUNDED_PARTIAL = "REFUNDED_PARTIAL"
    LEGACY = "LEGACY"
    DISAPPEARED = "DISAPPEARED"
    COLLECTION = "COLLECTION"


class Mark(StrEnum):
    """A mark that a person, the shop or an agency has set on the order; only the latest counts."""

    PAID = "PAID"  # POST /order/{orderNumber}/setpaid
    CANCELLED = "CANCELLED"  # POST /order/{orderNumber}/cancel
    DISAPPEARED = "DISAPPEARED"  # POST /order/remove/{orderNumber}
    LEGACY = "LEGACY"  # left out of POST /ordersync (D-6)
    COLLECTION = "COLLECTION"  # handed over to an agency


@dataclass(frozen=True, slots=True)
class Ledger:
    """The books' figures of one order, all in minor units of its currency."""

    due_minor: int
    paid_minor: int  # credits of allocations, returned ones counted negative (D-36), and adjustments (D-87)
    refunded_minor: int  # sum of the processed refunds
    tolerance_minor: int = 0  # the shop's

    @property
    def net_minor(self) -> int:
        """The API's amountPaid: sum of postings minus sum of refunds."""
        return self.paid_minor - self.refunded_minor


OPEN_STATUSES = frozenset({PaymentStatus.UNPAID, PaymentStatus.PAID_PARTIAL})
"""Orders that still wait for money (D-6)."""

AWAITING_MONEY = OPEN_STATUSES | {PaymentStatus.COLLECTION}
"""Orders that a payment may still belong to."""

_BY_MARK = {
    Mark.PAID: PaymentStatus.PAID,  # docs/api.md, States: setpaid
    Mark.CANCELLED: PaymentStatus.CANCELLED,  # docs/api.md, States: cancel
    Mark.DISAPPEARED: PaymentStatus.DISAPPEARED,  # docs/api.md, States: remove
    Mark.LEGACY: PaymentStatus.LEGACY,  # D-6
}


def payment_status(ledger: Ledger, mark: Mark | None) -> PaymentStatus:
    """The order's paymentStatus (D-1 to D-3)."""
    if mark is not None and mark is not Mark.COLLECTION:
        return _BY_MARK[mark]
    computed = _by_ledger(ledger)
    # An order in collection leaves it only by being settled; a part payment changes its amounts, not its state (D-1).
    if mark is Mark.COLLECTION and computed in OPEN_STATUSES:
        return PaymentStatus.COLLECTION
    return computed


def _by_ledger(ledger: Ledger) -> PaymentStatus:
    if ledger.refunded_minor > 0:
        if ledger.net_minor <= 0:
            return PaymentStatus.REFUNDED  # D-3: the refunds reach what was paid
        if not _is_covered(ledger):
            return PaymentStatus.REFUNDED_PARTIAL  # D-3
    if _is_covered(ledger):
        return PaymentStatus.PAID  # D-2; refunding a pure overpayment leaves PAID (D-3)
    return PaymentStatus.PAID_PARTIAL if ledger.net_minor > 0 else PaymentStatus.UNPAID  # D-2


def _is_covered(ledger: Ledger) -> bool:
    """Nothing due, or paid up to the tolerance. Tolerance alone never makes an order paid: some money is needed."""
    if ledger.due_minor <= 0:
        return True
    return ledger.net_minor > 0 and ledger.net_minor >= ledger.due_minor - ledger.tolerance_minor


def open_minor(ledger: Ledger) -> int:
    """The amount still to be paid; negative when overpaid. In minor units of the order's currency."""
    return ledger.due_minor - ledger.net_minor


class SetPaidAccount(StrEnum):
    """How the order was paid, if not by a posting."""

    CASH = "CASH"
    VOUCHER = "VOUCHER"
    OTHER = "OTHER"  # a clearing account


def set_paid_minor(ledger: Ledger, mark: Mark | None) -> int:
    """The amount owed when the order was set paid, less payments since by postings; minor units of its currency."""
    return max(ledger.due_minor - max(ledger.paid_minor, 0), 0) if mark is Mark.PAID else 0


def set_paid_changes(
    wanted_minor: int, booked: Mapping[SetPaidAccount, int], chosen: SetPaidAccount
) -> dict[SetPaidAccount, int]:
    """Changes in booked amounts per account: more on the chosen one, less where something is booked."""
    missing = wanted_minor - sum(booked.values())
    if missing >= 0:
        return {chosen: missing} if missing else {}
    found = {}
    for account in sorted(booked, key=lambda each: each is chosen):
        less = min(max(booked[account], 0), -missing)
        if less:
            found[account] = -less
            missing += less
    return found
