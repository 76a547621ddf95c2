"""Notices of customers on their order's page: that they have paid, or that the order is not theirs."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

PAID_PAUSE: Final = timedelta(days=5)
"""How long reminders pause after a customer says that the payment was made: a transfer and a weekend."""


class NoticeKind(StrEnum):
    """What was said."""

    PAID = "paid"
    WRONG_PERSON = "wrong-person"


def pause_ends(said_at: datetime) -> datetime:
    """Until when reminders wait for a payment that the customer says was made."""
    return said_at + PAID_PAUSE
