"""Options for overpaid money."""

from __future__ import annotations

from enum import StrEnum


class OverpaymentAdvice(StrEnum):
    """A person's next step for an overpaid order."""

    WAIT = "refund-planned"  # a refund of it all is planned or with the bank
    MOVE = "move"  # the customer has another order that is open
    KEEP = "keep"  # below the shop's limit
    REFUND = "refund"


def advice(overpaid_minor: int, planned_minor: int, tolerance_minor: int, *, other_order: bool) -> OverpaymentAdvice:
    """The next step for an overpayment; amounts in minor units of the order's currency."""
    if planned_minor >= overpaid_minor:
        return OverpaymentAdvice.WAIT
    if other_order:
        return OverpaymentAdvice.MOVE
    return OverpaymentAdvice.KEEP if overpaid_minor <= tolerance_minor else OverpaymentAdvice.REFUND
