"""A payment deferred too long is a consumer credit in the European Union (Directive (EU) 2023/2225, article 2).

A deferral by the seller itself, free of interest and charges, is exempt if it ends within 50 days of delivery, or
within 14 if the seller is larger than a medium-sized enterprise and sells online (D-131).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.domain.countries import EEA

SINCE: Final = date(2026, 11, 20)
FREE_DAYS: Final = 50
FREE_DAYS_OF_LARGE_SELLERS: Final = 14

COUNTRIES: Final = EEA - {"IS", "LI", "NO"}
"""The customer's countries: the member states. The directive has no effect in the rest of the EEA yet."""


@dataclass(frozen=True, slots=True)
class PutOffPayment:
    """An order and its due date. `country` is the customer's, "" if the order names none."""

    order_number: str
    order_date: date
    due_date: date
    country: str
    is_business: bool

    @property
    def days(self) -> int:
        """From order to due date. Delivery is later by an unknown transit time."""
        return (self.due_date - self.order_date).days


def free_days(*, is_large_seller: bool) -> int:
    """How long a seller may defer payment."""
    return FREE_DAYS_OF_LARGE_SELLERS if is_large_seller else FREE_DAYS


def is_consumer_credit(payment: PutOffPayment, free: int) -> bool:
    """Whether the order's term makes it a consumer credit."""
    is_covered = payment.country in COUNTRIES and not payment.is_business and payment.order_date >= SINCE
    return is_covered and payment.days > free
