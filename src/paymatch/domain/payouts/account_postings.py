"""How a movement is booked on the account of its provider: as one posting, or as two with a separate fee (D-36)."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.domain.payouts.movements import OF_ORDERS, Movement, MovementKind


@dataclass(frozen=True, slots=True)
class AccountPart:
    """A posting on the provider's account: `amount = credited - withheld`, where it is of an order."""

    amount_minor: int
    withheld_minor: int = 0  # has the sign of the amount, or is 0
    is_of_order: bool = False  # False: a posting of the provider itself
    is_payout: bool = False

    @property
    def credited_minor(self) -> int:
        """The order's credit, below 0 for a loss."""
        return self.amount_minor + self.withheld_minor if self.is_of_order else 0


def parts_of(movement: Movement) -> tuple[AccountPart, ...]:
    """The postings of a movement; they add up to its net amount, to 0 for an amount that is only carried over.

    A fee is withheld from the payment that it lowers. The fee of a chargeback is added to the reversed amount: it is a
    posting of the provider, and so is a fee that leaves nothing of the payment.
    """
    gross, fee, net = movement.gross_minor, movement.fee_minor, movement.net_minor
    parts: tuple[AccountPart, ...]
    if movement.kind is MovementKind.CARRIED_OVER:
        parts = ()  # already moved by another period
    elif movement.kind is MovementKind.PAYOUT:
        parts = (AccountPart(gross, is_payout=True), AccountPart(-fee))
    elif movement.kind not in OF_ORDERS:
        parts = (AccountPart(net),)
    elif fee and (net > 0) == (fee > 0) == (gross > 0) and net:
        parts = (AccountPart(net, fee, is_of_order=True),)
    else:
        parts = (AccountPart(gross, is_of_order=True), AccountPart(-fee))
    return tuple(part for part in parts if part.amount_minor)
