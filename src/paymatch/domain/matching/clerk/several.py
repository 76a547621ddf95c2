"""Rules for a posting that is explained by several orders."""

from __future__ import annotations

from typing import Final

from paymatch.domain.matching.catalogue import SUM_EXACT
from paymatch.domain.matching.clerk.case import Case, clerk_rule
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.text.names import Likeness
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message

_PROVES: Final = 8.0
"""The weight of a number that is not another one by chance: five digits, or fewer after a word for an order."""


@clerk_rule("several open orders of the payer add up, and nothing names them", Witness.PAYER, "sum-fits-unnamed")
def sum_fits_unnamed(_case: Case) -> str:
    return Message("sum-fits-unnamed")


@clerk_rule(
    "the orders named do not add up, or what was kept of them is not known of this payer",
    Witness.PERSON,
    "several-do-not-add-up",
)
def doubtful_sum(case: Case) -> str:
    return "" if case.best.certain else case.best.doubt or Message("several-do-not-add-up")


@clerk_rule(
    "a stranger's order is among them, and the payer has an open one of the same amount", Witness.PERSON, "swappable"
)
def swappable(case: Case) -> str:
    for candidate, share in case.best.parts:
        if candidate.likeness <= Likeness.OTHER and _is_swappable(case, candidate, share):
            return Message("swappable", order=candidate.order.number)
    return ""


def _is_swappable(case: Case, candidate: Candidate, share: int) -> bool:
    taken = case.best.orders
    return any(
        other.order.number not in taken
        and other.order.state is OrderState.OPEN
        and other.order.open == share
        and other.likeness >= Likeness.CLOSE
        for other in case.candidates
    )


@clerk_rule(
    "they are of several customers, the payer is none of them and passes on no money, and number and sum prove nothing",
    Witness.PERSON,
    "different-customers",
)
def different_customers(case: Case) -> str:
    parts = [candidate for candidate, _ in case.best.parts]
    likeness = max(candidate.likeness for candidate in parts)
    passed_on = case.view.collective or case.best.is_payout
    if likeness < Likeness.SURNAME and len({c.order.customer for c in parts}) > 1 and not passed_on:
        return "" if _is_proved(case) else Message("different-customers")
    return ""


def _is_proved(case: Case) -> bool:
    """Whether each order is written in full and all add up to the cent, as a group's or an employer's list does.

    A stranger who names one order and pays exactly its amount is believed, too.
    """
    exact = any(reason.kind is SUM_EXACT for reason in case.best.reasons) and not case.best.fees
    return exact and not case.is_no_payment and all(c.number_weight >= _PROVES for c, _ in case.best.parts)
