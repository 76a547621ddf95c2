"""New powers over money, until they count (D-58)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.new_powers import NEW_POWER_WAITS, NewPower, PowerKind
from paymatch.store.database import ShopId, Tx


def put(tx: Tx, shop: ShopId, power: NewPower) -> None:
    """The power waits from its `since` on, in the place of one of before; those that count by now are forgotten."""
    tx.run("DELETE FROM new_powers WHERE shop_id = $1 AND since <= $2", shop, power.since - NEW_POWER_WAITS)
    tx.run(
        "INSERT INTO new_powers (shop_id, kind, subject, since, given_by, before_minor) VALUES ($1, $2, $3, $4, $5, $6)"
        " ON CONFLICT (shop_id, kind, subject)"
        " DO UPDATE SET since = excluded.since, given_by = excluded.given_by, before_minor = excluded.before_minor",
        shop, power.kind, power.subject, power.since, power.given_by, power.before_minor,
    )  # fmt: skip


def drop_limit(tx: Tx, shop: ShopId, column: str) -> None:
    """The limit is as it stands, at once."""
    tx.run(
        "DELETE FROM new_powers WHERE shop_id = $1 AND kind = $2 AND subject = $3", shop, PowerKind.LIMIT, column
    )  # fmt: skip


def waiting(tx: Tx, shop: ShopId, now: datetime) -> list[NewPower]:
    """The powers that do not count yet, the oldest first."""
    rows = tx.rows(
        "SELECT kind, subject, since, given_by, before_minor FROM new_powers WHERE shop_id = $1 AND since > $2"
        " ORDER BY since, kind, subject",
        shop,
        now - NEW_POWER_WAITS,
    )
    return [NewPower(PowerKind(kind), *others) for kind, *others in rows]
