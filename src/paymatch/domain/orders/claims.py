"""Claims on collective payers: unexplained parts of a payout, and unpaid cash-on-delivery orders.

A carrier pays the money of many parcels at once, less a fee. No one else sees what it forgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from paymatch.domain.orders.fees import FeeKind, is_usual


@dataclass(frozen=True, slots=True)
class PaidOut:
    """An order as a payout lists it, with its actual or possible credit; in minor units of the payout's currency."""

    number: str
    amount_minor: int
    shipping_numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectiveSum:
    """Money of a collective payer. Amounts in minor units.

    `withheld_minor` is the fee that it kept (D-36); None for a mere proposal.
    """

    posting: str
    booked: date
    payer: str
    amount_minor: int
    currency: str
    orders: tuple[PaidOut, ...] = ()
    unknown_numbers: tuple[str, ...] = ()  # listed in the text, but not an order's
    withheld_minor: int | None = None
    fee_kind: FeeKind = FeeKind.DELIVERY_FEE

    @property
    def decided(self) -> bool:
        """False for a mere proposal."""
        return self.withheld_minor is not None


@dataclass(frozen=True, slots=True)
class ExplainedPayout:
    """A payout compared with its orders: gross - fee - missing + unexplained = amount."""

    gross_minor: int
    fee_minor: int  # kept by the payer, or a plausible fee
    missing_minor: int  # more than a fee is missing: to be claimed
    unexplained_minor: int  # paid, but no order explains it


@dataclass(frozen=True, slots=True)
class Shipped:
    """An order on delivery that is not paid; `shipped` is its due date, or else the day of its order."""

    number: str
    shipping_numbers: tuple[str, ...]
    ordered: date
    shipped: date
    open_minor: int
    currency: str


@dataclass(frozen=True, slots=True)
class PayoutClaim:
    """An order that its carrier should have paid out; `payer` is empty if no payout shows whose number it is."""

    order: Shipped
    days_waiting: int
    payer: str = ""
    last_payout: date | None = None


def explain_payout(payout: CollectiveSum, unit: int) -> ExplainedPayout:
    """The explanation of the payout's amount; `unit` is the number of minor units in one of its currency."""
    gross = sum(order.amount_minor for order in payout.orders)
    if payout.withheld_minor is not None:
        return ExplainedPayout(gross, payout.withheld_minor, 0, payout.amount_minor - gross + payout.withheld_minor)
    short = gross - payout.amount_minor
    if short <= 0 or not payout.orders:
        return ExplainedPayout(gross, 0, 0, max(0, -short))
    usual = is_usual(payout.fee_kind, gross, len(payout.orders), short, unit)
    return ExplainedPayout(gross, short, 0, 0) if usual else ExplainedPayout(gross, 0, short, 0)


def shape(number: str) -> str:
    """The shape of a tracking number: capitals unchanged, digits by their count (`RR469802356DE` is `RR9DE`)."""
    parts: list[str | int] = []
    for character in number.upper():
        if character.isdigit():
            if parts and isinstance(parts[-1], int):
                parts[-1] += 1
            else:
                parts.append(1)
        elif character.isalpha():
            parts.append(character)
    return "".join(map(str, parts))


def claims(
    orders: Sequence[Shipped], payouts: Sequence[CollectiveSum], today: date, min_days: int
) -> list[PayoutClaim]:
    """Orders that wait for at least `min_days` since they were shipped, the longest wait first.

    The carrier is known by the shape of the tracking number: the payer of the last payout with such numbers.
    """
    payers = _payers(payouts)
    last: dict[str, date] = {}
    for payout in payouts:
        last[payout.payer] = max(payout.booked, last.get(payout.payer, payout.booked))
    found: list[PayoutClaim] = []
    for order in orders:
        waiting = (today - order.shipped).days
        if waiting < min_days or order.open_minor <= 0:
            continue
        payer = next((payers[s] for s in map(shape, order.shipping_numbers) if s in payers), "")
        found.append(PayoutClaim(order, waiting, payer, last.get(payer)))
    return sorted(found, key=lambda claim: (-claim.days_waiting, claim.order.number))


def _payers(payouts: Sequence[CollectiveSum]) -> Mapping[str, str]:
    """Shape of a tracking number -> who paid out such numbers last; proposed payouts do not count."""
    found: dict[str, str] = {}
    for payout in sorted(payouts, key=lambda p: (p.booked, p.posting)):
        if payout.decided:
            for order in payout.orders:
                found.update((shape(number), payout.payer) for number in order.shipping_numbers)
    return found
