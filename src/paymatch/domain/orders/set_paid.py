"""Amounts of orders that were set paid without money, and the accounts that they are booked on (D-98)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from paymatch.domain.orders.settlement import Ledger, Mark


class SetPaidAccount(StrEnum):
    """How the order was paid, if not by a posting."""

    CASH = "CASH"
    VOUCHER = "VOUCHER"
    OTHER = "OTHER"  # a clearing account


def set_paid_minor(ledger: Ledger, mark: Mark | None) -> int:
    """What the order owed when it was set paid, less what postings have paid since; minor units of its currency."""
    return max(ledger.due_minor - max(ledger.paid_minor, 0), 0) if mark is Mark.PAID else 0


def set_paid_changes(
    wanted_minor: int, booked: Mapping[SetPaidAccount, int], chosen: SetPaidAccount
) -> dict[SetPaidAccount, int]:
    """What is booked more or less on which account: more on the chosen one, less where something is booked."""
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
