"""Explaining: proposals with their evidence, what is special about a match, and why the runner-up lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.matching.catalogue import (
    Family,
)
from paymatch.domain.matching.model import AllocationProposal, Decision, OrderState, Proposal
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.several.hypothesis import Hypothesis
from paymatch.domain.matching.weigh.exchange import in_order_currency
from paymatch.domain.words.message import Message, Percentage

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
    """Why the second best hypothesis lost, in words; empty if there was none, or its share is below 0.1 %."""
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
    """Orders that an undecided posting names and may be the payment of (`OrderFacts.contested`)."""
    if not decision.suggestions:
        return ()
    first = decision.suggestions[0]
    if first.probability < CONTESTED or not any(r.family is Family.NUMBER and r.highlight for r in first.reasons):
        return ()
    return tuple(allocation.order_number for allocation in first.allocations)


def first_orders(decision: Decision) -> tuple[str, ...]:
    """Orders that an undecided posting is proposed for first by its payer or a number, so that twins get one each."""
    if not decision.suggestions:
        return ()
    first = decision.suggestions[0]
    if not any(r.weight >= KNOWN_PAYER and r.family in _OF_PAYER for r in first.reasons):
        return ()
    return tuple(allocation.order_number for allocation in first.allocations)


def in_words(decision: Decision) -> list[str]:
    """The decision as lines to read: per proposal its orders and probability, then its evidence by weight."""
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
