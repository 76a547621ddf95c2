"""All data of a shop on one person, as JSON and as PDF: complete, and only of that person (GDPR, Articles 15, 20)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from paymatch.domain.privacy.person import Sought
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.formats.privacy.personal_data import write_personal_data
from paymatch.store import ids
from paymatch.store.database import Database
from paymatch.store.privacy import reading
from paymatch.usecases.audit import record
from paymatch.usecases.privacy import people


def export(database: Database, shop: Shop, asked: Sought, clock: datetime) -> dict[str, Any]:
    """The shop's data on the person, by class. PersonRefused if no one is found."""
    with database.of_shop(shop, at=clock) as tx:
        person = people.find(tx, asked)
        data = reading.rows_of(tx, person.target)
        export_id = ids.new_id("exp", clock)
        details = {"rows": {name: len(rows) for name, rows in data.items()}}
        record(tx, shop, AuditAction.PERSON_EXPORTED, export_id, after=details)
    return {
        "shop": shop.name,
        "exportedAt": shop.now(clock).isoformat(timespec="seconds"),
        "export": export_id,
        "person": {kind.value: sorted(each.value for each in person.identifiers if each.kind is kind)
                   for kind in sorted({each.kind for each in person.identifiers})},
        "data": data,
    }  # fmt: skip


def as_pdf(data: Mapping[str, Any]) -> bytes:
    """A printable export, without its files."""
    about = {"Shop": data["shop"], "As of": data["exportedAt"], "Export": data["export"]}
    about |= {kind.capitalize(): ", ".join(values) for kind, values in data["person"].items()}
    sections = {name.capitalize(): [_without_files(row) for row in rows] for name, rows in data["data"].items()}
    return write_personal_data("Personal data", about, sections)


def _without_files(row: Mapping[str, Any]) -> dict[str, Any]:
    is_file = row["table"] == "letters"
    return {name: value for name, value in row.items() if not (is_file and name == "content")}
