"""Imports of orders in PostgreSQL: the created orders of each, and the layouts of tables."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from paymatch.domain.words.message import as_text
from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx

_COLUMNS = "id, at, new_orders, changed_orders, undone_at"


@dataclass(frozen=True, slots=True)
class OrderImportRow:
    """An import of orders."""

    id: str
    at: datetime
    new_orders: int
    changed_orders: int
    undone_at: datetime | None


def digest_of(document: bytes) -> str:
    """The digest that identifies a document."""
    return hashlib.sha256(document).hexdigest()[:32]


def add(tx: ShopTx, row: OrderImportRow, made: Mapping[str, str]) -> None:
    """Stores an import, and the orders that it created: number -> digest of its document."""
    tx.run(
        f"INSERT INTO order_imports (shop_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)",
        tx.shop_id, row.id, row.at, row.new_orders, row.changed_orders, row.undone_at,
    )  # fmt: skip
    tx.run(
        "INSERT INTO order_import_orders (shop_id, import_id, order_number, digest)"
        " SELECT $1, $2, m.number, m.digest FROM unnest($3::text[], $4::text[]) m(number, digest) RETURNING 1",
        tx.shop_id, row.id, list(made), list(made.values()),
    )  # fmt: skip


def latest(tx: ShopTx, limit: int) -> list[OrderImportRow]:
    """The last imports, latest first."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM order_imports WHERE shop_id = $1 ORDER BY at DESC, id DESC LIMIT $2", tx.shop_id, limit
    )
    return [build(OrderImportRow, row) for row in rows]


def find(tx: ShopTx, import_id: str) -> OrderImportRow | None:
    """The import with this id, or None; locked against an undo by another transaction."""
    row = tx.row(
        f"SELECT {_COLUMNS} FROM order_imports WHERE shop_id = $1 AND id = $2 FOR UPDATE", tx.shop_id, import_id
    )
    return build(OrderImportRow, row) if row else None


def orders_made(tx: ShopTx, import_id: str) -> dict[str, str]:
    """Number -> digest of the orders that an import created."""
    statement = (
        "SELECT order_number, digest FROM order_import_orders"
        " WHERE shop_id = $1 AND import_id = $2 ORDER BY order_number"
    )
    return dict(tx.rows(statement, tx.shop_id, import_id))


def untouched_orders(tx: ShopTx, numbers: Sequence[str]) -> dict[str, str]:
    """Number -> digest of the document, for orders without money in or out and without a mark."""
    statement = (
        "SELECT o.number, o.doc FROM orders o WHERE o.shop_id = $1 AND o.number = ANY($2) AND o.mark IS NULL"
        " AND o.postings_minor = 0 AND o.refunded_minor = 0"
        " AND NOT EXISTS (SELECT FROM allocations a WHERE a.shop_id = $1 AND a.order_number = o.number)"
    )
    return {number: digest_of(doc.encode()) for number, doc in tx.rows(statement, tx.shop_id, list(numbers))}


def set_undone(tx: ShopTx, import_id: str, now: datetime) -> None:
    """Marks the import as undone."""
    tx.run("UPDATE order_imports SET undone_at = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, import_id, now)


def layout(tx: ShopTx, layout_id: str) -> dict[str, str] | None:
    """Heading -> field of a stored layout; None for a new one."""
    text = tx.value("SELECT columns FROM order_layouts WHERE shop_id = $1 AND layout = $2", tx.shop_id, layout_id)
    return None if text is None else msgspec.json.decode(text, type=dict[str, str])


def keep_layout(tx: ShopTx, layout_id: str, columns: Mapping[str, str], now: datetime) -> None:
    """Stores the reading of a layout."""
    tx.run(
        "INSERT INTO order_layouts (shop_id, layout, columns, saved_at) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT (shop_id, layout) DO UPDATE SET columns = excluded.columns, saved_at = excluded.saved_at",
        tx.shop_id, layout_id, msgspec.json.encode(columns, enc_hook=as_text).decode(), now,
    )  # fmt: skip
