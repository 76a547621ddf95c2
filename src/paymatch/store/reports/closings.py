"""Closed months: each posting's explanation at closing, and changes since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.store.connection import Row, build
from paymatch.store.statements.posting_snapshots import PARTS
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class ClosedMonth:
    """A closed month; `summary` is the JSON of its balances and receivables."""

    month: date
    seq: int
    closed_at: datetime
    closed_date: date
    closed_by: str
    postings: int
    summary: str
    hash: bytes


_COLUMNS: Final = "month, seq, closed_at, closed_date, closed_by, postings, summary, hash"


def months(tx: ShopTx) -> list[ClosedMonth]:
    """The closed months in the order in which they were closed."""
    rows = tx.rows(f"SELECT {_COLUMNS} FROM closed_months WHERE shop_id = $1 ORDER BY seq", tx.shop_id)
    return [build(ClosedMonth, row, hash=bytes(row.hash)) for row in rows]


def summaries(tx: ShopTx) -> dict[date, str]:
    """Closed month -> its balances, receivables and figures, as JSON."""
    return dict(tx.rows("SELECT month, summary FROM closed_months WHERE shop_id = $1", tx.shop_id))


def lock(tx: ShopTx) -> None:
    """Locks closing: one month of the shop at a time."""
    tx.row("SELECT FROM shops WHERE shop_id = $1 FOR NO KEY UPDATE", tx.shop_id)


_SAID: Final = """json_build_array(p.account, p.currency, p.booking_date, p.amount_minor,
               CASE WHEN p.status = 'ignored' THEN 'ignored' WHEN p.aside_reason <> '' THEN 'set-aside'
                    WHEN p.status = 'matched' THEN 'matched' ELSE 'open' END,
               p.aside_reason, part.parts::json)::text AS explained"""
_NOW: Final = f"""
    SELECT p.id, {_SAID}
    FROM postings p CROSS JOIN {PARTS}
    WHERE p.shop_id = $1 AND p.booking_date BETWEEN $2 AND $3"""
"""Each posting of the days from $2 to $3 in a seal's form: its purpose, only figures."""


def keep_postings(tx: ShopTx, month: date, last: date) -> int:
    """Stores the present explanations of the month's postings; returns their number."""
    return tx.run(
        f"INSERT INTO closed_postings (shop_id, month, posting_id, explained)"
        f" SELECT $1, $2, n.id, n.explained FROM ({_NOW}) n RETURNING 1",
        tx.shop_id, month, last,
    )  # fmt: skip


def lines(tx: ShopTx, month: date) -> Iterator[tuple[str, str]]:
    """(posting, its explanation) by id."""
    statement = """SELECT posting_id, explained FROM closed_postings WHERE shop_id = $1 AND month = $2
                   ORDER BY posting_id COLLATE "C\""""
    for row in tx.stream(statement, tx.shop_id, month):
        yield row.posting_id, row.explained


def add(tx: ShopTx, closed: ClosedMonth) -> None:
    """Stores a closed month."""
    tx.run(
        f"INSERT INTO closed_months (shop_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        tx.shop_id, closed.month, closed.seq, closed.closed_at, closed.closed_date, closed.closed_by, closed.postings,
        closed.summary, closed.hash,
    )  # fmt: skip


def set_hash(tx: ShopTx, month: date, seal: bytes) -> None:
    """Seals the month again: an erased person was named in it (D-63)."""
    tx.run("UPDATE closed_months SET hash = $3 WHERE shop_id = $1 AND month = $2", tx.shop_id, month, seal)


_CHANGES: Final = f"""
SELECT coalesce(c.posting_id, n.id) AS posting_id, c.explained AS before, n.explained AS after
FROM (SELECT posting_id, explained FROM closed_postings WHERE shop_id = $1 AND month = $2) c
FULL JOIN ({_NOW}) n ON n.id = c.posting_id
WHERE c.explained IS DISTINCT FROM n.explained
ORDER BY 1 LIMIT $4"""


def changes(tx: ShopTx, month: date, last: date, limit: int | None = None) -> Sequence[Row]:
    """The postings of the month that have changed since its closing; None where there was or is none."""
    return tx.rows(_CHANGES, tx.shop_id, month, last, limit)


_COUNTED: Final = f"""
SELECT count(*) FROM (SELECT posting_id, explained FROM closed_postings WHERE shop_id = $1 AND month = $2) c
FULL JOIN ({_NOW}) n ON n.id = c.posting_id WHERE c.explained IS DISTINCT FROM n.explained"""


def count_changes(tx: ShopTx, month: date, last: date) -> int:
    """The number of the month's postings that have changed since its closing."""
    found: int = tx.value(_COUNTED, tx.shop_id, month, last)
    return found


_SUSPECTS: Final = f"""
WITH months AS (
    SELECT month, closed_date, (month + interval '1 month')::date - 1 AS last FROM closed_months WHERE shop_id = $1),
suspects AS (
    SELECT m.month, m.last, p.id FROM months m
    JOIN postings p ON p.shop_id = $1 AND p.booking_date BETWEEN m.month AND m.last AND p.since_date >= m.closed_date
    UNION
    SELECT m.month, m.last, y.posting_id FROM months m
    JOIN posting_past y ON y.shop_id = $1 AND y.until_date >= m.closed_date
      AND y.booking_date BETWEEN m.month AND m.last)
SELECT s.month, count(*) AS changes FROM suspects s
LEFT JOIN closed_postings c ON c.shop_id = $1 AND c.month = s.month AND c.posting_id = s.id
LEFT JOIN LATERAL (
    SELECT {_SAID} FROM postings p CROSS JOIN {PARTS}
    WHERE p.shop_id = $1 AND p.id = s.id AND p.booking_date BETWEEN s.month AND s.last) n ON true
WHERE c.explained IS DISTINCT FROM n.explained GROUP BY s.month"""


def changes_by_history(tx: ShopTx) -> dict[date, int]:
    """Month -> changes since it was closed, by the history of the postings: only changed ones are read.

    A table changed by hand leaves no history; `count_changes` compares every line.
    """
    return {row.month: row.changes for row in tx.rows(_SUSPECTS, tx.shop_id)}
