"""Base rates for a shop's interest claims: the service's, and those that the shop has added."""

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
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.store.collection import cases as store
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record


def rates_of(tx: ShopTx) -> Rates:
    """All base rates used for the shop's interest."""
    return known_rates(store.base_rates(tx))


def add_rate(tx: ShopTx, day: str, percent: str) -> dict[str, Any]:
    """Adds the base rate of the half-year that begins on `day`, or corrects one that was added. SettingRefused."""
    first, rate = added_rate(rates_of(tx), day, percent)
    store.set_base_rate(tx, first, rate)
    record(tx, tx.shop, AuditAction.BASE_RATE_ADDED, first.isoformat(), after={"percent": str(rate)})
    shop_jobs.wake(tx, ALERTS, tx.now)
    return {"from": first, "percent": rate, "knownUntil": last_known(rates_of(tx))}


def list_base_rates(tx: ShopTx) -> list[dict[str, Any]]:
    """The base rates, latest first, with their sources."""
    sources = published_sources()
    return [
        {"from": first, "percent": percent, "source": sources.get(first, "the shop"), "published": first in sources}
        for first, percent in reversed(rates_of(tx))
    ]


def unknown_rate_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert while the shop claims interest and the base rate of its present day is not known."""
    missing = _missing_rate(tx)
    if missing is not None:
        said = Message("alert-base-rate", day=missing, last=missing - timedelta(days=1))
        yield Alert(AlertKind.BASE_RATE, missing.isoformat(), said)


def shops_without_rate(database: Database, clock: datetime) -> list[tuple[str, date]]:
    """(name, first day without a base rate) of the shops that claim interest without a rate for their present day."""
    with database.of_all_shops() as tx:
        claiming = store.shops_with_interest(tx)
    found = []
    for shop_id in claiming:
        with database.of_shop(shop_id, at=clock) as tx:
            shop = shop_store.load(tx)
            missing = None if shop is None else _missing_rate(tx)
        if shop is not None and missing is not None:
            found.append((shop.name, missing))
    return found


def _missing_rate(tx: ShopTx) -> date | None:
    """The first day without a base rate if the shop claims interest and that day has come; None if all is known."""
    agency = store.agency(tx)
    rates = rates_of(tx)
    missing = first_unknown(rates)
    return missing if agency.is_set and agency.interest and tx.today >= missing else None
