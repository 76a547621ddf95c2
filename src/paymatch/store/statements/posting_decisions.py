"""Decisions of the engine about postings, as stored: suggestions, their evidence, and the orders proposed first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
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


_FORGET = "DELETE FROM first_suggestions WHERE shop_id = $1 AND posting_id = ANY($2) RETURNING order_number, posting_id"
_SHARED = """
SELECT DISTINCT s.posting_id FROM unnest($2::text[], $3::text[]) f(number, posting), LATERAL (
    SELECT posting_id FROM first_suggestions
    WHERE shop_id = $1 AND order_number = f.number AND posting_id <> f.posting) s ORDER BY 1"""


def save_first_suggestions(tx: ShopTx, proposed: Mapping[str, tuple[date, Sequence[str]]]) -> list[str]:
    """Posting -> (booking date, orders it is proposed for first), in place of what was kept of these postings.

    Returned are the open postings that share an order with one of these, since now.
    """
    before = set(forget_first_suggestions(tx, list(proposed)))
    rows = [(number, posting, booked) for posting, (booked, numbers) in proposed.items() for number in numbers]
    if not rows:
        return []
    tx.run(
        "INSERT INTO first_suggestions (shop_id, order_number, posting_id, booking_date) SELECT $1, n, p, b"
        " FROM unnest($2::text[], $3::text[], $4::date[]) r(n, p, b) ON CONFLICT DO NOTHING",
        tx.shop_id,
        *map(list, zip(*rows, strict=True)),
    )
    fresh = [(number, posting) for number, posting, _ in rows if (number, posting) not in before]
    if not fresh:
        return []
    return [row[0] for row in tx.rows(_SHARED, tx.shop_id, *map(list, zip(*fresh, strict=True)))]


def forget_first_suggestions(tx: ShopTx, postings: Sequence[str]) -> list[tuple[str, str]]:
    """Forgets what these postings were proposed for: (order, posting) each."""
    if not postings:
        return []
    return [(row[0], row[1]) for row in tx.rows(_FORGET, tx.shop_id, list(postings))]
