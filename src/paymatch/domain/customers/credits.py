"""Credit balances: what a customer paid too much and left for the next order; income and losses beside them (D-87)."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Final

from paymatch.domain.refusal import Refused


class AdjustmentKind(StrEnum):
    """Why an order is credited more or less than its payments say."""

    KEPT = "kept"  # overpaid, and kept as the customer's credit: the order is credited less
    USED = "used"  # the customer's credit pays the order; less than nothing where that is undone
    RETURNED = "returned"  # kept credit goes back to its order: a payment was undone, or it is refunded after all
    INCOME = "income"  # overpaid, and booked as income
    LOSS = "loss"  # more went out than came in, and is not asked back


OF_CREDIT: Final = frozenset({AdjustmentKind.KEPT, AdjustmentKind.USED, AdjustmentKind.RETURNED})
"""Kinds that move a customer's credit: its balance is what they took from orders, less what they gave to them."""


class CreditRefused(Refused):
    """The credit cannot be kept, used or given back as it was asked for."""


def customer_key(customer_number: str, email: str, order_number: str) -> str:
    """What tells a customer's credit from others': the customer's number, else the e-mail address, else the order.

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
    """How much of an order's kept credit goes back to it once its payments no longer cover it, in minor units.

    No more than the order lacks, than was kept of it, and than the customer's credit still holds.
    """
    return max(min(due_minor - credited_minor, kept_minor, balance_minor), 0)
