"""Payment that is put off too long is a consumer credit in the European Union (Directive (EU) 2023/2225, article 2).

What a seller grants a consumer itself, free of interest and charges, is none if it is paid within 50 days of delivery,
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
"""Where the customer lives: the member states. The directive is of no effect in the rest of the EEA yet."""


@dataclass(frozen=True, slots=True)
class PutOffPayment:
    """An order and when it is due. `country` is the customer's, "" if the order does not say."""

    order_number: str
    order_date: date
    due_date: date
    country: str
    is_business: bool

    @property
    def days(self) -> int:
        """From order to due date. Delivery is later by its time on the way, which nobody tells us."""
        return (self.due_date - self.order_date).days


def free_days(*, is_large_seller: bool) -> int:
    """For how long a seller may put payment off."""
    return FREE_DAYS_OF_LARGE_SELLERS if is_large_seller else FREE_DAYS


def is_consumer_credit(payment: PutOffPayment, free: int) -> bool:
    """Whether the order's term makes it a consumer credit."""
    is_covered = payment.country in COUNTRIES and not payment.is_business and payment.order_date >= SINCE
    return is_covered and payment.days > free
