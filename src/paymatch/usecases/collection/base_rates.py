"""The base rates that a shop's claims of interest stand on: those of the service, and those that the shop has added."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from paymatch.domain.collection.default_interest import (
    Rates,
    added_rate,
    first_unknown,
    known_rates,
    last_known,
    published_sources,
)
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.store import shops as shop_store
from paymatch.store.collection import cases as store
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record


def rates_of(tx: Tx, shop_id: ShopId) -> Rates:
    """All base rates that the shop's interest is computed by."""
    return known_rates(store.base_rates(tx, shop_id))


def add_rate(tx: Tx, shop: Shop, day: str, percent: str, clock: datetime) -> dict[str, Any]:
    """Adds the base rate of the half-year that begins on `day`, or corrects one that was added. SettingRefused."""
    shop_id = ShopId(shop.id)
    first, rate = added_rate(rates_of(tx, shop_id), day, percent)
    store.set_base_rate(tx, shop_id, first, rate)
    record(tx, shop, AuditAction.BASE_RATE_ADDED, first.isoformat(), after={"percent": str(rate)})
    shop_jobs.wake(tx, shop_id, ALERTS, shop.now(clock))
    return {"from": first, "percent": rate, "knownUntil": last_known(rates_of(tx, shop_id))}


def list_base_rates(tx: Tx, shop: Shop) -> list[dict[str, Any]]:
    """The base rates, latest first, and who says so."""
    sources = published_sources()
    return [
        {"from": first, "percent": percent, "source": sources.get(first, "the shop"), "published": first in sources}
        for first, percent in reversed(rates_of(tx, ShopId(shop.id)))
    ]


def unknown_rate_alerts(tx: Tx, shop: Shop, clock: datetime) -> Iterator[Alert]:
    """An alert while the shop claims interest and the base rate of its present day is not known."""
    missing = _missing_rate(tx, shop, clock)
    if missing is not None:
        said = Message("alert-base-rate", day=missing, last=missing - timedelta(days=1))
        yield Alert(AlertKind.BASE_RATE, missing.isoformat(), said)


def shops_without_rate(database: Database, clock: datetime) -> list[tuple[str, date]]:
    """(name, first day without a base rate) of the shops that claim interest and do not know that of their day."""
    with database.transaction(None) as tx:
        claiming = store.shops_with_interest(tx)
    found = []
    for shop_id in claiming:
        with database.transaction(shop_id) as tx:
            shop = shop_store.load(tx, shop_id)
            missing = None if shop is None else _missing_rate(tx, shop, clock)
        if shop is not None and missing is not None:
            found.append((shop.name, missing))
    return found


def _missing_rate(tx: Tx, shop: Shop, clock: datetime) -> date | None:
    """The first day without a base rate if the shop claims interest and that day has come; None if all is known."""
    shop_id = ShopId(shop.id)
    agency = store.agency(tx, shop_id)
    rates = rates_of(tx, shop_id)
    missing = first_unknown(rates)
    return missing if agency.is_set and agency.interest and shop.today(clock) >= missing else None
