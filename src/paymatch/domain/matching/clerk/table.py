"""The clerk's rules in their order (docs/clerks-rules.md), and the rules for any order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from paymatch.domain.matching import catalogue as kinds
from paymatch.domain.matching.catalogue import AMOUNT_CHARGES_HIGH
from paymatch.domain.matching.clerk import named, several, unnamed
from paymatch.domain.matching.clerk.case import Case, ClerkRule, KnownNumbers, clerk_rule
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.several.hypothesis import Hypothesis
from paymatch.domain.matching.weigh.amounts import (
    Grade,
    charges_of,
    charges_too_high,
    is_far_from_rate,
    is_not_asked_for,
    is_rate_inverted,
    no_rate,
)
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message


@clerk_rule("it was cancelled because it was not paid in time (D-42)", Witness.MERCHANT, "lapsed-order")
def lapsed(case: Case) -> str:
    number = next((each.order.number for each, _ in case.best.parts if each.order.facts.lapsed), "")
    return Message("lapsed-order", order=number) if number else ""


@clerk_rule(
    "it is in another currency, and its exchangeRate does not ask for the posting's (D-85)",
    Witness.BANK,
    "rate-not-asked",
)
def not_asked_for(case: Case) -> str:
    view = case.view
    for each, _ in case.best.parts:
        order = each.order.facts
        if order.exchange_rate and is_not_asked_for(view.posting, order):
            return Message("rate-not-asked", order=order.number, posting=view.currency, asked=order.asked_in)
    return ""


@clerk_rule("it is in another currency, and the rate is not known (D-35)", Witness.MERCHANT, "no-rate-advice")
def without_rate(case: Case) -> str:
    if case.candidate.rate_known:
        return ""
    return Message("no-rate-advice", why=no_rate(case.view.currency, case.candidate.order.facts.currency))


@clerk_rule(
    "it is in another currency whose rate the bank alone knows, and what was instructed is not what is open",
    Witness.BANK,
    "instructed-not-open",
)
def instructed_otherwise(case: Case) -> str:
    order = case.candidate.order.facts
    if order.currency == case.view.currency or order.exchange_rate or case.candidate.grade is Grade.EXACT:
        return ""
    return Message("instructed-not-open", currency=order.currency)


@clerk_rule("the charges that are stated are more than a bank's usual ones (D-84)", Witness.PERSON, "charges-too-high")
def charges_high(case: Case) -> str:
    if case.candidate.fit.kind is not AMOUNT_CHARGES_HIGH:
        return ""
    return charges_too_high(charges_of(case.view.posting), case.view.amount, case.view.currency)


@clerk_rule(
    "it is in another currency, and much less arrived than its exchangeRate asks for (D-85)",
    Witness.BANK,
    "instructed-far-from-rate",
)
def far_from_rate(case: Case) -> str:
    order, view = case.candidate.order, case.view
    far = is_far_from_rate(view.posting, view.amount, order.facts, order.open)
    return Message("instructed-far-from-rate", currency=order.facts.currency) if far else ""


@clerk_rule(
    "it is in another currency, and the amount fits only if its exchangeRate is read the other way round (D-85)",
    Witness.BANK,
    "rate-inverted",
)
def rate_inverted(case: Case) -> str:
    order, view = case.candidate.order, case.view
    inverted = is_rate_inverted(view.posting, view.amount, order.facts, order.open)
    return Message("rate-inverted", currency=order.facts.currency) if inverted else ""


class Situation(StrEnum):
    """The kind of a posting's likeliest explanation."""

    SUM = "several orders that are not named"
    SEVERAL = "several orders that are named"
    UNNAMED = "an order that is not named"
    NAMED_SETTLED = "an order that is named and awaits no money"
    NAMED_KEPT = "an order that is named, of whose money the payer kept a part"
    NAMED_OPEN = "an order that is named and awaits money"


_ANY: Final = (
    lapsed,
    not_asked_for,
)
_ONE: Final = (
    *_ANY,
    without_rate,
    instructed_otherwise,
    far_from_rate,
    rate_inverted,
    charges_high,
)
_NAMED: Final = (
    *_ONE,
    named.points_elsewhere,
    named.also_names,
    named.contested_twin,
    named.other_kind_of_number,
)
TABLE: Final[Mapping[Situation, tuple[ClerkRule, ...]]] = {
    Situation.SUM: (*_ANY, several.sum_fits_unnamed),
    Situation.SEVERAL: (
        *_ANY,
        several.doubtful_sum,
        several.swappable,
        several.different_customers,
    ),
    Situation.UNNAMED: (
        *_ONE,
        unnamed.cancelled,
        unnamed.not_exact,
        unnamed.paid_already,
        unnamed.no_purchase,
        unnamed.younger,
        unnamed.no_payment,
        unnamed.office_name,
        unnamed.crowded,
        unnamed.other_name,
        unnamed.chosen_name,
        unnamed.unknown_document,
        unnamed.another_shop,
        unnamed.later_number,
        unnamed.others_add_up,
        unnamed.fits_as_well,
    ),
    Situation.NAMED_SETTLED: (
        *_NAMED,
        named.returns_nothing,
        named.paid_and_not_total,
        named.paid_by_another,
    ),
    Situation.NAMED_KEPT: (
        *_NAMED,
        named.kept_in_doubt,
        named.short_number_of_carrier,
        named.names_unknown,
        named.no_payment,
    ),
    Situation.NAMED_OPEN: (
        *_NAMED,
        named.nothing_matches,
        named.doubtful_and_no_payment,
        named.relative_meant,
        named.payers_own,
        named.number_of_name,
        named.number_of_longer,
        named.number_of_other,
        named.far_too_much,
        named.too_much_of_stranger,
        named.excess_for_other,
        named.excess_for_unknown,
        named.part_for_unknown,
    ),
}


def review_reason(
    view: PostingView, best: Hypothesis, candidates: Sequence[Candidate], known: KnownNumbers, *, crowded: bool
) -> tuple[str, Candidate | None]:
    """Why `best` is left to a person, and the order that is meant instead; empty if it may be matched."""
    case = Case(view, best, candidates, known, crowded=crowded)
    for rule in TABLE[situation_of(case)]:
        why = rule.check(case)
        if why:
            return why, case.instead
    return "", None


def situation_of(case: Case) -> Situation:
    """Which rules are asked."""
    if case.best.code == "sum":
        return Situation.SUM
    if case.best.code == "multi":
        return Situation.SEVERAL
    if not case.candidate.named:
        return Situation.UNNAMED
    if not case.is_open:
        return Situation.NAMED_SETTLED
    kept = case.candidate.fit.kind in (kinds.AMOUNT_KEPT, kinds.AMOUNT_KEPT_IN_DOUBT)
    return Situation.NAMED_KEPT if kept else Situation.NAMED_OPEN
