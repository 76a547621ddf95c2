"""Evidence: the facts for and against one order as the target of one posting, weighed in nats, with their messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from paymatch.domain.matching.catalogue import (
    DATE_BEFORE,
    DATE_NAMED,
    DATE_OTHER,
    NUMBER_CUSTOMER,
    STATE_CLOSED,
    STATE_SETTLED,
    TYPE_OTHER,
    Family,
    Reason,
)
from paymatch.domain.matching.families.amount_finder import AmountFinder
from paymatch.domain.matching.families.name_finder import NameFinder
from paymatch.domain.matching.families.number_finder import (
    NO_NUMBER,
    find_damaged_number,
    find_numbers,
)
from paymatch.domain.matching.model import OrderState, ShopFacts
from paymatch.domain.matching.prepare import KeyKind, OrderView, PostingView
from paymatch.domain.matching.text.names import Likeness
from paymatch.domain.matching.text.numbers import Form
from paymatch.domain.matching.text.reading import Number
from paymatch.domain.matching.weigh.ages import age_reason
from paymatch.domain.matching.weigh.amounts import Fit, Grade

_SETTLED: Final = STATE_SETTLED.reason()
_CLOSED: Final = STATE_CLOSED.reason()
_BEFORE: Final = DATE_BEFORE.reason()


class StandingEvidence(NamedTuple):
    """Evidence of an order's state, age, type and dates."""

    reasons: tuple[Reason, ...]
    dated: bool = False  # its date is in the text


def find_standing(view: PostingView, order: OrderView) -> StandingEvidence:
    """The evidence of the order's standing on the day of the posting."""
    reasons: list[Reason] = []
    if order.state is OrderState.SETTLED:
        reasons.append(_SETTLED)
    elif order.state is OrderState.CLOSED:
        reasons.append(_CLOSED)
    age = (view.booked - order.facts.order_date).days
    if age < 0:
        reasons.append(_BEFORE)
    else:
        due = order.facts.due_date
        reasons.append(age_reason(age, None if due is None else (view.booked - due).days))
    ordered, booked = order.facts.order_date.toordinal(), view.booked.toordinal()
    dated = ordered in view.dates and ordered != booked
    if dated:
        reasons.append(DATE_NAMED.reason())
    elif any(day < booked for day in view.dates):
        reasons.append(DATE_OTHER.reason())
    if order.facts.type == "OTHER":
        reasons.append(TYPE_OTHER.reason())
    return StandingEvidence(tuple(reasons), dated)


FUTURE_SLACK_DAYS: Final = 3
"""A customer cannot pay before ordering; bank and shop may disagree about midnight and weekends."""

STRONG_NUMBER: Final = 6.0
WEAK_NUMBER: Final = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One order as the target of one posting, with its evidence; compared by identity."""

    order: OrderView
    fit: Fit
    grade: Grade
    number: Number | None
    kind: KeyKind
    form: Form
    number_weight: float
    customer_weight: float
    item_weight: float
    damaged: bool
    dated: bool  # its date is in the text
    rate_known: bool  # the order is in the posting's currency, or a rate is known
    completed: bool  # named only by a suffix, which counts together with others
    user_name: bool  # the customer's user name is in the text
    customer_number: str  # as found: a number or user name of the customer
    name_in_text: bool
    own_likeness: Likeness  # of the payer's name alone, without the text
    likeness: Likeness
    further_name: bool  # the payer is named like a recipient or a company's contact, not like the customer
    named: bool  # a number of this very order was found, well enough to count
    sampled: bool  # one of very many orders found only by the amount
    outlasted: bool  # awaits no money, but was found by a key of open orders
    score: float
    reasons: tuple[Reason, ...]

    def without_customer_number(self) -> Candidate:
        """The candidate without the evidence of its customer number."""
        reasons = tuple(r for r in self.reasons if r.kind is not NUMBER_CUSTOMER)
        uncertain = self.damaged or self.completed
        known = self.likeness >= Likeness.SURNAME or self.name_in_text
        named = _names_order(self.number_weight, self.form, uncertain=uncertain, known=known)
        return replace(
            self, reasons=reasons, customer_weight=0.0, customer_number="", user_name=False, named=named,
            score=sum(r.weight for r in reasons),
        )  # fmt: skip

    def without_number(self) -> Candidate:
        """The candidate without the evidence of its own number."""
        reasons = tuple(r for r in self.reasons if not (r.family is Family.NUMBER and r.highlight))
        return replace(
            self, reasons=reasons, number=None, number_weight=0.0, named=False, score=sum(r.weight for r in reasons)
        )


def _names_order(weight: float, form: Form, *, uncertain: bool, known: bool) -> bool:
    """Whether a number names the order well enough to count; `known`: the payer is its customer."""
    if uncertain or weight < WEAK_NUMBER:
        return False
    return weight >= STRONG_NUMBER or (known and form is Form.FULL)


class Weigher:
    """Weighs orders for the postings of one shop; each family of evidence has a finder."""

    __slots__ = ("amounts", "names", "shifts")

    def __init__(self, shop: ShopFacts) -> None:
        self.amounts = AmountFinder(shop)
        self.names = NameFinder(shop)
        self.shifts = shop.weight_shifts

    def weigh(
        self,
        view: PostingView,
        order: OrderView,
        numbers: Sequence[tuple[Number, int]],
        claimed: frozenset[str],
        *,
        sampled: bool = False,
        outlasted: bool = False,
    ) -> Candidate | None:
        """The evidence for `order`; None if it cannot be the target.

        An order in another currency without a known rate may still be what a payer meant: it is a target if its number
        is there, or its customer pays the very figure. It is only proposed, never booked (D-35).

        `numbers` are the numbers of the posting that found it, each with how many orders it found;
        `claimed` are those that belong to other orders as written, so that they are hardly damaged ones of this.
        """
        due = self.amounts.due(view, order)
        if due is None and view.amount < 0:
            return None
        fit = self.amounts.fit(view, order, due)
        found = find_numbers(view, order, numbers, is_exact=fit.grade is Grade.EXACT)
        own, customer, name = found.own, found.customer, self.names.find(view, order)
        known = name.likeness >= Likeness.SURNAME or name.in_text or customer.weight > 0
        named = _names_order(own.weight, own.form, uncertain=own.completed, known=known)
        if due is None and not (named or (fit.grade is Grade.PART and name.likeness >= Likeness.PART)):
            return None
        damaged = NO_NUMBER
        if not own.weight and fit.grade >= Grade.NEAR and name.likeness >= Likeness.PART:
            own = damaged = find_damaged_number(view, order, claimed)
        standing = find_standing(view, order)
        reasons = (fit.reason, *found.reasons, *name.reasons, *damaged.reasons, *standing.reasons)
        if self.shifts:
            reasons = tuple([r._replace(weight=r.weight + self.shifts.get(r.code, 0.0)) for r in reasons])
        return Candidate(
            order, fit, fit.grade, own.number, own.kind, own.form, own.weight, customer.weight, found.item_weight,
            own.damaged, standing.dated, due is not None, own.completed, customer.user_name, customer.number,
            name.in_text, name.own_likeness, name.likeness, name.further_name, named, sampled, outlasted,
            sum([reason.weight for reason in reasons]), reasons,
        )  # fmt: skip
