"""Figures over all real shops, read from the database when they are asked for; all need the operator's view.

Sandbox shops are left out: their clocks stand still, and what fails there is part of somebody's trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.store.database import Tx
from paymatch.store.rows import build

OVERDUE: Final = timedelta(minutes=1)
"""Work that has been due for longer, and that nobody does, is late."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Callbacks that will be sent: all, the late ones, and when the first was due (None: none is due)."""

    pending: int
    overdue: int
    oldest_due_at: datetime | None
    paused_shops: int


@dataclass(frozen=True, slots=True)
class JobFigures:
    """The jobs of one kind over all shops: how often done and failed; failing, due and late ones now."""

    kind: str
    done: int
    failed: int
    failing: int
    due: int
    overdue: int
    oldest_due_at: datetime | None


def tallies(tx: Tx) -> dict[str, int]:
    """Name -> total (store/work/tallies.py)."""
    rows = tx.rows(
        "SELECT t.name, sum(t.total)::bigint FROM tallies t JOIN shops s ON s.shop_id = t.shop_id"
        " WHERE NOT s.sandbox GROUP BY 1"
    )
    return {row[0]: row[1] for row in rows}


_CALLBACKS: Final = """
SELECT count(*) AS pending,
       count(*) FILTER (WHERE c.due_at <= $2 AND (c.claimed_until IS NULL OR c.claimed_until <= $1)) AS overdue,
       min(c.due_at) FILTER (WHERE c.due_at <= $1) AS oldest_due_at,
       (SELECT count(*) FROM shops WHERE NOT sandbox AND status = 'active' AND callbacks_paused_at IS NOT NULL)
           AS paused_shops
FROM callbacks c JOIN shops s ON s.shop_id = c.shop_id
WHERE c.status = 'PENDING' AND NOT s.sandbox AND s.status = 'active' AND s.callbacks AND s.callback_url <> ''
  AND s.callbacks_paused_at IS NULL"""


def callbacks(tx: Tx, clock: datetime) -> Waiting:
    """Callbacks of shops that send them now."""
    row = tx.row(_CALLBACKS, clock, clock - OVERDUE)
    assert row is not None
    return build(Waiting, row)


def jobs(tx: Tx, clock: datetime, kinds: Sequence[str]) -> list[JobFigures]:
    """A row for each of the kinds, in their order."""
    rows = tx.rows(
        "SELECT k.kind, coalesce(sum(j.done), 0)::bigint AS done, coalesce(sum(j.failed), 0)::bigint AS failed,"
        " count(*) FILTER (WHERE j.failures > 0) AS failing, count(*) FILTER (WHERE j.due_at <= $1) AS due,"
        " count(*) FILTER (WHERE j.due_at <= $2 AND (j.claimed_until IS NULL OR j.claimed_until <= $1)) AS overdue,"
        " min(j.due_at) FILTER (WHERE j.due_at <= $1) AS oldest_due_at"
        " FROM unnest($3::text[]) WITH ORDINALITY k(kind, place)"
        " LEFT JOIN (shop_jobs j JOIN shops s ON s.shop_id = j.shop_id AND NOT s.sandbox) ON j.kind = k.kind"
        " GROUP BY k.kind, k.place ORDER BY k.place",
        clock,
        clock - OVERDUE,
        list(kinds),
    )
    return [build(JobFigures, row) for row in rows]


def open_postings(tx: Tx) -> dict[str, int]:
    """Status -> number of postings that wait for a decision."""
    rows = tx.rows(
        "SELECT p.status, count(*) FROM postings p JOIN shops s ON s.shop_id = p.shop_id"
        " WHERE p.status IN ('suggested', 'unmatched') AND NOT s.sandbox GROUP BY 1"
    )
    return {row[0]: row[1] for row in rows}
