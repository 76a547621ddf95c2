"""Changes that loosen payment limits take effect after a day, and the owners are notified (D-58)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from paymatch.domain.refunds.money_out import RefundLimits
from paymatch.domain.refunds.refunds import RefundRefused
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import ActorKind, AuditAction
from paymatch.domain.shops.cooling_off import (
    COOLING_OFF,
    LIMITS,
    SETTINGS,
    CoolingChange,
    CoolingKind,
    cooling_message,
    cooling_of,
    is_looser,
    limits_in_force,
)
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.store.refunds import cooling_off as store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record


def person_gains(tx: ShopTx, person: str, kind: CoolingKind) -> CoolingChange | None:
    """Makes the person's releases count a day from now; None in a sandbox, which needs no protection."""
    return _wait(tx, CoolingChange(kind, person, tx.clock(), tx.actor.name))


def limits_changed(tx: ShopTx, columns: Mapping[str, Any]) -> list[CoolingChange]:
    """Raised limits take effect a day from now, and are returned; lowered ones take effect at once.

    `columns` has the new values, `shop` the old ones.
    """
    held = {each.subject: each for each in waiting_changes(tx) if each.kind is CoolingKind.LIMIT}
    found = []
    for column in LIMITS.keys() & columns.keys():
        power = held.get(column)
        now_minor = getattr(tx.shop, column) if power is None else power.before_minor
        store.drop(tx, CoolingKind.LIMIT, column)
        if columns[column] > now_minor and _must_wait(tx):
            raised = CoolingChange(CoolingKind.LIMIT, column, tx.clock(), tx.actor.name, now_minor)
            found.append(_wait(tx, raised))
    return [each for each in found if each is not None]


def settings_now(tx: ShopTx, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that are written at once; the others wait for a day, and `apply_settled` writes them.

    `columns` has the new values, `shop` the old ones.
    """
    at_once = dict(columns)
    for column in SETTINGS.keys() & columns.keys():
        store.drop(tx, CoolingKind.SETTING, column)
        if is_looser(column, getattr(tx.shop, column), columns[column]) and _must_wait(tx):
            value = str(at_once.pop(column))
            _wait(tx, CoolingChange(CoolingKind.SETTING, column, tx.clock(), tx.actor.name, value=value))
    return at_once


def account_added(tx: ShopTx, account: str) -> None:
    """Makes money on a new account count for refunds a day from now."""
    if _must_wait(tx):
        _wait(tx, CoolingChange(CoolingKind.ACCOUNT, account, tx.clock(), tx.actor.name))


def uploads_allowed(tx: ShopTx, connection: str, bank: str) -> datetime:
    """Transfer files use the connection from the returned moment on: a day from now once there is money to lose."""
    if not _must_wait(tx):
        return tx.wall_time
    _wait(tx, CoolingChange(CoolingKind.UPLOADS, connection, tx.clock(), tx.actor.name, value=bank))
    return tx.wall_time + COOLING_OFF


def uploads_stopped(tx: ShopTx, connection: str) -> None:
    """Stops transfer files over the connection: nothing waits for it."""
    store.drop(tx, CoolingKind.UPLOADS, connection)


def apply_settled(tx: ShopTx) -> list[str]:
    """Writes the settings whose wait is over; their columns."""
    found = store.settled_changes(tx, tx.clock())
    for each in found:
        before = getattr(tx.shop, each.subject)
        value = int(each.value) if isinstance(before, int) else each.value
        shop_store.change(tx, {each.subject: value})
        store.drop(tx, CoolingKind.SETTING, each.subject)
        was, now = {each.subject: before}, {each.subject: value}
        record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, "shop", before=was, after=now)
    return [each.subject for each in found]


_ACTORS: Final = frozenset({ActorKind.PERSON, ActorKind.COMMAND, ActorKind.KEY})


def _must_wait(tx: ShopTx) -> bool:
    """Whether a loosened setting waits: by page, command line or key, once the shop has money to lose."""
    return tx.actor.kind in _ACTORS and not tx.shop.sandbox and store.has_postings(tx)


def waiting_changes(tx: ShopTx) -> list[CoolingChange]:
    """The changes that do not count yet, the oldest first."""
    return [] if tx.shop.sandbox else store.waiting_changes(tx, tx.clock())


def limits_of(shop: Shop, powers: Sequence[CoolingChange]) -> RefundLimits:
    """The shop's present limits; `powers` as `waiting` returns them."""
    limits = RefundLimits(shop.refund_limit_minor, shop.refund_day_limit_minor, shop.refund_four_eyes_minor)
    return limits_in_force(limits, powers)


def check_person(tx: ShopTx) -> None:
    """RefundRefused, with the reason, if releases by the transaction's person do not count yet."""
    power = cooling_of(tx.actor.name, waiting_changes(tx)) if tx.actor.kind is ActorKind.PERSON else None
    if power is not None:
        raise RefundRefused(Message("release-too-early", what=cooling_message(power)))


def cooling_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per waiting change."""
    for power in waiting_changes(tx):
        subject = f"{power.kind} {power.subject} {power.since:%Y-%m-%dT%H:%M:%S}"
        yield Alert(AlertKind.NEW_POWER, subject, Message("alert-new-power", what=cooling_message(power)))


def _wait(tx: ShopTx, power: CoolingChange) -> CoolingChange | None:
    if tx.shop.sandbox:
        return None
    store.put(tx, power)
    shop_jobs.wake(tx, ALERTS, tx.clock())
    return power
