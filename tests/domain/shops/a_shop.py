"""A shop as it is on its first day, with what a test changes of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from paymatch.domain.shops.shop import (
    KEEP_MAIL_DAYS,
    REFUND_DAY_LIMIT_MINOR,
    REFUND_FOUR_EYES_MINOR,
    REFUND_LIMIT_MINOR,
    Access,
    Shop,
    ShopStatus,
)


def a_shop(**changed: Any) -> Shop:
    """The shop, in Berlin; nothing is sent."""
    usual: dict[str, Any] = {
        "id": UUID(int=7), "name": "Lampenladen", "status": ShopStatus.ACTIVE, "api": True,
        "access": Access.READ_WRITE, "currency": "EUR", "country": "DE", "timezone": "Europe/Berlin",
        "language": "de", "holder": "Lampenladen GmbH", "sandbox": False, "sandbox_now": None,
        "sandbox_stands": False, "letters": False, "accounts_locked": False, "caution": "usual", "learning": True,
        "tolerance_minor": 0, "fee_tolerance_minor": 0, "discount_basis_points": 0, "callbacks": False,
        "callback_url": "", "callback_ports": (), "callback_grace_seconds": 0, "refund_runs": False,
        "reminders": False, "payment_information": False, "keep_mail_days": KEEP_MAIL_DAYS, "statements_api": False,
        "refund_limit_minor": REFUND_LIMIT_MINOR, "refund_day_limit_minor": REFUND_DAY_LIMIT_MINOR,
        "refund_four_eyes_minor": REFUND_FOUR_EYES_MINOR,
    }  # fmt: skip
    return Shop(**usual | changed)
