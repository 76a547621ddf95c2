"""Payments that name several open orders and cover none of them exactly: proposals for a person, never one order."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.domain.matching.amounts import Grade
from paymatch.domain.matching.evidence import Candidate, Weigher
from paymatch.domain.matching.model import OrderState, Reason
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.several.hypothesis import Hypothesis, dues_of, paying, several
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.fees import split_in_proportion


def spread(view: PostingView, weigher: Weigher, named: Sequence[Candidate]) -> list[Hypothesis]:
    """The money on the open orders that the posting names: the oldest first, and in proportion.

    Nothing if it names less than two, or is exactly what one of them has open. What is too much stays open.
    """
    group = [c for c in named if c.order.state is OrderState.OPEN and c.order.open > 0]
    if len(group) < 2 or any(candidate.grade is Grade.EXACT for candidate in group):
        return []
    group.sort(key=lambda c: (c.order.facts.order_date, c.order.number))
    dues = dues_of(view, weigher, group)
    total = sum(dues)
    words = f"the payment text names {len(group)} open orders, and the amount covers none of them exactly"
    if view.amount >= total:
        more = f"{minor_to_text(view.amount - total, Currency(view.currency))} {view.currency}"
        words = f"the payment text names {len(group)} open orders, and the amount is {more} more"
        return [_proposed(group, dues, -1.0, words)]
    oldest_first = _proposed(group, _oldest_first(view.amount, dues), -1.0, f"{words}: the oldest first")
    in_proportion = _proposed(group, split_in_proportion(view.amount, dues), -1.5, f"{words}: in proportion")
    in_proportion.score = oldest_first.score - 0.5  # a split over more orders is no likelier for having more numbers
    return [oldest_first, in_proportion]


def _proposed(group: Sequence[Candidate], shares: Sequence[int], weight: float, words: str) -> Hypothesis:
    found = several(paying(group, shares), Reason("sum-odd", weight, words), certain=False)
    found.doubt = words.partition(":")[0]
    return found


def _oldest_first(amount: int, dues: Sequence[int]) -> list[int]:
    shares = []
    for due in dues:
        shares.append(min(due, amount))
        amount -= shares[-1]
    return shares
