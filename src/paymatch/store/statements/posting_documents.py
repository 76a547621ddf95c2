"""Documents of a posting besides its columns: the bank's facts, and the engine's decision.

The other side's account in the bank's facts is sealed (D-44). A decision is stored with its suggestions, their
evidence, and the orders that it proposes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import date
from decimal import Decimal
from operator import attrgetter
from typing import Any, Final, get_type_hints

import msgspec

from paymatch.domain.postings import Posting
from paymatch.domain.words.message import as_text
from paymatch.store.sealing import MARK, POSTING_PARTY, Vault
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_ACCOUNT: Final = '"counterparty_iban":'
_SEALED: Final = f'{_ACCOUNT}"{MARK}'
"""Outside of the JSON's texts only, where quotation marks are escaped."""
_VALUES: Final = attrgetter(*(f.name for f in fields(Posting)))
_TYPES: Final = get_type_hints(Posting)
_STRUCT: Final = msgspec.defstruct(
    "Facts",
    [(f.name, _TYPES[f.name], msgspec.NODEFAULT if f.default is MISSING else f.default) for f in fields(Posting)],
    omit_defaults=True,
)
"""A posting as msgspec decodes it in a quarter of the time that a dataclass takes; empty fields are left out."""
_DECODE: Final = msgspec.json.Decoder(_STRUCT).decode


def to_facts(posting: Posting) -> str:
    """The posting as JSON without what the bank did not say."""
    return _ENCODE(_STRUCT(*_VALUES(posting))).decode()


def from_facts(text: str) -> Posting:
    """The posting of `to_facts`."""
    return Posting(*_VALUES(_DECODE(text)))


def _quote(text: str) -> str:
    return _ENCODE(text).decode()


def sealed_facts(posting: Posting, vault: Vault) -> str:
    """The posting as JSON in which the other side's account is sealed."""
    said: Any = _STRUCT(*_VALUES(posting))
    if posting.counterparty_iban:
        said.counterparty_iban = vault.seal(POSTING_PARTY, posting.counterparty_iban)
    return _ENCODE(said).decode()


def opened_facts(text: str, vault: Vault) -> Posting:
    """The posting of `sealed_facts`, or of `to_facts` from before sealing."""
    begin = text.find(_SEALED)
    if begin >= 0:
        begin += len(_ACCOUNT)
        end = text.index('"', begin + 1) + 1  # a sealed value has no quotation mark
        text = text[:begin] + _quote(vault.open(POSTING_PARTY, text[begin + 1 : end - 1])) + text[end:]
    return from_facts(text)


class SuggestedAllocation(msgspec.Struct):
    """A suggestion's credit to an order, in the posting's currency, and the withheld amount."""

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
    """Codes of the evidence for the engine's decision on a posting; none for a person's decision."""

    match: frozenset[str]
    suggested: dict[frozenset[str], frozenset[str]]  # the orders of a suggestion -> its evidence


def evidence(tx: ShopTx, posting_id: str) -> DecisionEvidence:
    """The evidence for the posting's match and its suggestions."""
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
    """Codes of all evidence for a decision, separated by spaces; empty if there is none."""
    return " ".join(sorted(_for(msgspec.json.decode(decision, type=_Decision).evidence)))


_FORGET = "DELETE FROM first_suggestions WHERE shop_id = $1 AND posting_id = ANY($2) RETURNING order_number, posting_id"
_SHARED = """
SELECT DISTINCT s.posting_id FROM unnest($2::text[], $3::text[]) f(number, posting), LATERAL (
    SELECT posting_id FROM first_suggestions
    WHERE shop_id = $1 AND order_number = f.number AND posting_id <> f.posting) s ORDER BY 1"""


def save_first_suggestions(tx: ShopTx, proposed: Mapping[str, tuple[date, Sequence[str]]]) -> list[str]:
    """Posting -> (booking date, orders it is proposed for first), replacing the stored ones of these postings.

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
