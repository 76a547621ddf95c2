"""The installation for its operator: shops and their activity, alerts, health. No shop's money is shown."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.shops import owners
from paymatch.store.transactions import Tx
from paymatch.store.work import installation as store
from paymatch.usecases.shops import shops
from paymatch.usecases.work.metrics import STALE_AFTER

ALERTS: Final = 100


@dataclass(frozen=True, slots=True)
class Health:
    """The health of the installation; sizes in bytes."""

    database: dict[str, Any]
    feeds: dict[str, Any]
    disk_free: int
    disk_total: int


def find_shops(tx: Tx, *, wanted: str = "", status: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Shops by name unless sorted, with their activity since creation.

    `status` "" for all; `tx` is of no shop.
    """
    return store.shops(tx, wanted=wanted, status=status, asked=asked)


def counts(database: Database, named: Sequence[str] = ()) -> tuple[dict[str, int], dict[str, str]]:
    """(status -> number of shops, names of the shops with these ids)."""
    with database.of_all_shops() as tx:
        tx.commit_with_next()
        return store.counts(tx, named)


def has_people(database: Database) -> bool:
    """Whether anyone has an account in the merchant area."""
    with database.of_all_shops() as tx:
        return owners.has_people(tx)


def open_alerts(database: Database) -> list[dict[str, Any]]:
    """Open alerts of all real shops by kind, the oldest first."""
    with database.of_all_shops() as tx:
        tx.commit_with_next()
        return store.alerts(tx, ALERTS)


def health(database: Database, data_dir: Path, clock: datetime) -> Health:
    """Database, feeds and disk as they are now."""
    with database.of_all_shops() as tx:
        tx.commit_with_next()
        found, feeds = store.health(tx, clock - STALE_AFTER)
    disk = shutil.disk_usage(data_dir)
    return Health(found, feeds, disk.free, disk.total)


def set_running(database: Database, shop: Shop, *, running: bool) -> None:
    """Pauses or resumes the shop: a paused one accepts no calls, and sends neither mail, callbacks nor refunds."""
    status = ShopStatus.ACTIVE if running else ShopStatus.PAUSED
    with database.of_shop(shop) as tx:
        shops.change(tx, {"status": status.value})
