"""Payments that name several open orders and cover none of them exactly: proposals for a person, never one order."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.domain.matching.catalogue import (
    SUM_ODD,
)
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.families.amount_finder import AmountFinder
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.several.hypothesis import Hypothesis, dues_of, paying_parts, several
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.orders.fees import split_in_proportion
from paymatch.domain.words.message import Message, Sum


def spread(view: PostingView, amounts: AmountFinder, named: Sequence[Candidate]) -> list[Hypothesis]:
    """The money on the open orders that the posting names: the oldest first, and in proportion.

    Empty if it names fewer than two, or is exactly the open amount of one of them. Any surplus stays open.
    """
    group = [c for c in named if c.order.state is OrderState.OPEN and c.order.open > 0]
    if len(group) < 2 or any(candidate.grade is Grade.EXACT for candidate in group):
        return []
    group.sort(key=lambda c: (c.order.facts.order_date, c.order.number))
    dues = dues_of(view, amounts, group)
    total = sum(dues)
    if view.amount >= total:
        more = Message("sum-more", count=len(group), more=Sum(view.amount - total, view.currency))
        return [_propose(group, dues, -1.0, more, more)]
    none = Message("sum-none", count=len(group))
    oldest_first = _propose(group, _oldest_first(view.amount, dues), -1.0, none, Message("sum-oldest-first", why=none))
    in_proportion = _propose(
        group, split_in_proportion(view.amount, dues), -1.5, none, Message("sum-in-proportion", why=none)
    )
    in_proportion.score = oldest_first.score - 0.5  # more numbers do not make a split over more orders likelier
    return [oldest_first, in_proportion]


def _propose(group: Sequence[Candidate], shares: Sequence[int], weight: float, doubt: str, how: str) -> Hypothesis:
    found = several(paying_parts(group, shares), SUM_ODD.reason(weight, how), certain=False)
    found.doubt = doubt
    return found


def _oldest_first(amount: int, dues: Sequence[int]) -> list[int]:
    shares = []
    for due in dues:
        shares.append(min(due, amount))
        amount -= shares[-1]
    return shares
