"""Rules for any order that a posting may pay, named or not."""

from __future__ import annotations

from paymatch.domain.matching.catalogue import AMOUNT_CHARGES_HIGH
from paymatch.domain.matching.clerk.case import Case
from paymatch.domain.matching.clerk.rule import clerk_rule
from paymatch.domain.matching.weigh.amounts import Grade, charges_of, charges_too_high
from paymatch.domain.matching.weigh.exchange import is_far_from_rate, is_not_asked_for, is_rate_inverted, no_rate
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
