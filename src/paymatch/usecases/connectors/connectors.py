"""Connectors from the owner's view: add, test, start, change, remove, and their state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from paymatch.domain.connectors.systems import (
    Connector,
    ConnectorStatus,
    as_texts,
    change_connector,
    new_connector,
    read_credentials,
    read_system,
)
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop, only_one
from paymatch.domain.words.message import Message
from paymatch.store.connectors import connectors as store
from paymatch.store.connectors import orders, writes
from paymatch.store.connectors.connectors import ConnectorRow
from paymatch.store.database import Database
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.connectors.gateways import ConnectorGateways
from paymatch.usecases.connectors.polling import Rehearsed, rehearse

FIRST_DAYS: Final = 30
"""How far back a new connector reads by default."""

FAILING_AFTER: Final = 3
"""Failures in a row after which a person should look; a permanent one is reported at once."""

_TAKEN_AGAIN: Final = frozenset({"url", "methods", "take_from", "prefix"})
"""A change of these may let skipped orders in, so the next poll starts from the beginning."""


class ConnectorUnknown(Unknown):
    """The shop has no connector of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("connector-unknown", name=repr(name)) if name else Message("connector-none"))


def add(tx: ShopTx, system: str, credentials: tuple[str, str], settings: Mapping[str, str]) -> ConnectorRow:
    """Adds a connector, paused. `settings` are texts, `url` among them; `name` is the system's unless it is given.

    SettingRefused for the first invalid setting, or if the name is taken.
    """
    kind = read_system(system)
    given = dict(settings)
    name, url = given.pop("name", "") or str(kind), given.pop("url", "")
    start = tx.today - timedelta(days=FIRST_DAYS)
    wanted = change_connector(new_connector(name, kind, url, start), {key: text for key, text in given.items() if text})
    opened = read_credentials(*credentials)
    if not store.add(tx, wanted, opened, tx.wall_time):
        raise SettingRefused(
            Message("connector-exists", name=name), parameter="name", expected=Message("connector-exists-help")
        )
    record(tx, tx.shop, AuditAction.CONNECTOR_ADDED, name, after={"system": str(kind)} | _audit_values(wanted))
    return find(tx, name)


def find(tx: ShopTx, name: str = "", *, lock: bool = False) -> ConnectorRow:
    """The connector of this name; without a name the only one.

    ConnectorUnknown; SettingRefused if there are several.
    """
    name = name or only_one(
        [row.name for row in store.connectors(tx)],
        lambda names: Message("setting-shop-several-connectors-give", names=names),
    )
    found = store.connector(tx, name, lock=lock) if name else None
    if found is None:
        raise ConnectorUnknown(name)
    return found


def list_connectors(tx: ShopTx) -> list[ConnectorRow]:
    """The shop's connectors by name."""
    return store.connectors(tx)


def change(tx: ShopTx, name: str, settings: Mapping[str, str]) -> ConnectorRow:
    """Changes settings, given as texts; SettingRefused for the first invalid one, ConnectorUnknown."""
    row = find(tx, name, lock=True)
    wanted = change_connector(row.settings, settings)
    if wanted != row.settings:
        again = any(getattr(wanted, field) != getattr(row.settings, field) for field in _TAKEN_AGAIN)
        store.change(tx, wanted, again=again)
        before, after = _audit_values(row.settings), _audit_values(wanted)
        differing = [key for key in after if after[key] != before[key]]
        record(
            tx, tx.shop, AuditAction.CONNECTOR_CHANGED, row.name, before={key: before[key] for key in differing},
            after={key: after[key] for key in differing},
        )  # fmt: skip
    return find(tx, row.name)


def set_credentials(tx: ShopTx, name: str, key: str, secret: str) -> ConnectorRow:
    """Replaces key and secret; SettingRefused if they cannot be sent, ConnectorUnknown."""
    row = find(tx, name, lock=True)
    store.set_credentials(tx, row.name, read_credentials(key, secret))
    record(tx, tx.shop, AuditAction.CONNECTOR_CHANGED, row.name, after={"keys": "replaced"})
    return row


def set_status(tx: ShopTx, name: str, status: ConnectorStatus) -> ConnectorRow:
    """Starts or pauses it; no change if it already is in that state. ConnectorUnknown."""
    row = find(tx, name, lock=True)
    if row.status is not status:
        store.set_status(tx, row.name, status, tx.wall_time)
        record(
            tx, tx.shop, AuditAction.CONNECTOR_CHANGED, row.name, before={"status": str(row.status)},
            after={"status": str(status)},
        )  # fmt: skip
    return find(tx, row.name)


def look_now(tx: ShopTx, name: str) -> ConnectorRow:
    """Makes the worker poll the shop at once. SettingRefused if the connector is paused; ConnectorUnknown."""
    row = find(tx, name, lock=True)
    if row.status is ConnectorStatus.PAUSED:
        raise SettingRefused(Message("connector-is-paused", name=row.name))
    store.look_now(tx, row.name, tx.wall_time)
    return row


def remove(tx: ShopTx, name: str) -> ConnectorRow:
    """Forgets a connector with its keys; its imported orders stay. ConnectorUnknown."""
    row = find(tx, name, lock=True)
    store.remove(tx, row.name)
    record(tx, tx.shop, AuditAction.CONNECTOR_REMOVED, row.name, before={"url": row.settings.url})
    return row


def try_again(tx: ShopTx, name: str) -> int:
    """Retries orders that could not be written back; returns their number. ConnectorUnknown."""
    row = find(tx, name, lock=True)
    return writes.queue_unwritten(tx, row.name, tx.wall_time)


def test(database: Database, shop: Shop, name: str, ways: ConnectorGateways) -> Rehearsed:
    """Asks the shop for orders like the first poll, but imports none; ConnectorFailed says what is wrong."""
    with database.of_shop(shop) as tx:
        row = find(tx, name)
        credentials = store.credentials(tx, row.name)
    return rehearse(database, shop, replace(row, look=None), ways, ways.door(shop, row.settings, credentials))


def connector_fields(row: ConnectorRow) -> dict[str, Any]:
    """A connector for lists and for programs; never its key or its secret."""
    return {
        "name": row.name, "system": str(row.settings.system), "status": str(row.status), **_audit_values(row.settings),
        "lastLookedAt": row.last_looked_at, "lastSeen": row.last_seen, "lastTaken": row.last_taken,
        "nextLookAt": None if row.status is ConnectorStatus.PAUSED else _next(row),
        "progress": _progress(row), "failures": row.failures, "failingSince": row.failing_since,
        "lastError": row.last_error,
    }  # fmt: skip


def shown_whole(tx: ShopTx, row: ConnectorRow, limit: int) -> dict[str, Any]:
    """A connector with the orders that need attention, and those written back last."""
    taken, waiting = orders.counts(tx, row.name)
    problems = orders.with_problems(tx, row.name, limit)
    written = orders.last_written(tx, row.name, limit)
    return connector_fields(row) | {
        "orders": taken, "waiting": waiting,
        "problems": [{"order": each.order_number, "problem": each.problem or each.write_problem} for each in problems],
        "written": [
            {"order": each.order_number, "status": each.written_status, "state": each.state, "at": each.written_at}
            for each in written
        ],
    }  # fmt: skip


def _next(row: ConnectorRow) -> datetime:
    return row.poll_at if row.resting_until is None else max(row.poll_at, row.resting_until)


def _progress(row: ConnectorRow) -> str:
    if row.look is None:
        return ""
    return f"{row.look.seen} of {row.look.total}" if row.look.total is not None else str(row.look.seen)


def _audit_values(settings: Connector) -> dict[str, str]:
    """The settings for audit entries and programs."""
    texts = as_texts(settings)
    return {
        "url": texts["url"], "methods": texts["payment-methods"], "takeFrom": texts["take-from"],
        "paidStatus": texts["paid-status"], "prefix": texts["number-prefix"], "minutes": texts["poll-minutes"],
        "writeBack": texts["write-back"],
    }  # fmt: skip


def connector_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per failing connector, and per connector with orders that need attention."""
    problems = orders.problems(tx)
    rows = store.connectors(tx)
    for row in rows:
        if row.status is ConnectorStatus.PAUSED:
            continue
        since = row.failing_since
        if since is not None and (row.failures >= FAILING_AFTER or row.for_a_person):
            said = Message(
                "alert-connector-failing", name=row.name, count=row.failures, day=since.date(), time=f"{since:%H:%M}",
                error=row.last_error,
            )  # fmt: skip
            yield Alert(AlertKind.CONNECTOR_FAILING, f"{row.name} {since:%Y-%m-%dT%H:%M:%S}", said)
        if found := problems.get(row.name):
            said = Message(
                "alert-connector-orders", name=row.name, count=found.count, order=found.order_number,
                problem=found.problem,
            )  # fmt: skip
            yield Alert(AlertKind.CONNECTOR_ORDERS, f"{row.name} {found.at:%Y-%m-%dT%H:%M:%S}", said)
