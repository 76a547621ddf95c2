"""Ranking: which of a customer's equal orders is proposed first, when a posting is left to a person.

Twins are orders of one customer that are open for one amount and for which the same evidence speaks, but for their age.
Nothing here decides a match; it only sets the order of proposals, as a clerk would who knows how people pay: a single
payment is for the order whose usual time to be paid it is (the older twin was often given up and ordered again), two
payments are for both, the earlier one for the older order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import Final

from paymatch.domain.matching.amounts import Grade
from paymatch.domain.matching.assign import Hypothesis
from paymatch.domain.matching.evidence import Candidate, delay_density
from paymatch.domain.matching.model import FirstSuggestion, OrderState, Reason
from paymatch.domain.matching.normalise import flat
from paymatch.domain.matching.order_view import OrderView
from paymatch.domain.matching.prepare import PostingView

TURN: Final = 4.0
PROPOSED: Final = -2.6
ITEM: Final = 3.0
ITEM_LETTERS: Final = 5
PAID_UNNAMED: Final = -3.0
BEGUN: Final = 1.5
UNPAID: Final = 0.1
"""The share of orders that are never paid: those that are still open long after their time are mostly such."""
HORIZON_DAYS: Final = 90
_AGE: Final = "date-age"


def rank_proposals(view: PostingView, hypotheses: Sequence[Hypothesis]) -> bool:
    """True if what is known of twins and of paid orders has changed the scores of these hypotheses."""
    changed = _note_items(view, hypotheses)
    paid = [h for h in hypotheses if h.code == "single" and _is_unnamed_and_paid(h.parts[0][0])]
    for hypothesis in paid:
        hypothesis.reasons = [
            *hypothesis.reasons,
            Reason("paid-unnamed", PAID_UNNAMED, "nothing names this paid order"),
        ]
        hypothesis.score += PAID_UNNAMED
    return _rank_twins(view, hypotheses) or bool(paid) or changed


def _note_items(view: PostingView, hypotheses: Sequence[Hypothesis]) -> bool:
    """Evidence for unnamed orders one of whose items the text names; True if there are any."""
    found = False
    for hypothesis in hypotheses:
        candidate = hypothesis.parts[0][0]
        if hypothesis.code != "single" or candidate.named or candidate.item_weight:
            continue
        if any(len(name) >= ITEM_LETTERS and flat(name) in view.text for name in candidate.order.facts.item_names):
            hypothesis.reasons = [
                *hypothesis.reasons,
                Reason("item-in-text", ITEM, "an item of the order is in the text"),
            ]
            hypothesis.score += ITEM
            found = True
    return found


def _is_unnamed_and_paid(candidate: Candidate) -> bool:
    return candidate.order.state is not OrderState.OPEN and not candidate.named


def _rank_twins(view: PostingView, hypotheses: Sequence[Hypothesis]) -> bool:
    found: dict[tuple[object, ...], list[Hypothesis]] = {}
    for hypothesis in hypotheses:
        if hypothesis.code == "single" and _may_be_twin(hypothesis.parts[0][0]):
            found.setdefault(_likeness(hypothesis), []).append(hypothesis)
    groups = [group for group in found.values() if len(group) > 1]
    for group in groups:
        group.sort(key=lambda h: (_of(h).facts.order_date, _of(h).number))
        for hypothesis, reasons in zip(group, _reasons(view, group), strict=True):
            hypothesis.reasons = reasons
            hypothesis.score = sum([reason.weight for reason in reasons])
    return bool(groups)


def _may_be_twin(candidate: Candidate) -> bool:
    return candidate.order.state is OrderState.OPEN and not candidate.named


def _likeness(hypothesis: Hypothesis) -> tuple[object, ...]:
    """What twins have in common: the customer, the open amount, and the weight of all evidence but their age."""
    order = hypothesis.parts[0][0].order
    rest = sum([r.weight for r in hypothesis.reasons if r.code != _AGE])
    return (order.customer or order.facts.names, order.open, order.facts.currency, round(rest, 6))


def _own(view: PostingView) -> FirstSuggestion:
    return FirstSuggestion(view.booked, view.id)


def _of(hypothesis: Hypothesis) -> OrderView:
    return hypothesis.parts[0][0].order


def _reasons(view: PostingView, group: Sequence[Hypothesis]) -> list[list[Reason]]:
    """The reasons of each of the group, with what is known of twins."""
    if group[0].parts[0][0].grade is not Grade.EXACT:
        begun = Reason("twin-begun", BEGUN, "another part that waits is proposed for it")
        return [[*h.reasons, begun] if _of(h).first_for - {_own(view)} else h.reasons for h in group]
    weights = _in_turn(view, group) if len(group) == 2 else _in_time(view, group)
    if not weights:
        return [h.reasons for h in group]
    return [[*(r for r in h.reasons if r.code != _AGE), weight] for h, weight in zip(group, weights, strict=True)]


def _in_turn(view: PostingView, pair: Sequence[Hypothesis]) -> list[Reason]:
    """Two payments for two orders, in place of their ages: the earlier payment is for the older order."""
    others = {other for hypothesis in pair for other in _of(hypothesis).first_for if other != _own(view)}
    if not others:
        return []
    usual = max(r.weight for h in pair for r in h.reasons if r.code == _AGE)
    if any(other < _own(view) for other in others):
        words = "an earlier payment that waits is for the older of two equal orders"
        return [Reason("twin-turn", usual - TURN, words), Reason("twin-turn", usual, words)]
    words = "a later payment that waits is for the younger of two equal orders"
    return [Reason("twin-turn", usual, words), Reason("twin-turn", usual - TURN, words)]


def _in_time(view: PostingView, group: Sequence[Hypothesis]) -> list[Reason]:
    """In place of its age: how likely each is paid just now, where no earlier payment is proposed for it."""
    usual = max(r.weight for h in group for r in h.reasons if r.code == _AGE)
    reasons = []
    for hypothesis in group:
        facts = _of(hypothesis).facts
        age = (view.booked - facts.order_date).days
        weight = _hazard(age, None if facts.due_date is None else (view.booked - facts.due_date).days)
        if any(other < _own(view) for other in _of(hypothesis).first_for):
            weight += PROPOSED
        reasons.append(
            Reason("twin-time", weight, f"of equal orders the likeliest to be paid now; it is {age} days old")
        )
    top = max(reason.weight for reason in reasons)
    return [reason._replace(weight=usual + reason.weight - top) for reason in reasons]


@lru_cache(maxsize=8192)
def _hazard(age: int, overdue: int | None) -> float:
    """The logarithm of the chance that an order not paid before is paid at this age (`evidence.delay_density`)."""
    later = sum(delay_density(age + more, None if overdue is None else overdue + more) for more in range(HORIZON_DAYS))
    return log(delay_density(age, overdue)) - log(later + UNPAID)
