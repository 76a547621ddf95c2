"""A way to explain a posting: the orders that it pays, the withheld amounts, and the form of the proposal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.matching.catalogue import (
    AMOUNT_CASH_DISCOUNT,
    AMOUNT_CASH_DISCOUNT_SAID,
    AMOUNT_CENTS,
    AMOUNT_CHARGES,
    AMOUNT_CHARGES_HIGH,
    AMOUNT_DISCOUNT_OFFERED,
    AMOUNT_FEE,
    AMOUNT_FEE_TOLERANCE,
    AMOUNT_FEE_TOLERANCE_CENTS,
    AMOUNT_KEPT,
    AMOUNT_KEPT_IN_DOUBT,
    AMOUNT_SHORT,
    Family,
    Reason,
)
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.families.amount_finder import AmountFinder
from paymatch.domain.matching.model import AllocationProposal, Decision, OrderState, Proposal
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.names import Likeness
from paymatch.domain.matching.weigh.amounts import charges_of, in_order_currency, is_cash_discount
from paymatch.domain.orders.fees import PAYOUT_FEES, FeeKind
from paymatch.domain.witnesses import Witness, may_lower_claim
from paymatch.domain.words.message import Message, Percentage

NAMED_BY: Final = frozenset({Family.NAME, Family.ACCOUNT})
"""Evidence that identifies the payer."""
_STATED: Final = (AMOUNT_CHARGES, AMOUNT_CHARGES_HIGH)
_CHARGED: Final = (AMOUNT_FEE, AMOUNT_FEE_TOLERANCE, AMOUNT_FEE_TOLERANCE_CENTS, AMOUNT_SHORT)
_BORNE: Final = (AMOUNT_CENTS, AMOUNT_CASH_DISCOUNT)
"""Amounts within the shop's fee tolerance that are not a granted cash discount."""
WITHHOLDS: Final = {
    AMOUNT_KEPT: Witness.PERSON,  # who has confirmed the payer's tariff
    AMOUNT_KEPT_IN_DOUBT: Witness.PERSON,  # who confirms this proposal
    AMOUNT_CHARGES: Witness.BANK,
    AMOUNT_CHARGES_HIGH: Witness.PERSON,
    **dict.fromkeys((*_CHARGED, *_BORNE), Witness.PERSON),  # who has set the shop's fee tolerance
    AMOUNT_CASH_DISCOUNT: Witness.PERSON,  # who has set the cash discount that the shop grants
    AMOUNT_CASH_DISCOUNT_SAID: Witness.PERSON,
    AMOUNT_DISCOUNT_OFFERED: Witness.MERCHANT,  # whose invoice states it
}
"""Amount evidence that counts a part as withheld, and the witness whose word it needs (D-80)."""
assert all(map(may_lower_claim, WITHHOLDS.values())), "a payer's or customer's word never withholds money"
Part = tuple[Candidate, int]
"""An order with its part of the posting's money, in the posting's currency."""


class Hypothesis:
    """A way to explain a posting. `fees` are parallel to `parts`: the amounts withheld; empty if nothing was."""

    __slots__ = (
        "certain",
        "code",
        "doubt",
        "fee_kind",
        "fees",
        "is_payout",
        "parts",
        "probability",
        "reasons",
        "score",
    )

    def __init__(
        self,
        code: str,
        parts: list[Part],
        score: float,
        reasons: list[Reason],
        fees: tuple[int, ...] = (),
        fee_kind: FeeKind | None = None,
    ) -> None:
        self.code = code
        self.parts = parts
        self.score = score
        self.reasons = reasons
        self.fees = fees
        self.fee_kind = fee_kind
        self.certain = False
        self.is_payout = False  # of a payer who passes on the money of many customers; only set on certain ones
        self.doubt = ""  # why a sum of named orders is left to a person
        self.probability = 0.0

    @property
    def orders(self) -> frozenset[str]:
        """The numbers of its orders."""
        return frozenset(candidate.order.number for candidate, _ in self.parts)

    @property
    def shares(self) -> frozenset[tuple[str, int]]:
        """The numbers of its orders, each with its part of the posting."""
        return frozenset((candidate.order.number, share) for candidate, share in self.parts)


def single(view: PostingView, amounts: AmountFinder, candidate: Candidate) -> Hypothesis:
    """The hypothesis that the whole posting is one order's; the amount withheld from it is credited, too."""
    found = Hypothesis("single", [(candidate, view.amount)], candidate.score, list(candidate.reasons))
    due = amounts.due(view, candidate.order) if candidate.order.open > 0 else None
    if due is not None and view.amount < due[0]:
        missing = due[0] - view.amount
        found.fee_kind = _withheld_kind(view, amounts, candidate, missing)
        found.fees = (missing,) if found.fee_kind is not None else ()
        if not found.fees:
            _credit_stated_charges(found, view, amounts, missing)
        found.is_payout = found.fee_kind in PAYOUT_FEES
    return found


def _credit_stated_charges(found: Hypothesis, view: PostingView, amounts: AmountFinder, missing: int) -> None:
    """Credits the charges that the bank or provider states to have kept of a part payment (D-84).

    If 39.65 of an instalment of 40.00 arrive, they pay 40.00: otherwise every instalment leaves its charge open.
    """
    charges = charges_of(view.posting)
    ((candidate, _),) = found.parts
    if charges > 0 and candidate.order.facts.currency == view.currency and amounts.accepts(view, charges):
        provider = view.posting.charges_by is Witness.PROVIDER
        found.fee_kind = FeeKind.PAYMENT_FEE if provider else FeeKind.BANK_CHARGE
        found.fees = (min(charges, missing),)


def _withheld_kind(view: PostingView, amounts: AmountFinder, candidate: Candidate, missing: int) -> FeeKind | None:
    """What kind of fee the missing part is; None if it is still to be paid."""
    kind = candidate.fit.kind
    if kind not in WITHHOLDS:
        return None
    if kind in (AMOUNT_KEPT, AMOUNT_KEPT_IN_DOUBT):
        return amounts.payer_terms(view, (candidate.order,)).kind
    if kind is AMOUNT_DISCOUNT_OFFERED:
        return FeeKind.CASH_DISCOUNT
    borne = missing <= amounts.shop.fee_tolerance_minor
    if kind in _STATED or (kind in _CHARGED and borne):
        provider = view.posting.charges_by is Witness.PROVIDER and kind in _STATED
        return FeeKind.PAYMENT_FEE if provider else FeeKind.BANK_CHARGE
    if _is_granted(view, amounts, candidate, missing):
        return FeeKind.CASH_DISCOUNT
    return FeeKind.BANK_CHARGE if borne and kind in _BORNE else None


def _is_granted(view: PostingView, amounts: AmountFinder, candidate: Candidate, missing: int) -> bool:
    """True if the missing part is a cash discount that the shop grants."""
    kind = candidate.fit.kind
    if candidate.order.facts.discounts:
        return False  # its invoice says what may be deducted
    cents = kind is AMOUNT_CENTS and is_cash_discount(view.amount, view.amount + missing)  # 2 % of 42.05 is 0.84
    if kind not in (AMOUNT_CASH_DISCOUNT, AMOUNT_CASH_DISCOUNT_SAID) and not cents:
        return False
    order = candidate.order
    paid = in_order_currency(view.posting, view.amount, order.facts, order.open) or 0
    return amounts.grants((order,), order.open - paid)


def dues_of(view: PostingView, amounts: AmountFinder, group: Sequence[Candidate]) -> list[int]:
    """The open amount of each order, in the posting's currency."""
    dues = []
    for candidate in group:
        due = amounts.due(view, candidate.order)
        assert due is not None, "orders without a rate are not added up"
        dues.append(due[0])
    return dues


def paying_parts(group: Sequence[Candidate], shares: Sequence[int]) -> list[Part]:
    """The orders that get a share: an order of 0.00 may be named like the others, but gets no money."""
    return [(candidate, share) for candidate, share in zip(group, shares, strict=True) if share]


def several(parts: list[Part], why: Reason, *, certain: bool = True) -> Hypothesis:
    """The hypothesis that the posting pays these orders with these shares, for the reason `why`."""
    group = [candidate for candidate, _ in parts]
    reasons = [why]
    for candidate in group:
        reasons += [r for r in candidate.reasons if r.family is Family.NUMBER]
    best_name = max(group, key=lambda c: c.likeness)
    reasons += [r for r in best_name.reasons if r.family in NAMED_BY]
    score = why.weight + max(c.number_weight for c in group) + 2.0 * (len(group) - 1)
    score += sum(r.weight for r in best_name.reasons if r.family in NAMED_BY)
    score += sum(1.5 for c in group if c.likeness >= Likeness.PART) - 1.5
    score += max(c.customer_weight for c in group)  # once for all of them; it is the same for each
    found = Hypothesis("multi", parts, score, reasons)
    found.certain = certain
    return found


def several_less(
    group: Sequence[Candidate], credits: Sequence[int], fees: Sequence[int], kind: FeeKind, why: Reason
) -> Hypothesis:
    """The hypothesis that the posting pays these orders, credited so much each; `fees` were withheld."""
    shares = [credit - fee for credit, fee in zip(credits, fees, strict=True)]
    found = several(list(zip(group, shares, strict=True)), why)
    if any(fees):
        found.fees, found.fee_kind = tuple(fees), kind
    return found


CONTESTED: Final = 0.2
KNOWN_PAYER: Final = 2.5
_OF_PAYER: Final = frozenset({Family.ACCOUNT, Family.NAME, Family.NUMBER, Family.RULE})


def proposal_of(view: PostingView, hypothesis: Hypothesis) -> Proposal:
    """The hypothesis as a complete proposal: orders with amounts, probability and evidence."""
    fees = hypothesis.fees or (0,) * len(hypothesis.parts)
    allocations = [
        AllocationProposal(
            candidate.order.number,
            minor,
            in_order_currency(view.posting, minor + fee, candidate.order.facts, candidate.order.open),
            fee,
            hypothesis.fee_kind if fee else None,
        )
        for (candidate, minor), fee in zip(hypothesis.parts, fees, strict=True)
    ]
    return Proposal(tuple(allocations), hypothesis.probability, tuple(hypothesis.reasons))


def runner_up(hypotheses: Sequence[Hypothesis]) -> str:
    """Why the second best hypothesis lost; empty if there was none, or its share is below 0.1 %."""
    if len(hypotheses) < 2:
        return ""
    second = hypotheses[1]
    share = Percentage(int(f"{second.probability:.1%}"[:-1].replace(".", "")))
    if not share.tenths:
        return ""
    numbers = ", ".join(sorted(second.orders))
    worst = min(second.reasons, key=lambda r: r.weight, default=None)
    if worst is not None and worst.weight < 0:
        return Message("runner-up-against", orders=numbers, share=share, why=worst.words)
    return Message("runner-up", orders=numbers, share=share)


def flags_of(best: Hypothesis) -> tuple[str, ...]:
    """What is special about a match: overpayment, duplicate, cancelled-order, partial, fee, cash-discount, payout."""
    flags: list[str] = []
    for candidate, _ in best.parts:
        if candidate.order.state is OrderState.CLOSED:
            flags.append("cancelled-order")
        elif candidate.order.state is OrderState.SETTLED:
            flags.append("duplicate")
        if best.code == "single":
            flags.append(candidate.fit.kind.flag.value)
    if best.code == "multi":
        flags += [reason.kind.flag.value for reason in best.reasons if reason.family is Family.SUM]
    return tuple(flag for flag in dict.fromkeys(flags) if flag)


def contests(decision: Decision) -> tuple[str, ...]:
    """Orders that an undecided posting names and may pay (`OrderFacts.contested`)."""
    if not decision.suggestions:
        return ()
    first = decision.suggestions[0]
    if first.probability < CONTESTED or not any(r.family is Family.NUMBER and r.highlight for r in first.reasons):
        return ()
    return tuple(allocation.order_number for allocation in first.allocations)


def first_orders(decision: Decision) -> tuple[str, ...]:
    """Orders for which an undecided posting is proposed first, by its payer or a number, so twins get one each."""
    if not decision.suggestions:
        return ()
    first = decision.suggestions[0]
    if not any(r.weight >= KNOWN_PAYER and r.family in _OF_PAYER for r in first.reasons):
        return ()
    return tuple(allocation.order_number for allocation in first.allocations)


def in_words(decision: Decision) -> list[str]:
    """The decision as readable lines: per proposal its orders and probability, then its evidence by weight."""
    lines: list[str] = []
    proposals: Sequence[Proposal] = (decision.match,) if decision.match is not None else decision.suggestions
    for proposal in proposals:
        numbers = ", ".join(allocation.order_number for allocation in proposal.allocations)
        lines.append(f"{decision.outcome.value} {numbers} ({proposal.probability:.1%})")
        reasons = sorted(proposal.reasons, key=lambda reason: -abs(reason.weight))
        lines += [f"  {reason.weight:+.1f} {reason.words}" for reason in reasons]
    if decision.review_reason:
        lines.append(decision.review_reason)
    return lines
