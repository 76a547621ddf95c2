"""Postings that a person has to confirm, however certain matching is: suggestions at most."""

from __future__ import annotations

from typing import Final

from paymatch.domain.matching import catalogue
from paymatch.domain.matching.model import AllocationProposal, Decision, MatchOutcome, Proposal
from paymatch.domain.matching.outgoing import UNSURE
from paymatch.domain.words.message import Message
from paymatch.store.statements.postings import StoredPosting

TAKEN_BACK: Final = Message("undone-before")


def held_back(decision: Decision, stored: StoredPosting, refunded_order: str, *, adds_up: bool) -> Decision:
    """The decision as it is, or what a person has to confirm.

    A suggestion at most are a posting that may bring a refund back, one of a statement that does not add up, and one
    that a person took off an order, that order last.
    """
    if refunded_order:
        return _may_bring_back(stored, refunded_order)
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


def _may_bring_back(stored: StoredPosting, order_number: str) -> Decision:
    """The suggestion that the posting is the return of the order's refund that it names."""
    words, minor = Message("may-bring-back", order=order_number), stored.posting.amount_minor
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
