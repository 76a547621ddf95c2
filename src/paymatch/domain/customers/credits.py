"""Credit balances: overpayments that customers leave for the next order; also income and losses (D-87)."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Final

from paymatch.domain.refusal import Refused


class AdjustmentKind(StrEnum):
    """Why an order is credited more or less than its payments say."""

    KEPT = "kept"  # overpaid, and kept as the customer's credit: the order is credited less
    USED = "used"  # the customer's credit pays the order; less than nothing where that is undone
    RETURNED = "returned"  # kept credit goes back to its order: it lost a payment, or is refunded; below 0: undone
    INCOME = "income"  # overpaid, and booked as income
    LOSS = "loss"  # more was paid out than came in, and is not claimed back


OF_CREDIT: Final = frozenset({AdjustmentKind.KEPT, AdjustmentKind.USED, AdjustmentKind.RETURNED})
"""Kinds that move a customer's credit: its balance is the sum taken from orders less the sum given to them."""


class CreditRefused(Refused):
    """The credit cannot be kept, used or returned as requested."""


def customer_key(customer_number: str, email: str, order_number: str) -> str:
    """The identity of a customer's credit: the customer's number, else the e-mail address, else the order.

    A digest, because the entries outlive the customer's data (D-63).
    """
    if customer_number.strip():
        said = f"number {customer_number.strip()}"
    elif email.strip():
        said = f"mail {email.strip().lower()}"
    else:
        said = f"order {order_number}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def to_return(due_minor: int, credited_minor: int, kept_minor: int, balance_minor: int) -> int:
    """How much of an order's kept credit returns to it once its payments no longer cover it, in minor units.

    At most what the order lacks, what was kept of it, and what is left of the customer's credit.
    """
    return max(min(due_minor - credited_minor, kept_minor, balance_minor), 0)


def to_keep_again(due_minor: int, credited_minor: int, returned_minor: int, planned_minor: int) -> int:
    """How much credit that returned to an order for a lost payment is credit again once a payment came, in minor units.

    At most what has returned for that reason, and what the order has beyond its due amount and planned refunds.
    """
    return max(min(credited_minor - due_minor - planned_minor, returned_minor), 0)
