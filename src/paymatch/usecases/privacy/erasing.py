"""Erasing a person: previewed, done in one transaction, recorded without saying who it was (D-63)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from paymatch.domain.privacy.person import PersonRefused, Sought
from paymatch.domain.shops.audit import DeedKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.said import Said
from paymatch.outbound.files import Files
from paymatch.store import ids
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.orders import orders as order_store
from paymatch.store.privacy import erasing as store
from paymatch.store.privacy.print_keys import fingerprint
from paymatch.store.statements import statements as statement_store
from paymatch.usecases.privacy import files, people
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.privacy.people import Person
from paymatch.usecases.work.audit import record_deed


class StillNeeded(PersonRefused):
    """Something between the person and the shop is open; the text says what."""


class _Rehearsed(Exception):
    """Rolls a rehearsal back."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What erasing does, or did: rows by table, files by what became of them. `id` names it in the audit log."""

    id: str
    person: Person
    rows: Mapping[str, int]
    files: Mapping[str, int]

    def shown(self) -> dict[str, Any]:
        """Without the person's data: what is recorded, and answered."""
        target = self.person.target
        return {
            "erasure": self.id, "orders": len(target.orders), "postings": len(target.postings),
            "refunds": len(target.refunds), "rows": dict(self.rows), "files": dict(self.files),
            "sharedWithOthers": sorted({each.kind for each in self.person.shared}),
        }  # fmt: skip


def preview(database: Database, shop: Shop, asked: Sought, folders: Folders, clock: datetime) -> Erasure:
    """What erasing the person would do; nothing is changed. PersonRefused if nobody is found."""
    rehearsed: Erasure
    try:
        with database.transaction(ShopId(shop.id)) as tx:
            person, rows, invoices = _erase(tx, shop, asked, clock, although_open=True)
            found = files.naming(folders, person.target.pattern, person.file_names)
            rehearsed = Erasure("", person, rows, _counted(len(invoices), {"files in folders": len(found)}))
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
    """Erases the person. StillNeeded if something is open, unless `although_open`; PersonRefused if nobody is found.

    All tables change in one transaction, with the deed that records it; files go after it, and are looked for again
    if the same is asked for again.
    """
    erasure_id = ids.new_id("era", clock)
    with database.transaction(ShopId(shop.id)) as tx:
        person, rows, invoices = _erase(tx, shop, asked, clock, although_open=although_open)
        found = files.naming(folders, person.target.pattern, person.file_names)
        told = Erasure(erasure_id, person, rows, _counted(len(invoices), {"files in folders": len(found)}))
        record_deed(tx, shop, DeedKind.PERSON_ERASED, erasure_id, after=told.shown())
    for key in invoices:
        kept.delete(key)
    done = _counted(len(invoices), files.erase(found, person.target.pattern, person.file_names))
    with database.transaction(None) as tx:
        views = store.erase_in_area(tx, ShopId(shop.id), person.target)
    return Erasure(erasure_id, person, {**rows, **({"merchant area": views} if views else {})}, done)


def _erase(
    tx: Tx, shop: Shop, asked: Sought, clock: datetime, *, although_open: bool
) -> tuple[Person, dict[str, int], list[str]]:
    """(the person, rows by table, keys of invoice files that may go now)."""
    shop_id = ShopId(shop.id)
    statement_store.lock_imports(tx, shop_id)
    statement_store.lock_matching(tx, shop_id)
    first = people.find(tx, shop, asked)
    order_store.lock(tx, shop_id, first.target.orders)
    person = people.find(tx, shop, asked)
    if person.unsettled and not although_open:
        raise StillNeeded(Said("person-needed", why=person.unsettled[0]))
    invoices = store.invoice_files(tx, shop_id, person.target)
    rows = store.erase(tx, shop_id, person.target, fingerprint(tx, shop_id), shop.now(clock))
    return person, rows, invoices


def _counted(invoices: int, more: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in {"invoices": invoices, **more}.items() if count}
