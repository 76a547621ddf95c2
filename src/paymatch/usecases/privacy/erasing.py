"""Erasing a person: preview, erasure, record without the person's identity (D-63)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from paymatch.domain.privacy.person import PersonRefused, Sought
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.outbound.files import Files, FilesUnavailable
from paymatch.store import ids
from paymatch.store.database import Database
from paymatch.store.orders import orders as order_store
from paymatch.store.privacy import erasing as store
from paymatch.store.privacy import finding, leaving
from paymatch.store.privacy.places import by_class
from paymatch.store.privacy.print_keys import fingerprint
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import audit as audit_store
from paymatch.usecases.audit import record
from paymatch.usecases.privacy import files, people, register
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.privacy.people import Person
from paymatch.usecases.privacy.periods import delete_leaving
from paymatch.usecases.privacy.register import ErasureEntry
from paymatch.usecases.reports import closing


class StillNeeded(PersonRefused):
    """Something is still open between the person and the shop; the text says what."""


class _Rehearsed(Exception):
    """Rolls a rehearsal back."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """The effect of an erasure: rows by table, files by result. `id` names it in the audit log."""

    id: str
    person: Person
    rows: Mapping[str, int]
    files: Mapping[str, int]
    resealed: Mapping[str, str]  # closed months that named the person, with their new seals

    def shown(self) -> dict[str, Any]:
        """The recorded and answered form: without the person's data, rows by class of data."""
        target = self.person.target
        return {
            "erasure": self.id, "orders": len(target.orders), "postings": len(target.postings),
            "refunds": len(target.refunds), "rows": by_class(self.rows), "files": dict(self.files),
            "resealed": dict(self.resealed), "sharedWithOthers": sorted({each.kind for each in self.person.shared}),
        }  # fmt: skip


class _Erased(NamedTuple):
    """The erasure's effect on the database; `invoices` are keys of files, values of audit entries `entries` may go."""

    person: Person
    rows: dict[str, int]
    invoices: list[str]
    resealed: dict[str, str]
    entries: list[int]


def preview(database: Database, shop: Shop, asked: Sought, folders: Folders, clock: datetime) -> Erasure:
    """A preview of erasing the person; nothing is changed. PersonRefused if no one is found."""
    rehearsed: Erasure
    try:
        with database.of_shop(shop, at=clock) as tx:
            rehearsed = _plan_erasure("", _erase(tx, asked, although_open=True), folders)[0]
            raise _Rehearsed
    except _Rehearsed:
        return rehearsed


def erase(
    database: Database,
    shop: Shop,
    asked: Sought,
    kept: Files,
    folders: Folders,
    clock: datetime,
    *,
    although_open: bool = False,
) -> Erasure:
    """Erases the person. StillNeeded if something is open, unless `although_open`; PersonRefused if no one is found.

    All tables change in one transaction, with the audit entry that records it. Data in folders, in the merchant area
    and in values of audit entries is deleted before the commit, so an interrupted erasure can be repeated; invoices are
    queued in it and deleted afterwards.
    """
    erasure_id = ids.new_id("era", clock)
    with database.of_shop(shop, at=clock) as tx:
        erased = _erase(tx, asked, although_open=although_open)
        erasure = _finish(database, tx, shop, erasure_id, erased, folders, clock)
    with suppress(FilesUnavailable):  # the job `retention` goes on
        delete_leaving(database, shop, kept)
    return erasure


def erase_again(
    database: Database, shop: Shop, entry: ErasureEntry, kept: Files, folders: Folders, clock: datetime
) -> Erasure | None:
    """Repeats an earlier erasure in a database restored from an older backup; None if nothing is left to erase."""
    erasure_id = ids.new_id("era", clock)
    with database.of_shop(shop, at=clock) as tx:
        sought_again = people.Again(entry.orders, entry.postings)
        try:
            erased = _erase(tx, sought_again, although_open=True)
        except PersonRefused:
            return None
        erasure = _finish(database, tx, shop, erasure_id, erased, replace(folders, register=None), clock)
    with suppress(FilesUnavailable):
        delete_leaving(database, shop, kept)
    return erasure


def _finish(
    database: Database, tx: ShopTx, shop: Shop, erasure_id: str, erased: _Erased, folders: Folders, clock: datetime
) -> Erasure:
    """Applies the transaction's erasure to files, the merchant area and the register, and records it."""
    erasure, found = _plan_erasure(erasure_id, erased, folders)
    target = erased.person.target
    done = _count_rows(
        {"invoices": len(erased.invoices), **files.erase(found, target.pattern, erased.person.file_names)}
    )
    leaving.queue(tx, erased.invoices, shop.now(clock))
    with database.of_shop(shop, at=clock) as log:  # as the log's owner, as Citus does not allow changes by other roles
        audit_store.erase_values(log, erased.entries, shop.now(clock))
    with database.of_all_shops() as area:
        views = store.erase_in_area(area, ShopId(shop.id), target)
    if folders.register is not None:
        register.write(folders.register, ErasureEntry(erasure_id, clock, shop.id, target.orders, target.postings))
    record(tx, shop, AuditAction.PERSON_ERASED, erasure_id, after=erasure.shown())
    return replace(erasure, rows={**erasure.rows, **({"merchant area": views} if views else {})}, files=done)


def _plan_erasure(erasure_id: str, erased: _Erased, folders: Folders) -> tuple[Erasure, list[Path]]:
    """(the effect on the database and the plan for the files, the files in folders)."""
    person = erased.person
    found = files.files_naming(folders, person.target.pattern, person.file_names)
    counts = _count_rows({"invoices": len(erased.invoices), "files in folders": len(found)})
    return Erasure(erasure_id, person, erased.rows, counts, erased.resealed), found


def _erase(tx: ShopTx, asked: Sought | people.Again, *, although_open: bool) -> _Erased:
    """Erases the person in the database; the caller erases the files."""
    statement_store.lock_imports(tx)
    statement_store.lock_matching(tx)
    order_store.lock(tx, people.orders_of(tx, asked))
    person = people.find(tx, asked)
    if person.unsettled and not although_open:
        raise StillNeeded(Message("person-needed", why=person.unsettled[0]))
    invoices = store.invoice_files(tx, person.target)
    is_closed = finding.is_in_closed_months(tx, person.target.pattern)
    whole = closing.whole_months(tx) if is_closed else frozenset()
    entries = store.audit_numbers(tx, person.target)
    rows = store.erase(tx, person.target, fingerprint(tx), tx.now)
    resealed = closing.seal_anew(tx, whole) if is_closed else {}
    return _Erased(person, _count_rows({"audit_log": len(entries), **rows}), invoices, resealed, entries)


def _count_rows(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}
