"""What is known of a customer from earlier orders: name and address of the latest one, and the usual time to pay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any, Final

import msgspec

from paymatch.store.orders import order_notes
from paymatch.store.search import shown
from paymatch.store.search.shown import FoundCustomer
from paymatch.store.transactions import ShopTx
from paymatch.usecases.search import finding

_MOST_PAID: Final = 24
"""Paid orders that the usual time is computed of: older ones say little of today."""
_MOST_FOUND: Final = 20
_DECODE: Final = msgspec.json.Decoder(float_hook=str).decode


@dataclass(frozen=True, slots=True)
class PaymentHabit:
    """How a customer pays: the median of the latest paid orders.

    `days` are from the order to its last payment. `days_late` are from the due date to it, below 0 if it came
    before; None where no paid order has a due date of its own.
    """

    paid_orders: int
    days: int
    days_late: int | None


@dataclass(frozen=True, slots=True)
class KnownCustomer:
    """A customer with earlier orders; `latest` is the document of the latest one, `habit` None before a paid one."""

    found: FoundCustomer
    latest: Mapping[str, Any]
    habit: PaymentHabit | None


def known_customer(tx: ShopTx, number: str, email: str) -> KnownCustomer | None:
    """The customer with this number, else the only one with this e-mail address; None if there is none."""
    if typed := number.strip():
        customers = [each for each in shown.customers(tx, [typed]) if each.number == typed]
    elif "@" in email:
        address = email.strip().lower()
        customers = [each for each in finding.find(tx, address, _MOST_FOUND).customers if each.email.lower() == address]
    else:
        return None
    if len(customers) != 1:
        return None
    (found,) = customers
    document = order_notes.documents(tx, [found.latest])[found.latest]
    return KnownCustomer(found, _DECODE(document), _habit(shown.days_of_payments(tx, found.id, _MOST_PAID)))


def _habit(paid: Sequence[tuple[int, int | None]]) -> PaymentHabit | None:
    if not paid:
        return None
    late = [days for _days, days in paid if days is not None]
    return PaymentHabit(len(paid), max(median_low(days for days, _late in paid), 0), median_low(late) if late else None)
