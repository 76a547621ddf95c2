"""Synchronisations as people look at them: what each did, who called and who undid it, and what an undo would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from paymatch.domain.calendar import place_after
from paymatch.domain.shops.audit import AuditAction
from paymatch.store.orders import order_sync_lists as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import deeds_about
from paymatch.usecases.orders.synchronisation import UNDO_FOR, SyncUnknown

UNDOABLE, UNDONE, FINAL = "undoable", "undone", "final"
"""States of a synchronisation; one that is final is older than 30 days."""
RESTORED, STAYS = "restored", "stays"
"""What an undo does to an order; one that stays was changed since, or is gone."""
NAMED: Final = 5
"""Orders that a row of the list names."""


@dataclass(frozen=True, slots=True)
class ListedSyncs:
    """A page of synchronisations, latest first. `next` is the key that the next page begins after, empty on the last.

    Each row has `by` and `undone_by`, the (kind, name) of whoever called and undid it; None where nobody has, or the
    audit log does not tell.
    """

    rows: list[dict[str, Any]]
    next: str
    counts: Mapping[str, int]  # state -> how many of all that search finds


@dataclass(frozen=True, slots=True)
class ShownSync:
    """One synchronisation: its row as in `ListedSyncs`, until when it can be undone, and what an undo would do."""

    row: dict[str, Any]
    undoable_until: datetime
    effects: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ChangedOrders:
    """A page of the orders that a synchronisation changed, by number."""

    rows: list[dict[str, Any]]
    next: str
    counts: Mapping[str, int]


def list_synchronisations(
    tx: ShopTx, *, state: str = "", search: str = "", after: str = "", limit: int = 50
) -> ListedSyncs:
    """The shop's synchronisations that changed something; `search` is the number of an order, or an id."""
    since = tx.now - UNDO_FOR
    before = place_after(after) or (None, "")
    found = store.list_synchronisations(tx, since, search, state, before, limit + 1, NAMED + 1)
    counts = store.count_by_state(tx, since, search)
    rows = found[:limit]
    _add_people(tx, rows)
    following = f"{rows[-1]['at'].isoformat()} {rows[-1]['id']}" if len(found) > limit else ""
    return ListedSyncs(rows, following, counts)


def show(tx: ShopTx, sync_id: str) -> ShownSync:
    """A synchronisation and what an undo would do now; SyncUnknown."""
    since = tx.now - UNDO_FOR
    row = store.find(tx, since, sync_id)
    effects = store.effects(tx, sync_id)
    if row is None:
        raise SyncUnknown(sync_id)
    _add_people(tx, [row])
    return ShownSync(row, row["at"] + UNDO_FOR, {RESTORED: 0, STAYS: 0} | effects)


def orders_of(
    tx: ShopTx, sync_id: str, *, effect: str = "", search: str = "", after: str = "", limit: int = 50
) -> ChangedOrders:
    """The orders that a synchronisation changed; none once it can no longer be undone and the next has been made."""
    found = store.orders(tx, sync_id, search, effect, after, limit + 1)
    counts = store.effects(tx, sync_id, search)
    rows = found[:limit]
    return ChangedOrders(rows, rows[-1]["number"] if len(found) > limit else "", {RESTORED: 0, STAYS: 0} | counts)


def _add_people(tx: ShopTx, rows: list[dict[str, Any]]) -> None:
    """Who called and who undid, as the audit log tells."""
    ids = [row["id"] for row in rows]
    deeds = deeds_about(tx, tx.shop, ids, 2 * len(ids)) if ids else []
    people = {(deed["deed"], deed["subject"]): (deed["actorKind"], deed["actor"]) for deed in deeds}
    for row in rows:
        row["by"] = people.get((AuditAction.ORDERS_SYNCHRONISED, row["id"]))
        row["undone_by"] = people.get((AuditAction.SYNCHRONISATION_UNDONE, row["id"]))
