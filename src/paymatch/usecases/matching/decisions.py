"""The stored form of decisions: their JSON in the terms of the API, and which of them a person has to confirm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from paymatch.domain.matching import catalogue
from paymatch.domain.matching.model import AllocationProposal, Decision, MatchOutcome, OrderFacts, Proposal
from paymatch.domain.matching.outgoing import UNSURE
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.refunds.transfers import refund_attempt
from paymatch.domain.words import message
from paymatch.domain.words.message import Message, as_text
from paymatch.store.statements.postings import StoredPosting


def explanation(decision: Decision, currency: str, orders: Mapping[str, OrderFacts]) -> str:
    """The decision as JSON in the terms of the API, with its basis: evidence, suggestions, flags.

    `currency` is the posting's, `orders` are those of the suggestions.
    """
    body: dict[str, Any] = {"flags": decision.flags, "heldBack": str(decision.review_reason)}
    held_back = message.to_json(decision.review_reason)
    if held_back:
        body["heldBackReason"] = held_back
    if decision.match is not None:
        body["probability"] = round(decision.match.probability, 4)
        body["evidence"] = [_evidence(reason) for reason in decision.match.reasons]
    body["suggestions"] = [_suggestion(proposal, currency, orders) for proposal in decision.suggestions]
    return msgspec.json.encode(body, enc_hook=as_text).decode()


def _suggestion(proposal: Proposal, currency: str, orders: Mapping[str, OrderFacts]) -> dict[str, Any]:
    return {
        "allocations": [_allocation(a, currency, orders[a.order_number].currency) for a in proposal.allocations],
        "probability": round(proposal.probability, 4),
        "evidence": [_evidence(reason) for reason in proposal.reasons],
    }


def _allocation(allocation: AllocationProposal, currency: str, order_currency: str) -> dict[str, Any]:
    """The order's credit; also in its own currency if that differs, null if no rate is known (D-35)."""
    found: dict[str, Any] = {
        "orderNumber": allocation.order_number,
        "amount": _amount(allocation.credited_minor, currency),
    }
    if allocation.fee_kind is not None:
        found["fee"] = _amount(allocation.withheld_minor, currency)
        found["feeKind"] = allocation.fee_kind
    if order_currency != currency:
        minor = allocation.order_amount_minor
        found["orderAmount"] = None if minor is None else _amount(minor, order_currency)
        found["orderCurrency"] = order_currency
    return found


def _amount(minor: int, currency: str) -> msgspec.Raw:
    return msgspec.Raw(minor_to_text(minor, Currency(currency)).encode())


def _evidence(reason: catalogue.Reason) -> dict[str, Any]:
    found: dict[str, Any] = {"code": reason.code, "weight": round(reason.weight, 2), "words": str(reason.words)}
    found["witness"] = reason.kind.witness.value
    says = message.to_json(reason.words)
    if says and says["code"] != reason.code:
        found["says"] = says["code"]
    if says and says["values"]:
        found["values"] = says["values"]
    if reason.highlight:
        found["highlight"] = reason.highlight
    return found


TAKEN_BACK: Final = Message("undone-before")


def held_back(decision: Decision, stored: StoredPosting, refunded_order: str, *, adds_up: bool) -> Decision:
    """The unchanged decision, or one that a person has to confirm.

    Four kinds of postings become suggestions at most: those that may bring a refund back, debits of a refund to another
    account, those of a statement that does not add up, and those that a person took off an order (that order comes
    last).
    """
    if refunded_order:
        return _may_be_of_refund(stored, refunded_order)
    if not stored.taken_back:
        return decision if adds_up else _of_broken_statement(decision)
    proposals = decision.suggestions if decision.match is None else (decision.match,)
    undone = set(stored.taken_back)
    others = [each for each in proposals if undone.isdisjoint(a.order_number for a in each.allocations)]
    undone_once = catalogue.TAKEN_BACK.reason()
    ranked = others + [each._replace(reasons=(undone_once, *each.reasons)) for each in proposals if each not in others]
    outcome = MatchOutcome.SUGGESTED if ranked else MatchOutcome.UNMATCHED
    flags = (*decision.flags, "by-hand")
    return decision._replace(
        outcome=outcome, match=None, suggestions=tuple(ranked), review_reason=TAKEN_BACK, flags=flags
    )


def _may_be_of_refund(stored: StoredPosting, order_number: str) -> Decision:
    """The suggestion that the posting is the order's refund that it names, or the return of it."""
    minor = stored.posting.amount_minor
    ids = (stored.posting.end_to_end_id, stored.posting.original_end_to_end_id)
    name = "may-bring-back" if any(map(refund_attempt, ids)) else "may-be-return"
    words = Message(name if minor > 0 else "may-be-refund", order=order_number)
    part = AllocationProposal(order_number, minor, minor)
    proposal = Proposal((part,), UNSURE, (catalogue.RETURNED.reason(words=words),))
    return Decision(
        stored.id, MatchOutcome.SUGGESTED, None, (proposal,), words, ("refund-in-question",)
    )  # fmt: skip


def _of_broken_statement(decision: Decision) -> Decision:
    """A match as a suggestion: an entry may be missing, or have another sign, so a person confirms it."""
    if decision.match is None:
        return decision
    words = Message("statement-does-not-add-up")
    return decision._replace(
        outcome=MatchOutcome.SUGGESTED, match=None, suggestions=(decision.match,), review_reason=words
    )  # fmt: skip
