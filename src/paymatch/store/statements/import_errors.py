"""Unreadable entries of imports, in PostgreSQL: the file's text, and the person's data for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.domain.postings import PostingSource
from paymatch.store.connection import build
from paymatch.store.messages import coded, recall
from paymatch.store.sealing import ERROR_ROW
from paymatch.store.transactions import ShopTx

UNREADABLE_ENTRIES: Final = "unreadable-entries"
"""Flag of a statement with an unreadable entry, until all of them are resolved."""

BALANCE_MISMATCH: Final = "balance-mismatch"
"""Flag of a final statement whose opening balance and bookings, resolved ones included, miss its closing balance."""


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """An unreadable entry of a statement: a person sees it."""

    position: int
    statement_id: str
    line: int
    reason: str
    raw: str


@dataclass(frozen=True, slots=True)
class UnreadRow:
    """An entry of an import that could not be read; `resolved_by` is the import with the person's data, or "".

    `account` and `currency` are those of its statement, "" if unknown.
    """

    import_id: str
    file_name: str
    position: int
    line: int
    reason: str
    raw: str
    resolved_by: str
    account: str
    currency: str


def add(tx: ShopTx, import_id: str, rows: Sequence[ErrorRow]) -> None:
    """Stores unreadable entries."""
    vault = tx.vault()
    for row in rows:
        tx.run(
            "INSERT INTO import_errors (shop_id, import_id, position, statement_id, line, reason, reason_message,"
            " raw) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            tx.shop_id, import_id, row.position, row.statement_id, row.line, row.reason, coded(row.reason),
            vault.seal(ERROR_ROW, row.raw),
        )  # fmt: skip


def unread(tx: ShopTx, import_id: str = "") -> list[UnreadRow]:
    """The entries that could not be read, latest import first; only those of one import if it is named."""
    vault = tx.vault()
    rows = tx.rows(
        "SELECT e.import_id, i.file_name, e.position, e.line, e.reason, e.reason_message, e.raw, e.resolved_by,"
        " coalesce(s.account, '') AS account, coalesce(s.currency, '') AS currency FROM import_errors e"
        " JOIN imports i ON i.shop_id = e.shop_id AND i.id = e.import_id"
        " LEFT JOIN statements s ON s.shop_id = e.shop_id AND s.id = e.statement_id"
        " WHERE e.shop_id = $1 AND ($2 = '' OR e.import_id = $2) ORDER BY i.created_at DESC, i.id, e.position",
        tx.shop_id,
        import_id,
    )
    return [
        build(
            UnreadRow, row, without="reason_message", raw=vault.open(ERROR_ROW, row.raw),
            reason=recall(row.reason, row.reason_message),
        )
        for row in rows
    ]  # fmt: skip


def count_waiting(tx: ShopTx) -> int:
    """The number of unreadable entries that wait for a person."""
    row = tx.row("SELECT count(*) FROM import_errors WHERE shop_id = $1 AND resolved_at IS NULL", tx.shop_id)
    return row[0] if row else 0


def set_resolved(tx: ShopTx, row: UnreadRow, resolved_by: str, amount_minor: int | None, now: datetime) -> None:
    """The entry is in the books by another import; `amount_minor` is None if it is not in its statement's currency."""
    tx.run(
        "UPDATE import_errors SET resolved_at = $4, resolved_by = $5, resolved_minor = $6 WHERE shop_id = $1"
        " AND import_id = $2 AND position = $3",
        tx.shop_id, row.import_id, row.position, now, resolved_by, amount_minor,
    )  # fmt: skip
    _set_flags(tx, [row.import_id])


def forget(tx: ShopTx, import_id: str) -> None:
    """After an undo: deletes the import's unreadable entries; those that it resolved wait for a person again."""
    tx.run("DELETE FROM import_errors WHERE shop_id = $1 AND import_id = $2", tx.shop_id, import_id)
    opened = tx.rows(
        "UPDATE import_errors SET resolved_at = NULL, resolved_by = '', resolved_minor = NULL"
        " WHERE shop_id = $1 AND resolved_by = $2 RETURNING import_id",
        tx.shop_id,
        import_id,
    )
    _set_flags(tx, sorted({row[0] for row in opened}))


# An entry without statement is from before that was recorded: it counts for the readability of each, for no balance.
_SET_FLAGS: Final = """
UPDATE statements s SET flags = array_remove(array_remove(s.flags, $4::text), $5::text)
    || CASE WHEN EXISTS (
        SELECT FROM import_errors e WHERE e.shop_id = $1 AND e.import_id = s.import_id
        AND e.statement_id IN ('', s.id) AND e.resolved_at IS NULL
    ) THEN ARRAY[$4::text] ELSE '{}' END
    || CASE WHEN s.source = $3 AND s.closing_minor <> s.opening_minor + s.booked_minor + (
        SELECT coalesce(sum(e.resolved_minor), 0) FROM import_errors e WHERE e.shop_id = $1
        AND e.import_id = s.import_id AND e.statement_id = s.id
    ) THEN ARRAY[$5::text] ELSE '{}' END
WHERE s.shop_id = $1 AND s.import_id = ANY($2) AND EXISTS (
    SELECT FROM import_errors e WHERE e.shop_id = $1 AND e.import_id = s.import_id AND e.statement_id IN ('', s.id)
)"""


def _set_flags(tx: ShopTx, imports: Sequence[str]) -> None:
    """Flags statements with unreadable entries by the still unread ones, and by their balances."""
    tx.run(_SET_FLAGS, tx.shop_id, list(imports), PostingSource.FINAL, UNREADABLE_ENTRIES, BALANCE_MISMATCH)
