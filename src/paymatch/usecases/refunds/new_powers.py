"""New powers over money wait for a day, and the owners are told: a thief of one session is seen first (D-58)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paymatch.domain.money_out import RefundLimits
from paymatch.domain.new_powers import (
    LIMITS,
    NewPower,
    PowerKind,
    limits_that_hold,
    power_words,
    waits_for,
)
from paymatch.domain.refunds import RefundRefused
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import ActorKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.said import Said
from paymatch.store.database import ShopId, Tx
from paymatch.store.refunds import new_powers as store
from paymatch.store.work import shop_jobs


def person_gains(tx: Tx, shop: Shop, person: str, kind: PowerKind) -> NewPower | None:
    """What the person releases counts a day from now; None in a sandbox, which nobody has to guard."""
    return _wait(tx, shop, NewPower(kind, person, tx.clock(), tx.actor.name))


def limits_changed(tx: Tx, shop: Shop, columns: Mapping[str, Any]) -> list[NewPower]:
    """Limits that a person has raised hold a day from now, and are returned; lowered ones hold at once.

    What the command line sets holds at once: whoever runs the service owns the database. `columns` are as they will be,
    `shop` is as it was.
    """
    held = {each.subject: each for each in waiting(tx, shop) if each.kind is PowerKind.LIMIT}
    found = []
    for column in LIMITS.keys() & columns.keys():
        power = held.get(column)
        now_minor = getattr(shop, column) if power is None else power.before_minor
        store.drop_limit(tx, ShopId(shop.id), column)
        if tx.actor.kind is ActorKind.PERSON and columns[column] > now_minor:
            raised = NewPower(PowerKind.LIMIT, column, tx.clock(), tx.actor.name, now_minor)
            found.append(_wait(tx, shop, raised))
    return [each for each in found if each is not None]


def waiting(tx: Tx, shop: Shop) -> list[NewPower]:
    """The powers that do not count yet, the oldest first."""
    return [] if shop.sandbox else store.waiting(tx, ShopId(shop.id), tx.clock())


def limits_of(shop: Shop, powers: Sequence[NewPower]) -> RefundLimits:
    """The shop's limits as they hold now; `powers` as `waiting` returns them."""
    limits = RefundLimits(shop.refund_limit_minor, shop.refund_day_limit_minor, shop.refund_four_eyes_minor)
    return limits_that_hold(limits, powers)


def check_person(tx: Tx, shop: Shop) -> None:
    """RefundRefused, with the reason, if what the transaction's person releases does not count yet."""
    power = waits_for(tx.actor.name, waiting(tx, shop)) if tx.actor.kind is ActorKind.PERSON else None
    if power is not None:
        raise RefundRefused(Said("release-too-early", what=power_words(power)))


def new_power_alerts(tx: Tx, shop: Shop) -> Iterator[Alert]:
    """An alert per power that waits."""
    for power in waiting(tx, shop):
        subject = f"{power.kind} {power.subject} {power.since:%Y-%m-%dT%H:%M:%S}"
        yield Alert(AlertKind.NEW_POWER, subject, Said("alert-new-power", what=power_words(power)))


def _wait(tx: Tx, shop: Shop, power: NewPower) -> NewPower | None:
    if shop.sandbox:
        return None
    store.put(tx, ShopId(shop.id), power)
    shop_jobs.wake(tx, ShopId(shop.id), ALERTS, tx.clock())
    return power
