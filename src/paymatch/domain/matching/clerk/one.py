"""Rules for any order that a posting may pay, named or not."""

from __future__ import annotations

from paymatch.domain.matching.clerk.case import Case
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.matching.weigh.exchange import is_rate_unclear, no_rate
from paymatch.domain.words.said import Said


def lapsed(case: Case) -> str:
    """it was cancelled because nobody had paid it in time (D-42)"""
    number = next((each.order.number for each, _ in case.best.parts if each.order.facts.lapsed), "")
    return Said("lapsed-order", order=number) if number else ""


def without_rate(case: Case) -> str:
    """it is in another currency, and nobody knows the rate (D-35)"""
    if case.candidate.rate_known:
        return ""
    return Said("no-rate-advice", why=no_rate(case.view.currency, case.candidate.order.facts.currency))


def instructed_otherwise(case: Case) -> str:
    """it is in another currency whose rate the bank alone knows, and what was instructed is not what is open"""
    order = case.candidate.order.facts
    if order.currency == case.view.currency or order.exchange_rate or case.candidate.grade is Grade.EXACT:
        return ""
    return Said("instructed-not-open", currency=order.currency)


def rate_unclear(case: Case) -> str:
    """it is in another currency, and its exchangeRate read the other way makes the posting pay another amount (D-35)"""
    order, view = case.candidate.order, case.view
    unclear = is_rate_unclear(view.posting, view.amount, order.facts, order.open)
    return Said("rate-unclear", currency=order.facts.currency) if unclear else ""
