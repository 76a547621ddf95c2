"""The part of an order's payments that pays its reminder fees, and interest and lump sum of its collection (D-97).

Any surplus over the order, up to what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class DemandedFee:
    """The fee of a reminder that was sent, or a case's claims beside the order; minor units of its currency."""

    sent_date: date
    minor: int


def claimed_beside(fees: Sequence[DemandedFee], interest_minor: int, lump_minor: int) -> int:
    """What collection claims beside the order and these fees of reminders, in minor units.

    The fees are set against the lump sum (BGB section 288, paragraph 5).
    """
    return interest_minor + max(lump_minor - sum(fee.minor for fee in fees), 0)


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


@dataclass(frozen=True, slots=True)
class OrderToPay:
    """What an order takes before its fees; minor units of its currency."""

    due_minor: int
    adjusted_minor: int = 0  # credit that pays it, less what was kept of it as credit or income (D-87)
    refunded_minor: int = 0

    @property
    def wanted_minor(self) -> int:
        """What its payments must come to before they pay fees."""
        return max(max(self.due_minor, 0) - self.adjusted_minor, 0)


def reminder_fee_parts(
    order: OrderToPay, demanded: Sequence[DemandedFee], parts: Sequence[CreditedPart]
) -> Iterator[tuple[str, int]]:
    """(posting, its part that pays reminder fees) for each part, in the order of their days.

    First the order is paid, then the fees of the reminders that were sent until the payment was booked. Any surplus
    remains the customer's. A payment that the bank reverses also reverses its fees, and so does a refund of them.
    """
    paid_minor = credited_fees = 0
    found: list[tuple[str, int]] = []
    for part in sorted(parts, key=lambda each: (each.booking_date, each.posting_id)):
        paid_minor += part.minor
        asked = sum(fee.minor for fee in demanded if fee.sent_date <= part.booking_date)
        wanted = min(asked, max(paid_minor - order.wanted_minor, 0)) - credited_fees
        fee = min(max(wanted, 0), part.minor) if part.minor > 0 else max(min(wanted, 0), part.minor)
        if not part.can_hold_fees:
            fee = 0
        credited_fees += fee
        found.append((part.posting_id, fee))
    yield from _less(found, credited_fees - _left_for_fees(order, paid_minor, credited_fees))


def _left_for_fees(order: OrderToPay, paid_minor: int, fees_minor: int) -> int:
    """How much of the paid fees remains after the refunds.

    Refunds that leave the order paid are of what was paid on top, so of the fees, too. Other refunds are of the order:
    they reach its fees last.
    """
    left_minor = paid_minor - order.refunded_minor
    above_minor = left_minor - order.wanted_minor
    return min(fees_minor, above_minor if above_minor >= 0 else max(left_minor, 0))


def _less(fees: Sequence[tuple[str, int]], minor: int) -> list[tuple[str, int]]:
    """The fees without this much of the latest ones."""
    found = list(fees)
    for place in range(len(found) - 1, -1, -1):
        posting, fee = found[place]
        taken = min(max(fee, 0), max(minor, 0))
        found[place], minor = (posting, fee - taken), minor - taken
    return found
