"""Options for money that was paid too much."""

from __future__ import annotations

from enum import StrEnum


class OverpaymentAdvice(StrEnum):
    """What a person does next with an overpaid order."""

    WAIT = "refund-planned"  # a refund of it all is planned or with the bank
    MOVE = "move"  # the customer has another order that is open
    KEEP = "keep"  # less than the shop lets pass
    REFUND = "refund"


def advice(overpaid_minor: int, planned_minor: int, tolerance_minor: int, *, other_order: bool) -> OverpaymentAdvice:
    """What to do about an overpayment; amounts in minor units of the order's currency."""
    if planned_minor >= overpaid_minor:
        return OverpaymentAdvice.WAIT
    if other_order:
        return OverpaymentAdvice.MOVE
    return OverpaymentAdvice.KEEP if overpaid_minor <= tolerance_minor else OverpaymentAdvice.REFUND
