"""Synchronisations for people: a list of them, and the orders of one with what an undo would do to each (D-38)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from paymatch.store.transactions import ShopTx

_ASKED: Final = """
FROM order_syncs s WHERE s.shop_id = $1
  AND ($3 = '' OR s.id = $3 OR EXISTS (SELECT FROM order_sync_marks m
      WHERE m.shop_id = $1 AND m.sync_id = s.id AND m.order_number = $3))"""
_STATE: Final = """
CASE WHEN s.undone_at IS NOT NULL THEN 'undone' WHEN s.at >= $2 THEN 'undoable' ELSE 'final' END"""

_COLUMNS: Final = f"s.id, s.at, s.listed, s.open_before, s.legacy, s.revived, s.undone_at, {_STATE} AS state"

_ONE: Final = f"SELECT {_COLUMNS} FROM order_syncs s WHERE s.shop_id = $1 AND s.id = $3"

_LISTED: Final = f"""
SELECT {_COLUMNS},
       ARRAY(SELECT m.order_number FROM order_sync_marks m WHERE m.shop_id = $1 AND m.sync_id = s.id
             AND m.mark_after = 'LEGACY' ORDER BY m.order_number LIMIT $8) AS first_orders {_ASKED}
  AND ($4 = '' OR {_STATE} = $4) AND ($5::timestamptz IS NULL OR (s.at, s.id) < ($5, $6))
ORDER BY s.at DESC, s.id DESC LIMIT $7"""

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
  AND ($4 = '' OR {_EFFECT} = $4) AND m.order_number > $5 ORDER BY m.order_number LIMIT $6"""

_EFFECTS: Final = f"SELECT {_EFFECT} AS effect, count(*) AS orders {_OF_ONE} GROUP BY 1"


def list_synchronisations(
    tx: ShopTx,
    undoable_since: datetime,
    search: str,
    state: str,
    before: tuple[datetime | None, str],
    limit: int,
    named: int,
) -> list[dict[str, Any]]:
    """Synchronisations, latest first, each with the `named` first numbers that it set to LEGACY.

    `search` is an order's number or the id; `before` is the (at, id) that they come after; "" and None ask for all.
    """
    return tx.named(_LISTED, tx.shop_id, undoable_since, search, state, *before, limit, named)


def find(tx: ShopTx, undoable_since: datetime, sync_id: str) -> dict[str, Any] | None:
    """The synchronisation of this id with its state, or None."""
    found = tx.named(_ONE, tx.shop_id, undoable_since, sync_id)
    return found[0] if found else None


def count_by_state(tx: ShopTx, undoable_since: datetime, search: str) -> dict[str, int]:
    """State (undoable, undone, final) -> how many synchronisations; those that are asked for as in `listed`."""
    return {row.state: row.calls for row in tx.rows(_COUNTED, tx.shop_id, undoable_since, search)}


def orders(tx: ShopTx, sync_id: str, search: str, effect: str, after: str, limit: int) -> list[dict[str, Any]]:
    """The orders that a call changed, by number: marks before and after, status now (None: there is no such order),
    and what an undo would do, "restored" or "stays"."""
    return tx.named(_ORDERS, tx.shop_id, sync_id, search, effect, after, limit)


def effects(tx: ShopTx, sync_id: str, search: str = "") -> dict[str, int]:
    """What an undo would do -> to how many orders."""
    return {row.effect: row.orders for row in tx.rows(_EFFECTS, tx.shop_id, sync_id, search)}
