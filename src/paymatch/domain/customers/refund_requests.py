"""When a customer is asked for the bank details of a refund: at once, and after 3, 10 and 30 days (D-5, D-51)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.refunds.refunds import RefundStatus

REMINDED_AFTER_DAYS: Final = (3, 10, 30)
"""Days from the first mail to each reminder of it."""

GIVEN_UP_AFTER_DAYS: Final = 37
"""Days from the first mail until a person must look: a week after the last reminder."""

ACCOUNT_REASONS: Final = frozenset(
    {"AC01", "AC03", "AC04", "AC06", "AC07", "AC12", "AC14", "AG01", "BE01", "RC01", "RC04"}
)
"""ISO 20022 external reason codes for what a bank reports: the payee's account is wrong, closed or takes no money."""


def wants_details(status: RefundStatus, bank_code: str) -> bool:
    """Whether the refund waits for bank details from the customer (D-4)."""
    if status is RefundStatus.BANKDETAILS_MISSING:
        return True
    return status in (RefundStatus.RETURNED, RefundStatus.ERROR) and bank_code in ACCOUNT_REASONS


def asked_again_at(first_at: datetime, place: int) -> datetime:
    """When the mail after the one at this place (0 is the first) is due, or a person must look."""
    days = (*REMINDED_AFTER_DAYS, GIVEN_UP_AFTER_DAYS)[place]
    return first_at + timedelta(days=days)


def is_given_up(place: int) -> bool:
    """Whether no mail follows at this place: all reminders were sent."""
    return place > len(REMINDED_AFTER_DAYS)
