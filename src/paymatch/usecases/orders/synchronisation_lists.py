"""Synchronisations for people: the effect of each, who called and who undid it, and the effect of an undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from paymatch.domain.shops.audit import AuditAction
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.orders import order_sync_lists as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import entries_about
from paymatch.usecases.orders.synchronisation import UNDO_FOR, SyncUnknown

UNDOABLE, UNDONE, FINAL = "undoable", "undone", "final"
"""States of a synchronisation; a final one is older than 30 days."""
RESTORED, STAYS = "restored", "stays"
"""The effect of an undo on an order; one that stays was changed since, or is gone."""
NAMED: Final = 5
"""The number of orders that a row of the list names."""


@dataclass(frozen=True, slots=True)
class ShownSync:
    """One synchronisation: its row as in `ListedSyncs`, until when it can be undone, and the effect of an undo."""

    row: dict[str, Any]
    undoable_until: datetime
    effects: Mapping[str, int]


def list_synchronisations(
    tx: ShopTx, *, state: str = "", search: str = "", asked: AskedPage
) -> tuple[PageOfRows[dict[str, Any]], Mapping[str, int]]:
    """(synchronisations that changed something, latest first unless sorted; state -> their number).

    `search` is the number of an order, or an id. Each row has `by` and `undone_by`, the (kind, name) of the caller and
    of the person who undid it; None if there is none, or the audit log does not have it.
    """
    since = tx.now - UNDO_FOR
    found = store.list_synchronisations(tx, since, search, state, NAMED + 1, asked)
    counts = store.count_by_state(tx, since, search)
    _add_people(tx, found.rows)
    return found, counts


def show(tx: ShopTx, sync_id: str) -> ShownSync:
    """A synchronisation and the effect of an undo now; SyncUnknown."""
    since = tx.now - UNDO_FOR
    row = store.find(tx, since, sync_id)
    effects = store.effects(tx, sync_id)
    if row is None:
        raise SyncUnknown(sync_id)
    _add_people(tx, [row])
    return ShownSync(row, row["at"] + UNDO_FOR, {RESTORED: 0, STAYS: 0} | effects)


def orders_of(
    tx: ShopTx, sync_id: str, *, effect: str = "", search: str = "", asked: AskedPage
) -> tuple[PageOfRows[dict[str, Any]], Mapping[str, int]]:
    """(orders that a synchronisation changed, effect of an undo -> number of orders).

    None once it can no longer be undone and a later one exists.
    """
    counts = store.effects(tx, sync_id, search)
    return store.orders(tx, sync_id, search, effect, asked), {RESTORED: 0, STAYS: 0} | counts


def _add_people(tx: ShopTx, rows: Sequence[dict[str, Any]]) -> None:
    """The caller and the person who undid it, from the audit log."""
    ids = [row["id"] for row in rows]
    entries = entries_about(tx, tx.shop, ids, 2 * len(ids)) if ids else []
    people = {(entry["action"], entry["subject"]): (entry["actorKind"], entry["actor"]) for entry in entries}
    for row in rows:
        row["by"] = people.get((AuditAction.ORDERS_SYNCHRONISED, row["id"]))
        row["undone_by"] = people.get((AuditAction.SYNCHRONISATION_UNDONE, row["id"]))
