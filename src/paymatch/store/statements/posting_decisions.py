"""Decisions of the engine about a posting, as they were stored: suggestions and their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from paymatch.store.transactions import ShopTx


class SuggestedAllocation(msgspec.Struct):
    """What a suggestion credits to an order, in the posting's currency, and what was withheld of that."""

    orderNumber: str  # noqa: N815  the contract's spelling
    amount: Decimal
    fee: Decimal = Decimal(0)
    feeKind: str = ""  # noqa: N815


class _Piece(msgspec.Struct):
    code: str
    weight: float


class _Suggestion(msgspec.Struct):
    allocations: list[SuggestedAllocation]
    evidence: list[_Piece] = []


class _Decision(msgspec.Struct):
    suggestions: list[_Suggestion] = []
    evidence: list[_Piece] = []


def suggestions(tx: ShopTx, posting_id: str) -> list[list[SuggestedAllocation]]:
    """The posting's suggestions, best first."""
    return [each.allocations for each in _decision(tx, posting_id).suggestions]


@dataclass(frozen=True, slots=True)
class DecisionEvidence:
    """Codes of the evidence that spoke for what the engine did with a posting; nothing for what a person did."""

    match: frozenset[str]
    suggested: dict[frozenset[str], frozenset[str]]  # the orders of a suggestion -> what spoke for it


def evidence(tx: ShopTx, posting_id: str) -> DecisionEvidence:
    """What spoke for the posting's match and for its suggestions."""
    decision = _decision(tx, posting_id)
    suggested = {
        frozenset(a.orderNumber for a in each.allocations): _for(each.evidence) for each in decision.suggestions
    }
    return DecisionEvidence(_for(decision.evidence), suggested)


def _for(pieces: Sequence[_Piece]) -> frozenset[str]:
    return frozenset(piece.code for piece in pieces if piece.weight > 0)


def _decision(tx: ShopTx, posting_id: str) -> _Decision:
    text = tx.value("SELECT decision FROM postings WHERE shop_id = $1 AND id = $2", tx.shop_id, posting_id)
    return msgspec.json.decode(text, type=_Decision) if text else _Decision()


def evidence_codes(decision: str) -> str:
    """Codes of all evidence that spoke for a decision, apart by spaces; empty if there is none."""
    return " ".join(sorted(_for(msgspec.json.decode(decision, type=_Decision).evidence)))
