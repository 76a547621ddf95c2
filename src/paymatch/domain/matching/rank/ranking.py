"""Ranking: which of a customer's equal orders is proposed first, when a posting is left to a person.

Twins are orders of one customer with the same open amount and the same evidence except their age. Nothing here decides
a match; it only sets the order of proposals, like a clerk who knows how people pay. A single payment is for the order
that is at its usual time of payment; two payments are for both, the earlier one for the older order. An unpaid
prepayment was often given up and ordered again; an invoice stays owed, so the shop's own delays show which is likeliest
to be paid now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from paymatch.domain.matching.catalogue import (
    DATE_AGE,
    RELATIVE_IN_TEXT,
    TWIN_BEGUN,
    TWIN_FULL,
    TWIN_TIME,
    TWIN_TURN,
    Reason,
)
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.model import FirstSuggestion, OrderState
from paymatch.domain.matching.prepare import OrderView, PostingView
from paymatch.domain.matching.rank.delays import Delays, delay_of
from paymatch.domain.matching.rank.hints import hints_of, is_relative_alone
from paymatch.domain.matching.several.hypothesis import Hypothesis
from paymatch.domain.matching.text.names import Likeness
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.words.message import Message

TURN: Final = 4.0
PROPOSED: Final = -2.6


def rank_proposals(view: PostingView, hypotheses: Sequence[Hypothesis], delays: Delays) -> bool:
    """True if other facts about these orders have changed the scores of the hypotheses."""
    singles = [h for h in hypotheses if h.code == "single"]
    changed = False
    for hypothesis in singles:
        hints = list(hints_of(view, hypothesis.parts[0][0]))
        if hints:
            hypothesis.reasons = [*hypothesis.reasons, *hints]
            hypothesis.score += sum([hint.weight for hint in hints])
            changed = True
    for hypothesis in _of_relatives_beside_own(view, singles):
        hint = RELATIVE_IN_TEXT.reason()
        hypothesis.reasons = [*hypothesis.reasons, hint]
        hypothesis.score += hint.weight
        changed = True
    return _rank_twins(view, singles, delays) or changed


def _of_relatives_beside_own(view: PostingView, singles: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Those of relatives whose first name is in the text, if only an unnamed order of the payer is likelier."""
    found = [hypothesis.parts[0][0] for hypothesis in singles]
    if any(c.named or (c.name_in_text and c.own_likeness is not Likeness.SURNAME) for c in found):
        return []
    if not any(c.own_likeness >= Likeness.VARIANT and c.grade is Grade.EXACT for c in found):
        return []
    return [each for each in singles if is_relative_alone(view, each.parts[0][0])]


def _rank_twins(view: PostingView, hypotheses: Sequence[Hypothesis], delays: Delays) -> bool:
    found: dict[tuple[object, ...], list[Hypothesis]] = {}
    for hypothesis in hypotheses:
        if _may_be_twin(hypothesis.parts[0][0]):
            found.setdefault(_likeness(hypothesis), []).append(hypothesis)
    groups = [group for group in found.values() if len(group) > 1]
    for group in groups:
        group.sort(key=lambda h: (_of(h).facts.order_date, _of(h).number))
        for hypothesis, reasons in zip(group, _reasons(view, group, delays), strict=True):
            hypothesis.reasons = reasons
            hypothesis.score = sum([reason.weight for reason in reasons])
    return bool(groups)


def _may_be_twin(candidate: Candidate) -> bool:
    return candidate.order.state is OrderState.OPEN and not candidate.named


def _likeness(hypothesis: Hypothesis) -> tuple[object, ...]:
    """What twins have in common: the customer, the open amount, and the weight of all evidence but their age."""
    order = hypothesis.parts[0][0].order
    rest = sum([r.weight for r in hypothesis.reasons if r.kind is not DATE_AGE])
    return (order.customer or order.facts.names, order.open, order.facts.currency, round(rest, 6))


def _own(view: PostingView) -> FirstSuggestion:
    return FirstSuggestion(view.booked, view.id)


def _of(hypothesis: Hypothesis) -> OrderView:
    return hypothesis.parts[0][0].order


def _reasons(view: PostingView, group: Sequence[Hypothesis], delays: Delays) -> list[list[Reason]]:
    """The reasons of each of the group, with the facts about twins."""
    if group[0].parts[0][0].grade is not Grade.EXACT:
        return [[*h.reasons, *_reasons_of_part_payment(view, _of(h))] for h in group]
    weights: list[Reason] = []
    if len(group) == 2:
        weights = _in_turn(view, group)
        if not weights and any(_of(h).facts.due_date is None for h in group):
            return [h.reasons for h in group]
    weights = weights or _in_time(view, group, delays)
    return [
        [*(r for r in h.reasons if r.kind is not DATE_AGE), weight] for h, weight in zip(group, weights, strict=True)
    ]


def _reasons_of_part_payment(view: PostingView, order: OrderView) -> Iterator[Reason]:
    """Evidence of other waiting parts, for an order that is paid in parts."""
    others = len(order.first_for - {_own(view)})
    if others and others * view.amount < order.open:
        yield TWIN_BEGUN.reason()
    elif others:
        yield TWIN_FULL.reason(PROPOSED)


def _in_turn(view: PostingView, pair: Sequence[Hypothesis]) -> list[Reason]:
    """Two payments for two orders, instead of their ages: the earlier payment is for the older order."""
    others = {other for hypothesis in pair for other in _of(hypothesis).first_for if other != _own(view)}
    if not others:
        return []
    usual = max(r.weight for h in pair for r in h.reasons if r.kind is DATE_AGE)
    if any(other < _own(view) for other in others):
        words = Message("twin-older")
        return [TWIN_TURN.reason(usual - TURN, words), TWIN_TURN.reason(usual, words)]
    words = Message("twin-younger")
    return [TWIN_TURN.reason(usual, words), TWIN_TURN.reason(usual - TURN, words)]


def _in_time(view: PostingView, group: Sequence[Hypothesis], delays: Delays) -> list[Reason]:
    """Instead of its age: how likely each is to be paid now, if no earlier payment is proposed for it."""
    usual = max(r.weight for h in group for r in h.reasons if r.kind is DATE_AGE)
    reasons = []
    for hypothesis in group:
        delay = delay_of(_of(hypothesis).facts, view.booked)
        weight = delays.hazard(delay)
        if any(other < _own(view) for other in _of(hypothesis).first_for):
            weight += PROPOSED
        reasons.append(TWIN_TIME.reason(weight, Message("twin-time", count=delay.age)))
    top = max(reason.weight for reason in reasons)
    return [reason._replace(weight=usual + reason.weight - top) for reason in reasons]
