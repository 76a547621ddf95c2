"""Synchronisations of orders in PostgreSQL: the marks that each changed, for an undo (D-38)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from paymatch.domain.orders.settlement import Mark
from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class SyncRow:
    """A call of POST /ordersync; the counts are those of its moment."""

    id: str
    at: datetime
    listed: int
    open_before: int
    legacy: int
    revived: int
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class MarkChange:
    """The mark of an order before the call and after it."""

    before: Mark | None
    after: Mark | None


_COLUMNS = "id, at, listed, open_before, legacy, revived, undone_at"


def is_guarded(tx: ShopTx) -> bool:
    """Whether the shop wants truncated-looking lists refused (`ordersync-guard`)."""
    return bool(tx.value("SELECT ordersync_guard FROM shops WHERE shop_id = $1", tx.shop_id))


def took_money(tx: ShopTx, sync_id: str) -> bool:
    """Whether a partly paid order vanished by the call."""
    found = tx.value(
        "SELECT EXISTS (SELECT FROM order_sync_marks m JOIN orders o ON o.shop_id = $1 AND o.number = m.order_number"
        " WHERE m.shop_id = $1 AND m.sync_id = $2 AND m.mark_after = 'LEGACY' AND o.postings_minor > 0)",
        tx.shop_id,
        sync_id,
    )
    return bool(found)


def add(tx: ShopTx, row: SyncRow, changes: Mapping[str, MarkChange]) -> None:
    """Keeps what a call did."""
    tx.run(
        f"INSERT INTO order_syncs (shop_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        tx.shop_id, row.id, row.at, row.listed, row.open_before, row.legacy, row.revived, row.undone_at,
    )  # fmt: skip
    tx.run(
        "INSERT INTO order_sync_marks (shop_id, sync_id, order_number, mark_before, mark_after)"
        " SELECT $1, $2, c.number, nullif(c.before, ''), nullif(c.after, '')"
        " FROM unnest($3::text[], $4::text[], $5::text[]) c(number, before, after) RETURNING 1",
        tx.shop_id,
        row.id,
        list(changes),
        [change.before or "" for change in changes.values()],
        [change.after or "" for change in changes.values()],
    )


def forget(tx: ShopTx, until: datetime) -> None:
    """Deletes the undo data of calls before a moment."""
    tx.run(
        "DELETE FROM order_sync_marks m USING order_syncs s"
        " WHERE m.shop_id = $1 AND s.shop_id = $1 AND s.id = m.sync_id AND s.at < $2",
        tx.shop_id,
        until,
    )


def find(tx: ShopTx, sync_id: str) -> SyncRow | None:
    """The call of this id, or None."""
    row = tx.row(f"SELECT {_COLUMNS} FROM order_syncs WHERE shop_id = $1 AND id = $2", tx.shop_id, sync_id)
    return build(SyncRow, row) if row else None


def since(tx: ShopTx, moment: datetime) -> list[SyncRow]:
    """The calls since a moment, latest first."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM order_syncs WHERE shop_id = $1 AND at >= $2 ORDER BY at DESC, id DESC",
        tx.shop_id,
        moment,
    )
    return [build(SyncRow, row) for row in rows]


def changes(tx: ShopTx, sync_id: str) -> dict[str, MarkChange]:
    """Order number -> the call's change of its mark."""
    rows = tx.rows(
        "SELECT order_number, mark_before, mark_after FROM order_sync_marks WHERE shop_id = $1 AND sync_id = $2"
        " ORDER BY order_number",
        tx.shop_id,
        sync_id,
    )
    return {
        number: MarkChange(Mark(before) if before else None, Mark(after) if after else None)
        for number, before, after in rows
    }


def numbers_set_to_legacy(tx: ShopTx, sync_id: str, limit: int) -> list[str]:
    """The first numbers that the call set to LEGACY."""
    rows = tx.rows(
        "SELECT order_number FROM order_sync_marks WHERE shop_id = $1 AND sync_id = $2 AND mark_after = 'LEGACY'"
        " ORDER BY order_number LIMIT $3",
        tx.shop_id,
        sync_id,
        limit,
    )
    return [row[0] for row in rows]


def set_undone(tx: ShopTx, sync_id: str, now: datetime) -> bool:
    """Marks the call as undone; False if it was before."""
    return bool(
        tx.run(
            "UPDATE order_syncs SET undone_at = $3 WHERE shop_id = $1 AND id = $2 AND undone_at IS NULL",
            tx.shop_id,
            sync_id,
            now,
        )
    )
