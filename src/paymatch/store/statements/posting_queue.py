"""Postings for clerks: lists by task, one posting with all known facts, comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import msgspec

from paymatch.domain.postings import Posting
from paymatch.domain.words.message import from_json
from paymatch.store.search.list_filter import ListFilter
from paymatch.store.search.tables import Parameters
from paymatch.store.statements.posting_documents import opened_facts
from paymatch.store.statements.postings import STAMP
from paymatch.store.transactions import ShopTx

LOOKS_FOR: Final = timedelta(minutes=2)
"""How long a person who opened a posting counts as viewing it."""

_OPEN: Final = "p.status IN ('suggested', 'unmatched')"
_LISTS: Final[Mapping[str, str]] = {
    "decide": f"{_OPEN} AND p.aside_reason = '' AND NOT p.collective",
    "collective": f"{_OPEN} AND p.aside_reason = '' AND p.collective",
    "aside": f"{_OPEN} AND p.aside_reason <> ''",
    "decided": "p.status IN ('matched', 'ignored') AND p.by_hand",
    "automatic": "p.status = 'matched' AND NOT p.by_hand",
    "open": _OPEN,
}
"""The condition of each list."""

DECIDED: Final = frozenset({"decided", "automatic"})
"""Lists of decided postings, the latest first."""

_PROBABILITY: Final = "(p.decision::json -> 'suggestions' -> 0 ->> 'probability')::numeric"
_KINDS: Final[Mapping[str, str]] = {
    "": "true",
    "with": "p.status = 'suggested'",
    "without": "p.status <> 'suggested'",
    "in": "p.amount_minor > 0",
    "out": "p.amount_minor < 0",
}
_COLUMNS: Final = f"""p.id, p.booking_date, p.amount_minor, p.currency, p.counterparty_name, p.remittance,
    p.bank_reference, p.account, p.status, p.decision, p.aside_reason, p.by_hand, p.decided_at, {STAMP} AS stamp,
    (SELECT array_agg(a.order_number ORDER BY a.order_number) FROM allocations a
     WHERE a.shop_id = $1 AND a.posting_id = p.id) AS orders,
    (SELECT v.person FROM posting_viewers v WHERE v.shop_id = $1 AND v.posting_id = p.id AND v.person <> $2
     AND v.seen_at > $3 ORDER BY v.seen_at DESC LIMIT 1) AS viewer"""


class StoredEvidence(msgspec.Struct):
    """A piece of evidence as it is stored with a decision; `says` is the code of its words if it is another one."""

    code: str
    weight: float
    words: str
    highlight: tuple[tuple[int, int], ...] = ()  # (start, end) in the posting's text
    says: str = ""
    values: dict[str, Any] = {}
    witness: str = ""  # who states it (`Witness`); "" of what was decided before witnesses were kept

    @property
    def said(self) -> str:
        """The words, with their code and values if stored."""
        return from_json(self.words, self.says or self.code, self.values)


class SaidReason(msgspec.Struct, frozen=True):
    """The code and values of a sentence."""

    code: str = ""
    values: dict[str, Any] = {}


class Credit(msgspec.Struct, rename="camel"):
    """A suggestion's credit to an order in the posting's currency, including the withheld fee."""

    order_number: str
    amount: Decimal
    fee: Decimal = Decimal(0)
    fee_kind: str = ""


class Suggestion(msgspec.Struct):
    """A way to explain the posting."""

    allocations: list[Credit]
    probability: float
    evidence: list[StoredEvidence] = []


class StoredDecision(msgspec.Struct, rename="camel"):
    """The engine's result for a posting; empty for a person's decision."""

    held_back: str = ""
    held_back_reason: SaidReason = SaidReason()
    flags: list[str] = []
    probability: float | None = None
    evidence: list[StoredEvidence] = []
    suggestions: list[Suggestion] = []

    @property
    def held_back_said(self) -> str:
        """Why a person has to decide, with code and values if stored."""
        return from_json(self.held_back, self.held_back_reason.code, self.held_back_reason.values)


_DECODE: Final = msgspec.json.Decoder(StoredDecision).decode
_NOTHING: Final = StoredDecision()


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which postings: the list, what a search has found, and a kind.

    `amounts` (as searches compare them) find a posting beside the text.
    """

    listed: str
    text: str = ""
    kind: str = ""
    amounts: Sequence[int] = ()
    found: ListFilter | None = None


def page(
    tx: ShopTx, wanted: QueueFilter, *, person: str, now: datetime, after: Sequence[str] = (), limit: int
) -> list[dict[str, Any]]:
    """The postings of a list, those with a suggestion first and the oldest first, decided ones the latest first.

    They follow the row with the `place` `after`. Each row has its other viewer, if not `person`.
    """
    params = Parameters(tx.shop_id)
    params.name(person)
    params.name(now - LOOKS_FOR)
    conditions = _conditions(wanted, params)
    decided = wanted.listed in DECIDED
    place = "ARRAY[p.decided_at::text, p.id]" if decided else "ARRAY[p.status, p.booking_date::text, p.id]"
    order = "p.decided_at DESC, p.id DESC" if decided else "p.status, p.booking_date, p.id"
    if after:
        casts = ("::timestamptz", "") if decided else ("", "::date", "")
        at = ", ".join(params.name(part) + cast for part, cast in zip(after, casts, strict=True))
        behind = f"(p.decided_at, p.id) < ({at})" if decided else f"(p.status, p.booking_date, p.id) > ({at})"
        conditions.append(behind)
    rows = tx.named(
        f"SELECT {_COLUMNS}, {place} AS place FROM postings p WHERE {' AND '.join(conditions)}"
        f" ORDER BY {order} LIMIT {params.name(limit)}",
        *params.values,
    )
    return [_with_decision(row) for row in rows]


def _conditions(wanted: QueueFilter, params: Parameters) -> list[str]:
    found = ["p.shop_id = $1", _LISTS[wanted.listed], _KINDS[wanted.kind]]
    return found if wanted.found is None else [*found, wanted.found.condition("p.id", params.name)]


def ids(tx: ShopTx, listed: Sequence[str]) -> list[str]:
    """The ids of all postings of these lists of open ones, in the order of `page`."""
    condition = " OR ".join(f"({_LISTS[each]})" for each in listed)
    statement = (
        f"SELECT p.id FROM postings p WHERE p.shop_id = $1 AND ({condition}) ORDER BY p.status, p.booking_date, p.id"
    )
    return [row[0] for row in tx.rows(statement, tx.shop_id)]


def likely_suggestions(
    tx: ShopTx, wanted: QueueFilter, least: Decimal, *, person: str, now: datetime, limit: int
) -> list[dict[str, Any]]:
    """The postings whose first suggestion has at least this probability, the most probable first; else as `page`."""
    params = Parameters(tx.shop_id)
    params.name(person)
    params.name(now - LOOKS_FOR)
    conditions = [*_conditions(wanted, params), "p.status = 'suggested'", f"{_PROBABILITY} >= {params.name(least)}"]
    rows = tx.named(
        f"SELECT {_COLUMNS} FROM postings p WHERE {' AND '.join(conditions)}"
        f" ORDER BY {_PROBABILITY} DESC, p.booking_date, p.id LIMIT {params.name(limit)}",
        *params.values,
    )
    return [_with_decision(row) for row in rows]


_PAYMENTS: Final = (
    "p.shop_id = $1 AND p.booking_date >= $4 AND p.amount_minor > 0 AND NOT p.is_return"
    " AND p.status <> 'ignored' AND p.aside_reason = ''"
)
"""What the share matched automatically is of, everywhere: payments that came in and were not set aside, by day."""
_COUNTS: Final = f"""
SELECT {", ".join(f"count(*) FILTER (WHERE {_LISTS[each]}) AS {each}" for each in ("decide", "collective", "aside"))},
    count(*) FILTER (WHERE {_LISTS["decide"]} AND p.status = 'suggested' AND {_PROBABILITY} >= $3) AS likely,
    min(p.decided_at) FILTER (WHERE {_LISTS["aside"]}) AS oldest_aside,
    (SELECT count(*) FROM postings p WHERE p.shop_id = $1 AND {_LISTS["decided"]}) AS decided,
    (SELECT count(*) FROM postings p WHERE p.shop_id = $1 AND {_LISTS["decided"]} AND p.decided_at >= $2)
        AS decided_today,
    (SELECT count(*) FROM postings p WHERE {_PAYMENTS}) AS booked,
    (SELECT count(*) FROM postings p WHERE {_PAYMENTS} AND {_LISTS["automatic"]}) AS automatic
FROM postings p WHERE p.shop_id = $1 AND {_OPEN}"""


def counts(tx: ShopTx, *, today: datetime, since: date, least: Decimal) -> dict[str, Any]:
    """The number of postings in each list; those decided since `today` began; booked and automatic ones `since`."""
    (found,) = tx.named(_COUNTS, tx.shop_id, today, least, since)
    return found


@dataclass(frozen=True, slots=True)
class Comment:
    """A person's comment on a posting."""

    author: str
    said: str
    at: datetime


class LastAside(msgspec.Struct, array_like=True, frozen=True):
    """Why a person last set a posting of an account aside, or ignored it (`status`)."""

    reason: str
    status: str


@dataclass(frozen=True, slots=True)
class QueuedPosting:
    """A posting with its decision, comments, and state (`stamp`)."""

    id: str
    posting: Posting
    status: str
    by_hand: bool
    aside_reason: str
    decided_at: datetime | None
    stamp: str
    decision: StoredDecision
    credits: tuple[Credit, ...]
    comments: tuple[Comment, ...]
    viewer: str
    last_aside: LastAside | None = None
    """Of the account that it came from; None for an account without one, and for payers without an account."""


_ONE: Final = f"""
WITH looked AS (
    INSERT INTO posting_viewers (shop_id, person, posting_id, seen_at)
    SELECT p.shop_id, $3, p.id, $5 FROM postings p WHERE p.shop_id = $1 AND p.id = $2 AND $6
    ON CONFLICT (shop_id, person) DO UPDATE SET posting_id = excluded.posting_id, seen_at = excluded.seen_at)
SELECT p.id, p.facts, p.status, p.by_hand, p.aside_reason, p.decided_at, {STAMP} AS stamp, p.decision, p.currency,
    (SELECT json_agg(json_build_object('orderNumber', a.order_number,
         'amount', amount_text(a.amount_minor + a.withheld_minor, p.digits)::numeric,
         'fee', amount_text(a.withheld_minor, p.digits)::numeric, 'feeKind', coalesce(a.fee_kind, ''))
         ORDER BY a.order_number)::text
     FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id) AS credits,
    (SELECT json_agg(json_build_object('author', c.author, 'said', c.said, 'at', c.at) ORDER BY c.seq)::text
     FROM posting_comments c WHERE c.shop_id = $1 AND c.posting_id = p.id) AS comments,
    (SELECT v.person FROM posting_viewers v WHERE v.shop_id = $1 AND v.posting_id = p.id AND v.person <> $3
     AND v.seen_at > $4 ORDER BY v.seen_at DESC LIMIT 1) AS viewer,
    (SELECT json_build_array(l.aside_reason, l.status)::text FROM postings l
     WHERE l.shop_id = $1 AND p.counterparty_iban <> '' AND l.counterparty_iban = p.counterparty_iban
     AND l.aside_reason <> '' ORDER BY l.decided_at DESC NULLS LAST, l.booking_date DESC, l.id LIMIT 1) AS last_aside
FROM postings p WHERE p.shop_id = $1 AND p.id = $2"""


def find(tx: ShopTx, posting_id: str, person: str, now: datetime, *, looks: bool = False) -> QueuedPosting | None:
    """The posting; None if there is none. `viewer` is its other viewer; with `looks` the person is recorded as one."""
    rows = tx.named(_ONE, tx.shop_id, posting_id, person, now - LOOKS_FOR, now, looks)
    if not rows:
        return None
    row = rows[0]
    return QueuedPosting(
        id=row["id"],
        posting=opened_facts(row["facts"], tx.vault()),
        status=row["status"],
        by_hand=row["by_hand"],
        aside_reason=row["aside_reason"],
        decided_at=row["decided_at"],
        stamp=row["stamp"],
        decision=_decode_decision(row["decision"]),
        credits=tuple(msgspec.json.decode(row["credits"] or "[]", type=list[Credit])),
        comments=tuple(msgspec.json.decode(row["comments"] or "[]", type=list[Comment])),
        viewer=row["viewer"] or "",
        last_aside=msgspec.json.decode(row["last_aside"], type=LastAside) if row["last_aside"] else None,
    )


def comment(tx: ShopTx, posting_id: str, said: str, now: datetime) -> bool:
    """Stores a comment by the transaction's actor; False if there is no such posting."""
    return bool(
        tx.run(
            "INSERT INTO posting_comments (shop_id, posting_id, seq, author, said, at)"
            " SELECT $1, p.id, (SELECT coalesce(max(c.seq), 0) + 1 FROM posting_comments c"
            " WHERE c.shop_id = $1 AND c.posting_id = p.id), $3, $4, $5"
            " FROM postings p WHERE p.shop_id = $1 AND p.id = $2 FOR UPDATE RETURNING 1",
            *(tx.shop_id, posting_id, tx.actor.name, said, now),
        )
    )


@dataclass(frozen=True, slots=True)
class QueuedOrder:
    """An order for the queue. Amounts in minor units of its currency; `callback` is the last one's state."""

    number: str
    currency: str
    amount_minor: int
    paid_minor: int
    refunded_minor: int
    status: str
    mark: str | None
    callback: str
    callback_due: datetime | None


_ORDERS: Final = """
SELECT o.number, o.currency, o.amount_minor, o.postings_minor AS paid_minor, o.refunded_minor, o.status, o.mark,
    coalesce(c.status, '') AS callback, c.due_at AS callback_due
FROM orders o LEFT JOIN LATERAL (
    SELECT c.status, c.due_at FROM callbacks c WHERE c.shop_id = $1 AND c.order_number = o.number
    ORDER BY c.order_seq DESC LIMIT 1) c ON true
WHERE o.shop_id = $1 AND o.number = ANY($2)"""


def orders(tx: ShopTx, numbers: Sequence[str]) -> dict[str, QueuedOrder]:
    """The orders by number, each with the state of its last callback."""
    if not numbers:
        return {}
    return {row["number"]: QueuedOrder(**row) for row in tx.named(_ORDERS, tx.shop_id, list(numbers))}


def _with_decision(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"decision": _decode_decision(row["decision"])}


def _decode_decision(text: str) -> StoredDecision:
    return _DECODE(text) if text else _NOTHING


def count_suggested(tx: ShopTx, first: date, last: date) -> int:
    """How many postings of these days have a suggestion that waits for a decision."""
    found: int = tx.value(
        "SELECT count(*) FROM postings WHERE shop_id = $1 AND booking_date BETWEEN $2 AND $3 AND status = 'suggested'",
        tx.shop_id, first, last,
    )  # fmt: skip
    return found
