"""Scheduled exports: each whole day, week or month once, and supplements with later changes (D-115)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final

from paymatch.domain.calendar import last_bank_day
from paymatch.domain.reports.schedule import Every, next_period
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.accounting.sheets import csv_lines
from paymatch.outbound.exports import ExportDoor, ExportFile
from paymatch.outbound.files import Files
from paymatch.store.database import Database
from paymatch.store.reports import booked
from paymatch.store.reports import deliveries as store
from paymatch.store.reports.deliveries import EndsEarly, ExportDelivery
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import statements
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reports import export_files, journal
from paymatch.usecases.reports.export_files import BOOKINGS, DeliveredPart, ExportRequest

_COLUMNS: Final = ("exports", "export_every", "export_to", "export_wait")


@dataclass(frozen=True, slots=True)
class Schedule:
    """A shop's export schedule. `to`: folder, s3 or an e-mail address; `until`: the last exported day.

    `wait_days`: how long a period waits for the statements of all accounts.
    """

    names: tuple[str, ...]
    every: Every
    to: str
    until: date | None
    wait_days: int

    @property
    def is_on(self) -> bool:
        """Whether anything is sent automatically."""
        return bool(self.names) and self.every is not Every.OFF


def schedule_of(tx: ShopTx) -> Schedule:
    """The shop's schedule."""
    stored = shop_store.settings(tx, _COLUMNS)
    until = shop_store.exported_until(tx)
    names = tuple(filter(None, stored["exports"].split(",")))
    return Schedule(names, Every(stored["export_every"]), stored["export_to"], until, stored["export_wait"])


def deliver_due(
    database: Database,
    shop: Shop,
    door_of: Callable[[Schedule, str], ExportDoor],
    clock: datetime,
    kept: Files | None = None,
) -> int:
    """Writes and delivers what is due; returns the number of files. Refusals by the door or the export are raised.

    After an interruption or refusal the same files are sent again under the same names: a person finds each once.
    """
    count = 0
    while True:
        with database.of_shop(shop, at=clock) as tx:
            wanted = schedule_of(tx)
            delivery = _prepare(tx, wanted) if wanted.is_on else None
        if delivery is None:
            return count
        with ExitStack() as stack:
            with database.of_shop(shop, at=clock) as tx:
                files = [_file(stack, name, content) for name, content in _contents(tx, delivery, wanted, kept)]
            door_of(wanted, _label(delivery)).deliver(files)
        count += len(files)
        with database.of_shop(shop, at=clock) as tx:
            store.set_delivered(tx, delivery.number, tx.now)
            if not delivery.supplement:
                shop_store.set_exported_until(tx, delivery.last)


def _contents(
    tx: ShopTx, delivery: ExportDelivery, wanted: Schedule, kept: Files | None
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Name and content of each file of a delivery."""
    for one in _requests(tx, delivery, wanted):
        yield export_files.file_name(one, with_days=True), export_files.chunks(tx, one, tx.wall_time, kept)
    if delivery.ends_early:
        rows = ([each.account, each.currency, f"{each.known_to}"] for each in delivery.ends_early)
        name = f"accounts-ending-early-{delivery.first}-{delivery.last}.csv"
        yield name, csv_lines(["account", "currency", "knownTo"], rows)


def _file(stack: ExitStack, name: str, content: Iterable[bytes]) -> ExportFile:
    """The content in a file that is open until the stack is closed."""
    file = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  the stack closes it
    file.writelines(content)
    file.seek(0)
    return ExportFile(name, file)


def _label(delivery: ExportDelivery) -> str:
    days = f"{delivery.first} to {delivery.last}"
    return f"{days} supplement {delivery.supplement}" if delivery.supplement else days


def _prepare(tx: ShopTx, wanted: Schedule) -> ExportDelivery | None:
    """The next delivery, with its bookings made final and its postings claimed; None if none is due."""
    statements.lock_imports(tx)
    delivery = store.unfinished_delivery(tx)
    if delivery is None:
        delivery = _next(tx, wanted)
        if delivery is None:
            return None
        store.add(tx, delivery)
        store.claim_postings(tx, delivery)
    if BOOKINGS & set(wanted.names):
        if delivery.supplement:
            journal.leave_in_supplement(tx, delivery.supplement)
        else:
            journal.leave(tx, delivery.first, delivery.last, tx.wall_time)
    for one in _requests(tx, delivery, wanted):
        export_files.check(tx, one)
        if one.name in BOOKINGS:
            export_files.keep_header(tx, one, tx.wall_time)
    return delivery


def _next(tx: ShopTx, wanted: Schedule) -> ExportDelivery | None:
    """The due delivery: a supplement is sent before the next period."""
    before = store.latest(tx)
    number = before.number + 1 if before is not None else 1
    period = next_period(wanted.every, wanted.until, tx.today)
    ends_early = _ends_early(tx, period[1]) if period is not None else ()
    is_due = period is not None and (not ends_early or tx.today > _deadline(period[1], wanted))
    late = store.late_days(tx, wanted.until) if before is not None and wanted.until is not None else None
    if before is not None and wanted.until is not None and late is not None:
        waited = tx.today > before.prepared_date + timedelta(days=wanted.wait_days)
        if is_due or waited or not _ends_early(tx, wanted.until):
            return ExportDelivery(number, store.last_supplement(tx) + 1, *late, tx.today, ())
    return ExportDelivery(number, 0, *period, tx.today, ends_early) if period is not None and is_due else None


def _deadline(last: date, wanted: Schedule) -> date:
    """The last day on which a period still waits."""
    return last + timedelta(days=wanted.wait_days)


def _ends_early(tx: ShopTx, last: date) -> tuple[EndsEarly, ...]:
    """The accounts whose statements do not reach the last bank day up to then."""
    wanted = last_bank_day(last)
    return tuple(
        EndsEarly(each.account, each.currency, each.known_to) for each in store.reach(tx) if each.known_to < wanted
    )


def _requests(tx: ShopTx, delivery: ExportDelivery, wanted: Schedule) -> Iterator[ExportRequest]:
    """The files of a delivery. Those of bookings in a supplement have the days on which these are booked."""
    part = DeliveredPart(delivery.supplement, store.postings_of(tx, delivery.number))
    booked_days = booked.days_of_supplement(tx, delivery.supplement) if delivery.supplement else None
    for name in wanted.names:
        one = ExportRequest(name, delivery.first, delivery.last, part=part)
        if not delivery.supplement:
            yield one
        elif name in BOOKINGS:
            first, last = booked_days or (delivery.prepared_date, delivery.prepared_date)
            yield replace(one, first=first, last=last)
        elif name not in _AS_THEY_ARE:
            yield one


_AS_THEY_ARE: Final = frozenset({"orders", "refunds", "credits"})
"""Tables that statements do not add to: they are in no supplement."""


def waiting(tx: ShopTx) -> tuple[date, date, date, tuple[EndsEarly, ...]] | None:
    """First and last day of the period that waits for statements, until when, and for which accounts; None if none."""
    wanted = schedule_of(tx)
    period = next_period(wanted.every, wanted.until, tx.today) if wanted.is_on and not tx.shop.sandbox else None
    if period is None or store.unfinished_delivery(tx) is not None:
        return None
    ends_early, until = _ends_early(tx, period[1]), _deadline(period[1], wanted)
    return (*period, until, ends_early) if ends_early and tx.today <= until else None


def waiting_export_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert while an export waits for statements."""
    found = waiting(tx)
    if found is not None:
        first, last, until, ends_early = found
        accounts = ", ".join(f"{each.account} ({each.currency}, {each.known_to})" for each in ends_early)
        said = Message("alert-export-waiting", first=first, last=last, until=until, accounts=accounts)
        yield Alert(AlertKind.EXPORT_WAITING, f"{first} {last}", said)
