"""Connectors in PostgreSQL: settings, sealed keys, polling progress, and failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from psycopg.types.json import Jsonb

from paymatch.domain.connectors.systems import Connector, ConnectorStatus, Credentials, ShopSystem, TakenAs
from paymatch.domain.words.message import Message
from paymatch.store.connection import Row
from paymatch.store.messages import message_of, message_to_json
from paymatch.store.sealing import CONNECTOR_KEY, CONNECTOR_SECRET
from paymatch.store.shops.shops import SHOP_NOW
from paymatch.store.transactions import ShopId, ShopTx, Tx


@dataclass(frozen=True, slots=True)
class Looking:
    """The present poll: its first moment, start, next position, and counts."""

    since: datetime
    began_at: datetime
    place: str
    seen: int = 0
    taken: int = 0
    total: int | None = None


@dataclass(frozen=True, slots=True)
class ConnectorRow:
    """A connector with its state. `since_at` None: nothing was imported yet; `look` None: no poll in progress.

    `resting_until`: end of the back-off. All moments are those of the real clock.
    """

    settings: Connector
    status: ConnectorStatus
    created_at: datetime
    poll_at: datetime
    since_at: datetime | None
    look: Looking | None
    last_looked_at: datetime | None
    last_seen: int
    last_taken: int
    failures: int
    failing_since: datetime | None
    for_a_person: bool
    last_error: str
    resting_until: datetime | None
    event_seq: int

    @property
    def name(self) -> str:
        """Its name within the shop."""
        return self.settings.name

    def rests(self, clock: datetime) -> bool:
        """Whether it is backing off at a moment of the real clock."""
        return self.resting_until is not None and self.resting_until > clock


_COLUMNS: Final = (
    "name, system, status, url, methods, take_from, paid_status, prefix, minutes, write_back, created_at, poll_at,"
    " since_at, run_since, run_began_at, run_place, run_seen, run_total, run_taken, last_looked_at, last_seen,"
    " last_taken, failures, failing_since, for_a_person, last_error, resting_until, event_seq"
)
_FIELDS: Final = (
    "created_at", "poll_at", "since_at", "last_looked_at", "last_seen", "last_taken", "failures", "failing_since",
    "for_a_person", "resting_until", "event_seq",
)  # fmt: skip


def connectors(tx: ShopTx) -> list[ConnectorRow]:
    """The shop's connectors by name."""
    found = tx.rows(f"SELECT {_COLUMNS} FROM connectors WHERE shop_id = $1 ORDER BY name", tx.shop_id)
    return [_connector(row) for row in found]


def connector(tx: ShopTx, name: str, *, lock: bool = False) -> ConnectorRow | None:
    """A connector; `lock` locks it until the transaction ends."""
    tail = " FOR UPDATE" if lock else ""
    row = tx.row(f"SELECT {_COLUMNS} FROM connectors WHERE shop_id = $1 AND name = $2{tail}", tx.shop_id, name)
    return None if row is None else _connector(row)


def _connector(row: Row) -> ConnectorRow:
    methods = MappingProxyType({method: TakenAs(kind) for method, kind in row.methods.items()})
    settings = Connector(
        row.name, ShopSystem(row.system), row.url, methods, row.take_from, row.paid_status, row.prefix, row.minutes,
        row.write_back,
    )  # fmt: skip
    look = None
    if row.run_since is not None:
        look = Looking(row.run_since, row.run_began_at, row.run_place, row.run_seen, row.run_taken, row.run_total)
    return ConnectorRow(
        settings=settings, status=ConnectorStatus(row.status), look=look, last_error=message_of(row.last_error),
        **{name: getattr(row, name) for name in _FIELDS},
    )  # fmt: skip


def credentials(tx: ShopTx, name: str) -> Credentials:
    """Its key and secret, opened."""
    row = tx.row("SELECT access_key, access_secret FROM connectors WHERE shop_id = $1 AND name = $2", tx.shop_id, name)
    assert row is not None, "the caller has the connector"
    vault = tx.vault()
    return Credentials(vault.open(CONNECTOR_KEY, row.access_key), vault.open(CONNECTOR_SECRET, row.access_secret))


def add(tx: ShopTx, wanted: Connector, credentials: Credentials, clock: datetime) -> bool:
    """Stores a connector, paused; False if its name is taken. Earlier events are not written back."""
    vault = tx.vault()
    return bool(
        tx.run(
            "INSERT INTO connectors (shop_id, name, system, url, access_key, access_secret, methods, take_from,"
            " paid_status, prefix, minutes, write_back, created_at, poll_at, event_seq) SELECT shop_id, $2, $3, $4, $5,"
            " $6, $7, $8, $9, $10, $11, $12, $13, $13, last_seq FROM event_counters WHERE shop_id = $1"
            " ON CONFLICT DO NOTHING RETURNING 1",
            tx.shop_id, wanted.name, wanted.system, wanted.url, vault.seal(CONNECTOR_KEY, credentials.key),
            vault.seal(CONNECTOR_SECRET, credentials.secret), Jsonb(dict(wanted.methods)), wanted.take_from,
            wanted.paid_status, wanted.prefix, wanted.minutes, wanted.write_back, clock,
        )
    )  # fmt: skip


def change(tx: ShopTx, wanted: Connector, *, again: bool) -> None:
    """Writes its settings; `again`: they may let more orders in, so the next poll starts from the beginning."""
    tx.run(
        "UPDATE connectors SET url = $3, methods = $4, take_from = $5, paid_status = $6, prefix = $7, minutes = $8,"
        " write_back = $9, since_at = CASE WHEN $10 THEN NULL ELSE since_at END,"
        " run_since = CASE WHEN $10 THEN NULL ELSE run_since END, resting_until = NULL"
        " WHERE shop_id = $1 AND name = $2",
        tx.shop_id, wanted.name, wanted.url, Jsonb(dict(wanted.methods)), wanted.take_from, wanted.paid_status,
        wanted.prefix, wanted.minutes, wanted.write_back, again,
    )  # fmt: skip


def set_credentials(tx: ShopTx, name: str, credentials: Credentials) -> None:
    """Replaces its key and secret; a shop that refused the old ones is asked again at once."""
    vault = tx.vault()
    tx.run(
        "UPDATE connectors SET access_key = $3, access_secret = $4, resting_until = NULL WHERE shop_id = $1"
        " AND name = $2",
        tx.shop_id,
        name,
        vault.seal(CONNECTOR_KEY, credentials.key),
        vault.seal(CONNECTOR_SECRET, credentials.secret),
    )


def set_status(tx: ShopTx, name: str, status: ConnectorStatus, clock: datetime) -> None:
    """Starts or pauses it; a started one polls at once."""
    tx.run(
        "UPDATE connectors SET status = $3, resting_until = NULL, poll_at = CASE WHEN $3 = 'active' THEN $4 ELSE"
        " poll_at END WHERE shop_id = $1 AND name = $2",
        tx.shop_id,
        name,
        status,
        clock,
    )


def look_now(tx: ShopTx, name: str, clock: datetime) -> None:
    """Schedules a poll now, even during a back-off."""
    tx.run(
        "UPDATE connectors SET poll_at = $3, resting_until = NULL WHERE shop_id = $1 AND name = $2",
        tx.shop_id,
        name,
        clock,
    )


def remove(tx: ShopTx, name: str) -> bool:
    """Deletes a connector with its keys and its record of orders; False if there is none."""
    tx.run("DELETE FROM connector_orders WHERE shop_id = $1 AND connector = $2", tx.shop_id, name)
    return bool(tx.run("DELETE FROM connectors WHERE shop_id = $1 AND name = $2", tx.shop_id, name))


def set_look(tx: ShopTx, name: str, look: Looking) -> None:
    """Stores the poll's next position; everything before it is imported."""
    tx.run(
        "UPDATE connectors SET run_since = $3, run_began_at = $4, run_place = $5, run_seen = $6, run_taken = $7,"
        " run_total = $8, failures = 0, failing_since = NULL, for_a_person = false, last_error = NULL,"
        " resting_until = NULL WHERE shop_id = $1 AND name = $2",
        tx.shop_id, name, look.since, look.began_at, look.place, look.seen, look.taken, look.total,
    )  # fmt: skip


def end_look(tx: ShopTx, name: str, look: Looking, clock: datetime, poll_at: datetime) -> None:
    """Ends the poll: everything up to its start is imported."""
    tx.run(
        "UPDATE connectors SET since_at = $3, run_since = NULL, run_began_at = NULL, run_place = '', run_seen = 0,"
        " run_total = NULL, run_taken = 0, last_looked_at = $4, last_seen = $5, last_taken = $6, poll_at = $7,"
        " failures = 0, failing_since = NULL, for_a_person = false, last_error = NULL, resting_until = NULL"
        " WHERE shop_id = $1 AND name = $2",
        tx.shop_id, name, look.began_at, clock, look.seen, look.taken, poll_at,
    )  # fmt: skip


def record_failure(
    tx: ShopTx, name: str, error: Message, clock: datetime, until: datetime, *, for_a_person: bool
) -> None:
    """Records a failed call to the shop, and the end of its back-off."""
    tx.run(
        "UPDATE connectors SET failures = failures + 1, failing_since = coalesce(failing_since, $3), last_error = $4,"
        " resting_until = $5, for_a_person = $6 WHERE shop_id = $1 AND name = $2",
        tx.shop_id, name, clock, message_to_json(error), until, for_a_person,
    )  # fmt: skip


def record_success(tx: ShopTx, name: str) -> None:
    """Records a successful call to the shop: resets its failures."""
    tx.run(
        "UPDATE connectors SET failures = 0, failing_since = NULL, for_a_person = false, last_error = NULL"
        " WHERE shop_id = $1 AND name = $2 AND failures > 0",
        tx.shop_id,
        name,
    )


def shops_with_due(tx: Tx, clock: datetime) -> list[ShopId]:
    """Active shops that have something to fetch or to write back now; needs the operator's view."""
    rows = tx.rows(
        "SELECT DISTINCT c.shop_id FROM connectors c JOIN shops s ON s.shop_id = c.shop_id"
        " LEFT JOIN event_counters e ON e.shop_id = c.shop_id"
        " WHERE s.status = 'active' AND c.status = 'active'"
        " AND (s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"
        " AND (c.resting_until IS NULL OR c.resting_until <= $1)"
        " AND (c.poll_at <= $1 OR c.event_seq < e.last_seq OR EXISTS (SELECT FROM connector_orders o"
        " WHERE o.shop_id = c.shop_id AND o.write_at <= $1 AND o.connector = c.name AND c.write_back))"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = c.shop_id AND j.kind = 'connectors'"
        f" AND (j.claimed_until > $1 OR j.due_at > {SHOP_NOW}))",
        clock,
    )
    return [ShopId(row[0]) for row in rows]
