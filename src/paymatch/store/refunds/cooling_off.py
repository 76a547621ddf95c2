"""Changes that loosen payment limits, until they take effect (D-58)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from paymatch.domain.shops.cooling_off import COOLING_OFF, CoolingChange, CoolingKind
from paymatch.store.refunds.transfers import SENT_BY_THEMSELVES
from paymatch.store.transactions import ShopTx


def put(tx: ShopTx, power: CoolingChange) -> None:
    """Stores a waiting change from its `since` on, replacing an earlier one; deletes those in effect."""
    tx.run(
        "DELETE FROM new_powers WHERE shop_id = $1 AND since <= $2 AND kind <> 'setting'",
        tx.shop_id,
        power.since - COOLING_OFF,
    )
    tx.run(
        "INSERT INTO new_powers (shop_id, kind, subject, since, given_by, before_minor, value)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)"
        " ON CONFLICT (shop_id, kind, subject)"
        " DO UPDATE SET since = excluded.since, given_by = excluded.given_by, before_minor = excluded.before_minor,"
        " value = excluded.value",
        tx.shop_id, power.kind, power.subject, power.since, power.given_by, power.before_minor, power.value,
    )  # fmt: skip


def drop(tx: ShopTx, kind: CoolingKind, column: str) -> None:
    """Removes the waiting change of the limit or setting."""
    tx.run(
        "DELETE FROM new_powers WHERE shop_id = $1 AND kind = $2 AND subject = $3", tx.shop_id, kind, column
    )  # fmt: skip


def waiting_changes(tx: ShopTx, now: datetime) -> list[CoolingChange]:
    """The changes that do not count yet, the oldest first."""
    rows = tx.rows(
        "SELECT kind, subject, since, given_by, before_minor, value FROM new_powers WHERE shop_id = $1 AND since > $2"
        " ORDER BY since, kind, subject",
        tx.shop_id,
        now - COOLING_OFF,
    )
    return [CoolingChange(CoolingKind(kind), *others) for kind, *others in rows]


_SENT_AND_WAITING: Final = f"""
SELECT s.minor, p.kind, p.subject, p.since, p.given_by, p.before_minor, p.value
FROM ({SENT_BY_THEMSELVES}) s(minor) LEFT JOIN new_powers p ON p.shop_id = $1 AND p.since > $4
ORDER BY p.since, p.kind, p.subject"""


def sent_and_waiting(tx: ShopTx, currency: str, since: datetime, now: datetime) -> tuple[int, list[CoolingChange]]:
    """(what `transfers.sent_by_themselves` says, what `waiting` says), in one question for the page of refunds."""
    rows = tx.rows(_SENT_AND_WAITING, tx.shop_id, currency, since, now - COOLING_OFF)
    return rows[0].minor, [
        CoolingChange(CoolingKind(kind), *others) for _minor, kind, *others in rows if kind is not None
    ]


def settled_changes(tx: ShopTx, now: datetime) -> list[CoolingChange]:
    """The settings whose wait is over and that are still to be written."""
    rows = tx.rows(
        "SELECT kind, subject, since, given_by, before_minor, value FROM new_powers WHERE shop_id = $1"
        " AND kind = 'setting' AND since <= $2 ORDER BY since, subject",
        tx.shop_id,
        now - COOLING_OFF,
    )
    return [CoolingChange(CoolingKind(kind), *others) for kind, *others in rows]


def has_postings(tx: ShopTx) -> bool:
    """Whether the shop has booked anything: without a posting there is no money to lose."""
    return bool(tx.value("SELECT EXISTS (SELECT FROM postings WHERE shop_id = $1)", tx.shop_id))
