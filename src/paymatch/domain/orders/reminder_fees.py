"""The part of an order's payments that pays its reminder fees (D-97): any surplus over the order, up to the fees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class DemandedFee:
    """The fee of a reminder that was sent; minor units of the order's currency."""

    sent_date: date
    minor: int


@dataclass(frozen=True, slots=True)
class CreditedPart:
    """The amount that a posting brings an order, negative if the bank reversed it; minor units of the order's currency.

    `can_hold_fees` is false where a payer has withheld a fee of its own, or the posting is in another currency.
    """

    posting_id: str
    booking_date: date
    minor: int
    can_hold_fees: bool
    fee_minor: int = 0  # of reminders, as it is stored


def reminder_fee_parts(
    due_minor: int, demanded: Sequence[DemandedFee], parts: Sequence[CreditedPart]
) -> Iterator[tuple[str, int]]:
    """(posting, its part that pays reminder fees) for each part, in the order of their days.

    First the order is paid, then the fees of the reminders that were sent until the payment was booked. Any surplus
    remains the customer's. A payment that the bank reverses also reverses its fees.
    """
    paid_minor = credited_fees = 0
    for part in sorted(parts, key=lambda each: (each.booking_date, each.posting_id)):
        paid_minor += part.minor
        asked = sum(fee.minor for fee in demanded if fee.sent_date <= part.booking_date)
        wanted = min(asked, max(paid_minor - max(due_minor, 0), 0)) - credited_fees
        fee = min(max(wanted, 0), part.minor) if part.minor > 0 else max(min(wanted, 0), part.minor)
        if not part.can_hold_fees:
            fee = 0
        credited_fees += fee
        yield part.posting_id, fee
