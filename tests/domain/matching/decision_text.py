"""A decision of the matching engine as one line of text, with all that a person would be shown."""

from __future__ import annotations

from typing import Final

from paymatch.domain.matching.model import Decision, Proposal
from paymatch.domain.words.message import Message

SHOWN: Final = 3  # suggestions of one posting


def told(decision: Decision) -> str:
    """Outcome, flags and what holds it back; the proposals with amounts and probability; the first one's evidence."""
    proposals = decision.suggestions if decision.match is None else (decision.match,)
    why = decision.review_reason
    said = [str(decision.outcome), *decision.flags, why.code if isinstance(why, Message) else why]
    evidence = [f"{each.code} {each.weight:.2f}" for proposal in proposals[:1] for each in proposal.reasons]
    shown = [_proposed(proposal) for proposal in proposals[:SHOWN]]
    return " | ".join(filter(None, [" ".join(filter(None, said)), *shown, ", ".join(evidence)]))


def _proposed(proposal: Proposal) -> str:
    parts = [
        f"{a.order_number} {a.amount_minor}" + (f" less {a.withheld_minor} {a.fee_kind}" if a.withheld_minor else "")
        for a in proposal.allocations
    ]
    return f"{proposal.probability:.3f} {', '.join(parts)}"
