"""Scheduled exports: the last whole day, week or month, once (docs/reports.md)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.reports.schedule import Every, last_whole
from paymatch.domain.shops.shop import Shop
from paymatch.outbound.exports import ExportDoor, ExportFile
from paymatch.outbound.files import Files
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import export_files

_COLUMNS: Final = ("exports", "export_every", "export_to")


@dataclass(frozen=True, slots=True)
class Schedule:
    """What a shop has leave by itself. `to`: folder, s3 or an e-mail address; `until`: the last day that has left."""

    names: tuple[str, ...]
    every: Every
    to: str
    until: date | None


def schedule_of(tx: ShopTx) -> Schedule:
    """The shop's schedule."""
    stored = shop_store.settings(tx, _COLUMNS)
    until = shop_store.exported_until(tx)
    names = tuple(filter(None, stored["exports"].split(",")))
    return Schedule(names, Every(stored["export_every"]), stored["export_to"], until)


def deliver_due(
    database: Database,
    shop: Shop,
    door_of: Callable[[Schedule, str], ExportDoor],
    clock: datetime,
    kept: Files | None = None,
) -> int:
    """Writes and delivers what is due; the number of files. Whatever the door or the export refuses rises.

    Interrupted or refused, the same files go again under the same names: a person finds each once.
    """
    with database.of_shop(shop, at=clock) as tx:
        wanted = schedule_of(tx)
    first, last = last_whole(wanted.every, shop.today(clock))
    if not wanted.names or wanted.every is Every.OFF or (wanted.until is not None and wanted.until >= last):
        return 0
    with ExitStack() as stack:
        files = []
        for name in wanted.names:
            content = stack.enter_context(tempfile.TemporaryFile())
            one = export_files.ExportRequest(name, first, last)
            with database.of_shop(shop, at=clock) as tx:
                export_files.prepare_period(tx, one, clock)
            with database.of_shop(shop, at=clock) as tx:
                content.writelines(export_files.chunks(tx, one, clock, kept))
            content.seek(0)
            files.append(ExportFile(export_files.file_name(one, with_days=True), content))
        door_of(wanted, f"{first} to {last}").deliver(files)
    with database.of_shop(shop, at=clock) as tx:
        shop_store.set_exported_until(tx, last)
    return len(files)
