"""Decisions as the JSON that is kept of them: evidence and suggestions in the words of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from paymatch.domain.matching import catalogue
from paymatch.domain.matching.model import AllocationProposal, Decision, OrderFacts, Proposal
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.words import message
from paymatch.domain.words.message import as_text


def explanation(decision: Decision, currency: str, orders: Mapping[str, OrderFacts]) -> str:
    """The decision as JSON in the words of the API, with what they were made from: evidence, suggestions, flags.

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
    """What the order is credited; in its currency too if that is another, null if no rate is known (D-35)."""
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
