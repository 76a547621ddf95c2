"""Outcomes of a replay: each posting's result, and the figures' counts. In the replay's shop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.domain.postings import PostingStatus
from paymatch.domain.replays.figures import SLOW_DAYS, ReplayFigure, ReplayOutcome
from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx

_FIRST_SUGGESTION: Final = (
    "coalesce((SELECT array_agg(a->>'orderNumber' ORDER BY a->>'orderNumber')"
    " FROM json_array_elements(CASE WHEN p.decision <> '' THEN p.decision::json->'suggestions'->0->'allocations' END) a"
    "), '{}')"
)
_IN_ZONE: Final = "AT TIME ZONE (SELECT timezone FROM shops WHERE shop_id = $1)"
_BOOKED: Final = (
    "coalesce((SELECT array_agg(DISTINCT a.order_number ORDER BY a.order_number) FROM allocations a"
    " WHERE a.shop_id = p.shop_id AND a.posting_id = p.id), '{}')"
)


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """The outcome of a posting on the day of its arrival; `theirs` None: the other system's decision is unknown."""

    posting_id: str
    came_on: date
    outcome: ReplayOutcome
    ours: tuple[str, ...]
    theirs: tuple[str, ...] | None
    verdict: str = ""
    our_facts: tuple[str, ...] = ()
    their_facts: tuple[str, ...] = ()


def new_postings(tx: ShopTx, imports: Sequence[str]) -> list[str]:
    """Postings of the imports that have no outcome yet, by booking day."""
    rows = tx.rows(
        "SELECT p.id FROM postings p WHERE p.shop_id = $1 AND p.import_id = ANY($2) AND NOT EXISTS (SELECT"
        " FROM replay_outcomes o WHERE o.shop_id = p.shop_id AND o.posting_id = p.id) ORDER BY p.booking_date, p.id",
        tx.shop_id,
        list(imports),
    )
    return [row[0] for row in rows]


def add(tx: ShopTx, ids: Sequence[str], came_on: date) -> None:
    """Records the postings' present states as outcomes."""
    tx.run(
        "INSERT INTO replay_outcomes (shop_id, posting_id, came_on, outcome, ours)"
        f" SELECT p.shop_id, p.id, $3, CASE WHEN p.status = '{PostingStatus.IGNORED}' OR p.aside_reason <> ''"
        f" OR (p.status = '{PostingStatus.UNMATCHED}' AND p.amount_minor < 0) THEN '{ReplayOutcome.ASIDE}'"
        f" WHEN p.status = '{PostingStatus.UNMATCHED}' THEN '{ReplayOutcome.LEFT}'"
        f" ELSE p.status END, CASE p.status WHEN '{PostingStatus.MATCHED}' THEN {_BOOKED}"
        f" WHEN '{PostingStatus.SUGGESTED}' THEN {_FIRST_SUGGESTION} ELSE '{{}}' END"
        " FROM postings p WHERE p.shop_id = $1 AND p.id = ANY($2) ON CONFLICT (shop_id, posting_id) DO NOTHING",
        tx.shop_id, list(ids), came_on,
    )  # fmt: skip


def ours_of(tx: ShopTx, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Posting -> the orders that it was assigned to or that were proposed first."""
    rows = tx.rows("SELECT posting_id, ours FROM replay_outcomes WHERE shop_id = $1 AND posting_id = ANY($2)",
                   tx.shop_id, list(ids))  # fmt: skip
    return {row[0]: tuple(row[1]) for row in rows}


def set_theirs(tx: ShopTx, theirs: Mapping[str, Sequence[str]]) -> None:
    """Records what the other system had decided: posting -> sorted orders, none if it is for no order."""
    tx.run(
        "UPDATE replay_outcomes o SET theirs = ARRAY(SELECT json_array_elements_text(t.value)) FROM json_each($2) t"
        " WHERE o.shop_id = $1 AND o.posting_id = t.key",
        tx.shop_id, msgspec.json.encode(dict(theirs)).decode(),
    )  # fmt: skip


def open_with_decision(tx: ShopTx, came_on: date) -> list[tuple[str, tuple[str, ...]]]:
    """(posting, orders) that a person of the other system decided and that still wait for one here."""
    rows = tx.rows(
        "SELECT o.posting_id, o.theirs FROM replay_outcomes o JOIN postings p ON p.shop_id = o.shop_id"
        " AND p.id = o.posting_id WHERE o.shop_id = $1 AND o.came_on = $2 AND o.theirs <> '{}'"
        f" AND p.status IN ('{PostingStatus.SUGGESTED}', '{PostingStatus.UNMATCHED}') ORDER BY o.posting_id",
        tx.shop_id, came_on,
    )  # fmt: skip
    return [(row[0], tuple(row[1])) for row in rows]


def raise_later_matches(tx: ShopTx) -> None:
    """Postings that were matched without a person on a later day count as matched."""
    tx.run(
        f"UPDATE replay_outcomes o SET outcome = '{ReplayOutcome.MATCHED}', ours = {_BOOKED} FROM postings p"
        " WHERE o.shop_id = $1 AND p.shop_id = o.shop_id AND p.id = o.posting_id AND NOT p.by_hand"
        f" AND p.status = '{PostingStatus.MATCHED}' AND o.outcome <> '{ReplayOutcome.MATCHED}'",
        tx.shop_id,
    )


def differing_outcomes(tx: ShopTx) -> list[OutcomeRow]:
    """Outcomes that differ from what the other system decided, of those that are not judged yet."""
    rows = tx.rows(
        "SELECT posting_id, came_on, outcome, ours, theirs FROM replay_outcomes WHERE shop_id = $1"
        " AND theirs IS NOT NULL AND ours <> theirs AND verdict = '' ORDER BY posting_id",
        tx.shop_id,
    )
    return [
        build(OutcomeRow, row, outcome=ReplayOutcome(row.outcome), ours=tuple(row.ours), theirs=tuple(row.theirs))
        for row in rows
    ]


def set_verdict(tx: ShopTx, row: OutcomeRow) -> None:
    """Records who is right about a posting, and the facts for each side."""
    tx.put(
        "UPDATE replay_outcomes SET verdict = $3, our_facts = $4, their_facts = $5 WHERE shop_id = $1"
        " AND posting_id = $2",
        tx.shop_id, row.posting_id, row.verdict, list(row.our_facts), list(row.their_facts),
    )  # fmt: skip


_WRONG: Final = """
SELECT r.order_number, r.dunning_level, r.sent_date, min(p.booking_date) AS booked_on,
       max(p.id) AS posting_id, o.amount_minor, o.currency
FROM reminders r JOIN orders o ON o.shop_id = r.shop_id AND o.number = r.order_number
JOIN (SELECT a.shop_id, a.posting_id, a.order_number, a.order_amount_minor FROM allocations a WHERE a.shop_id = $1
      UNION ALL
      SELECT x.shop_id, x.posting_id, t.number, CASE WHEN cardinality(x.theirs) = 1 THEN q.amount_minor
             WHEN q.amount_minor >= (SELECT sum(n.amount_minor) FROM orders n WHERE n.shop_id = $1
                                     AND n.number = ANY(x.theirs)) - $2 THEN own.amount_minor ELSE 0 END
      FROM replay_outcomes x
      JOIN postings q ON q.shop_id = x.shop_id AND q.id = x.posting_id
      CROSS JOIN unnest(x.theirs) t(number)
      JOIN orders own ON own.shop_id = x.shop_id AND own.number = t.number
      WHERE x.shop_id = $1 AND x.verdict <> 'ours' AND NOT EXISTS (
          SELECT FROM allocations a WHERE a.shop_id = x.shop_id AND a.posting_id = x.posting_id
          AND a.order_number = t.number)) m ON m.shop_id = r.shop_id AND m.order_number = r.order_number
JOIN postings p ON p.shop_id = m.shop_id AND p.id = m.posting_id
JOIN replay_outcomes came ON came.shop_id = p.shop_id AND came.posting_id = p.id AND came.came_on <= r.sent_date
WHERE r.shop_id = $1
GROUP BY r.order_number, r.dunning_level, r.sent_date, o.amount_minor, o.currency
HAVING sum(m.order_amount_minor) >= o.amount_minor - $2
"""
"""Reminders about orders whose money was in a statement that had already arrived."""


_EVERY: Final = """
SELECT r.order_number, r.dunning_level, r.sent_date, NULL::date AS booked_on, '' AS posting_id, o.amount_minor,
       o.currency
FROM reminders r JOIN orders o ON o.shop_id = r.shop_id AND o.number = r.order_number
WHERE r.shop_id = $1 AND $2::bigint IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ReplayedReminder:
    """A reminder of the replay; `booked_on` and `posting_id` of the money that had arrived, if this is asked for."""

    order_number: str
    dunning_level: int
    sent_date: date
    booked_on: date | None
    posting_id: str
    amount_minor: int
    currency: str


def list_reminders(
    tx: ShopTx, tolerance_minor: int, *, wrong: bool, skip: int = 0, limit: int = 1000
) -> list[ReplayedReminder]:
    """Reminders by day, all or those that went to customers who had paid, behind the first `skip`."""
    rows = tx.rows(
        f"{_WRONG if wrong else _EVERY} ORDER BY r.sent_date, r.order_number, r.dunning_level OFFSET $3 LIMIT $4",
        tx.shop_id, tolerance_minor, skip, limit,
    )  # fmt: skip
    return [build(ReplayedReminder, row) for row in rows]


def count_reminders(tx: ShopTx, tolerance_minor: int) -> tuple[int, int]:
    """(reminders, those that went to customers who had paid)."""
    wrong: int = tx.value(f"SELECT count(*) FROM ({_WRONG}) w", tx.shop_id, tolerance_minor)
    every: int = tx.value(f"SELECT count(*) FROM ({_EVERY}) e", tx.shop_id, tolerance_minor)
    return every, wrong


def counts(tx: ShopTx) -> dict[str, int]:
    """Figure -> how many postings it counts, and `compared` and `suggested-compared`."""
    asked = ", ".join(
        f'count(*) FILTER (WHERE {condition}) AS "{name}"' for name, condition in (_CONDITIONS | _COMPARED).items()
    )
    row = tx.row(f"SELECT {asked} FROM replay_outcomes o WHERE o.shop_id = $1", tx.shop_id)
    assert row is not None
    return dict(zip((*_CONDITIONS, *_COMPARED), row, strict=True))


def count_ways(tx: ShopTx) -> list[tuple[str, int]]:
    """(codes of evidence, how many postings were matched by it) of what was matched without a person."""
    rows = tx.rows(
        "SELECT p.matched_by, count(*) FROM replay_outcomes o JOIN postings p ON p.shop_id = o.shop_id"
        f" AND p.id = o.posting_id WHERE o.shop_id = $1 AND {_CONDITIONS[ReplayFigure.MATCHED]} GROUP BY 1",
        tx.shop_id,
    )
    return [(row[0], row[1]) for row in rows]


def days_to_paid(tx: ShopTx) -> list[int]:
    """Days from the booking of the last payment of each order to the first moment at which it was PAID."""
    rows = tx.rows(
        "SELECT greatest(paid.on_day - max(p.booking_date), 0) FROM allocations a"
        " JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        f" JOIN (SELECT order_number, (min(at) {_IN_ZONE})::date AS on_day FROM events"
        "       WHERE shop_id = $1 AND to_status = 'PAID' GROUP BY order_number) paid"
        " ON paid.order_number = a.order_number"
        " WHERE a.shop_id = $1 AND a.kind = 'payment' AND p.booking_date <= paid.on_day"
        " GROUP BY a.order_number, paid.on_day",
        tx.shop_id,
    )
    return [row[0] for row in rows]


_CONDITIONS: Final[dict[str, str]] = {
    ReplayFigure.POSTINGS: "true",
    ReplayFigure.ASIDE: "o.outcome = 'aside'",
    ReplayFigure.MATCHED: "o.outcome = 'matched'",
    ReplayFigure.SUGGESTED: "o.outcome = 'suggested'",
    ReplayFigure.SUGGESTED_RIGHT: "o.outcome = 'suggested' AND o.ours = o.theirs",
    ReplayFigure.LEFT: "o.outcome = 'left'",
    ReplayFigure.OURS: "o.verdict = 'ours'",
    ReplayFigure.THEIRS: "o.verdict = 'theirs'",
    ReplayFigure.BOTH: "o.verdict = 'both'",
    ReplayFigure.SLOW: (
        "o.outcome IN ('matched', 'suggested', 'left') AND EXISTS (SELECT FROM postings p WHERE p.shop_id = o.shop_id"
        f" AND p.id = o.posting_id AND p.status = 'matched'"
        f" AND (p.decided_at {_IN_ZONE})::date - p.booking_date > {SLOW_DAYS})"
    ),
}
_COMPARED: Final[dict[str, str]] = {
    "compared": "o.theirs IS NOT NULL",
    "suggested-compared": "o.outcome = 'suggested' AND o.theirs IS NOT NULL",
}


@dataclass(frozen=True, slots=True)
class ListedOutcome:
    """A posting of a figure's list."""

    posting_id: str
    booking_date: date
    amount_minor: int
    currency: str
    name: str
    text: str
    outcome: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...] | None
    verdict: str
    our_facts: tuple[str, ...]
    their_facts: tuple[str, ...]
    decided_at: datetime | None


def list_outcomes(tx: ShopTx, figure: ReplayFigure, after: str = "", limit: int = 100) -> list[ListedOutcome]:
    """The postings that a figure counts, by booking day, behind the one `after`."""
    rows = tx.rows(
        "SELECT p.id AS posting_id, p.booking_date, p.amount_minor, p.currency, p.counterparty_name AS name,"
        " p.remittance AS text, o.outcome, o.ours, o.theirs, o.verdict, o.our_facts, o.their_facts, p.decided_at"
        " FROM replay_outcomes o JOIN postings p ON p.shop_id = o.shop_id AND p.id = o.posting_id"
        f" WHERE o.shop_id = $1 AND {_CONDITIONS[figure]} AND (p.booking_date, p.id) > (SELECT"
        " coalesce((SELECT f.booking_date FROM postings f WHERE f.shop_id = $1 AND f.id = $2), '0001-01-01'), $2)"
        " ORDER BY p.booking_date, p.id LIMIT $3",
        tx.shop_id, after, limit,
    )  # fmt: skip
    return [
        build(
            ListedOutcome, row, ours=tuple(row.ours), our_facts=tuple(row.our_facts),
            their_facts=tuple(row.their_facts), theirs=None if row.theirs is None else tuple(row.theirs),
        )
        for row in rows
    ]  # fmt: skip
