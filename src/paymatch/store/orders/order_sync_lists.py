"""Synchronisations for people: a list of them, and the orders of one with the effect of an undo on each (D-38)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_id, by_moment, by_number, by_text
from paymatch.store.transactions import ShopTx

_ASKED: Final = """
FROM order_syncs s WHERE s.shop_id = $1
  AND ($3 = '' OR s.id = $3 OR EXISTS (SELECT FROM order_sync_marks m
      WHERE m.shop_id = $1 AND m.sync_id = s.id AND m.order_number = $3))"""
_STATE: Final = """
CASE WHEN s.undone_at IS NOT NULL THEN 'undone' WHEN s.at >= $2 THEN 'undoable' ELSE 'final' END"""

_COLUMNS: Final = f"s.id, s.at, s.listed, s.open_before, s.legacy, s.revived, s.undone_at, {_STATE} AS state"

_ONE: Final = f"SELECT {_COLUMNS} FROM order_syncs s WHERE s.shop_id = $1 AND s.id = $3"

_ROWS: Final = f"""
SELECT {_COLUMNS},
       ARRAY(SELECT m.order_number FROM order_sync_marks m WHERE m.shop_id = $1 AND m.sync_id = s.id
             AND m.mark_after = 'LEGACY' ORDER BY m.order_number LIMIT $5) AS first_orders {_ASKED}
  AND ($4 = '' OR {_STATE} = $4)"""
SYNCHRONISATIONS: Final = ListStatement(
    _ROWS,
    usual="-at",
    sorts={
        "at": by_moment("at", is_filled=True),
        "legacy": by_number("legacy"),
        "revived": by_number("revived"),
        "open_before": by_number("open_before"),
        "listed": by_number("listed"),
        "state": by_text("state"),
        "undone_at": by_moment("undone_at"),
        "id": by_text("id"),
    },
)

_COUNTED: Final = f"SELECT {_STATE} AS state, count(*) AS calls {_ASKED} GROUP BY 1"

_EFFECT: Final = """
CASE WHEN o.number IS NOT NULL AND o.mark IS NOT DISTINCT FROM m.mark_after THEN 'restored' ELSE 'stays' END"""
"""As `synchronisation.as_the_call_left_them` decides."""
_OF_ONE: Final = """
FROM order_sync_marks m LEFT JOIN orders o ON o.shop_id = $1 AND o.number = m.order_number
WHERE m.shop_id = $1 AND m.sync_id = $2 AND ($3 = '' OR m.order_number = $3)"""

_ORDERS: Final = f"""
SELECT m.order_number AS number, coalesce(m.mark_before, '') AS before, coalesce(m.mark_after, '') AS after,
       o.status, {_EFFECT} AS effect {_OF_ONE}
  AND ($4 = '' OR {_EFFECT} = $4)"""
CHANGED_ORDERS: Final = ListStatement(
    _ORDERS,
    usual="number",
    key="number",
    sorts={
        "number": by_id("number"),
        "change": by_text("listed.before || ' ' || listed.after"),
        "now": by_text("status"),
        "effect": by_text("effect"),
    },
)

_EFFECTS: Final = f"SELECT {_EFFECT} AS effect, count(*) AS orders {_OF_ONE} GROUP BY 1"


def list_synchronisations(
    tx: ShopTx, undoable_since: datetime, search: str, state: str, named: int, asked: AskedPage
) -> PageOfRows[dict[str, Any]]:
    """Synchronisations, latest first unless sorted, each with the `named` first numbers that became LEGACY.

    `search` is an order's number or the id; "" asks for all.
    """
    return SYNCHRONISATIONS.page(tx, asked, tx.shop_id, undoable_since, search, state, named)


def find(tx: ShopTx, undoable_since: datetime, sync_id: str) -> dict[str, Any] | None:
    """The synchronisation of this id with its state, or None."""
    found = tx.named(_ONE, tx.shop_id, undoable_since, sync_id)
    return found[0] if found else None


def count_by_state(tx: ShopTx, undoable_since: datetime, search: str) -> dict[str, int]:
    """State (undoable, undone, final) -> number of synchronisations; filtered as in `listed`."""
    return {row.state: row.calls for row in tx.rows(_COUNTED, tx.shop_id, undoable_since, search)}


def orders(tx: ShopTx, sync_id: str, search: str, effect: str, asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """The orders that a call changed, by number unless sorted: marks before and after, status now (None:
    there is no such order), and what an undo would do, "restored" or "stays"."""
    return CHANGED_ORDERS.page(tx, asked, tx.shop_id, sync_id, search, effect)


def effects(tx: ShopTx, sync_id: str, search: str = "") -> dict[str, int]:
    """Effect of an undo -> number of orders."""
    return {row.effect: row.orders for row in tx.rows(_EFFECTS, tx.shop_id, sync_id, search)}
