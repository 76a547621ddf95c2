"""Data past its period: payers, customers, and everything of a deleted shop, with a certificate (docs/privacy.md)."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from paymatch.domain.plurals import count_of
from paymatch.domain.privacy.person import PersonRefused
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.words.message import Message
from paymatch.formats.privacy.personal_data import write_personal_data
from paymatch.outbound.files import Files
from paymatch.store.advices import advices
from paymatch.store.database import Database
from paymatch.store.privacy import erasing, leaving
from paymatch.store.privacy import periods as store
from paymatch.store.privacy.print_keys import fingerprint
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import ShopId
from paymatch.store.work import audit
from paymatch.usecases.audit import last_entries, record
from paymatch.usecases.privacy.files import Folders, forget_dropped, forget_kept_mail

BATCH: Final = 500  # postings, or orders, of one transaction
BATCHES: Final = 40  # transactions of one run; the rest is due again at once
_DELETED_AT_ONCE: Final = 5_000


@dataclass(frozen=True, slots=True)
class Gone:
    """The deletions, as a text for the list of jobs; `more` if the run ended before all were done."""

    words: str = ""
    more: bool = False


def forget_people(database: Database, shop: Shop, files: Files | None, clock: datetime, *, batch: int = BATCH) -> Gone:
    """Anonymises payers and customers whose period is over, like `privacy erase`; deletes advices.

    Orders with invoices wait if the files cannot be reached.
    """
    counts = {"payer": 0, "advice": 0, "customer": 0}
    for _ in range(BATCHES):
        payers = _forget_payers(database, shop, clock, batch)
        customers = _forget_customers(database, shop, files, clock, batch) if files is not None else 0
        old = _forget_advices(database, shop, clock, batch)
        counts["payer"] += payers
        counts["advice"] += old
        counts["customer"] += customers
        if max(payers, old, customers) < batch:
            return Gone(_words(counts))
    return Gone(_words(counts), more=True)


def _words(counts: Mapping[str, int]) -> str:
    found = [count_of(count, what) for what, count in counts.items() if count]
    return f"{', '.join(found)} forgotten" if found else ""


def _forget_payers(database: Database, shop: Shop, clock: datetime, batch: int) -> int:
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        days = store.periods(tx).keep_payer_days
        if days is None:
            return 0
        before = shop.today(now) - timedelta(days=days)
        if not store.old_payers(tx, before, 1).postings:
            return 0  # reminders would wait for the lock of imports, and say why
        statement_store.lock_imports(tx)
        target = store.old_payers(tx, before, batch)
        if target.postings:
            erasing.erase_rows(tx, target, fingerprint(tx), now)
            erasing.forget_accounts(tx, replace(target, ibans=store.unused_accounts(tx, target.ibans)))
    return len(target.postings)


def _forget_advices(database: Database, shop: Shop, clock: datetime, batch: int) -> int:
    """Advices are kept as long as the payers of statements."""
    with database.of_shop(shop, at=clock) as tx:
        days = store.periods(tx).keep_payer_days
        return 0 if days is None else advices.forget_old(tx, shop.today(clock) - timedelta(days=days), batch)


def _forget_customers(database: Database, shop: Shop, files: Files, clock: datetime, batch: int) -> int:
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        years = store.periods(tx).keep_order_years
        if years is None:
            return 0
        target = store.old_customers(tx, now - timedelta(days=366 * years), batch)
        leaving.queue(tx, erasing.invoice_files(tx, target), now)
        if target.orders:
            erasing.erase_rows(tx, target, fingerprint(tx), now)
    delete_leaving(database, shop, files)
    return len(target.orders)


def delete_leaving(database: Database, shop: Shop, files: Files) -> int:
    """Deletes the files whose rows are gone; returns their number. Interrupted or refused deletions are repeated.

    FilesUnavailable.
    """
    total = 0
    while True:
        with database.of_shop(shop) as tx:
            keys = leaving.waiting_files(tx, BATCH)
        for key in keys:
            files.delete(key)
        with database.of_shop(shop) as tx:
            leaving.remove_files(tx, keys)
        total += len(keys)
        if len(keys) < BATCH:
            return total


def forget_files(
    database: Database,
    shop: Shop,
    files: Files | None,
    dropped: Path | None,
    clock: datetime,
    kept_mail: Path | None = None,
) -> Gone:
    """Deletes invoices, bank files of the drop folder and mail files past their own periods.

    Remains of erasures are deleted, too.
    """
    count = 0
    with database.of_shop(shop, at=clock) as tx:
        found = store.periods(tx)
    if found.keep_invoice_days is not None:
        before = shop.now(clock) - timedelta(days=found.keep_invoice_days)
        with database.of_shop(shop, at=clock) as tx:
            count = leaving.forget_invoices(tx, before, BATCH, shop.now(clock))
    if files is not None:
        delete_leaving(database, shop, files)
    words = [count_of(count, "invoice")] if count else []
    if dropped is not None and found.keep_drop_days is not None:
        gone = forget_dropped(dropped, shop, clock - timedelta(days=found.keep_drop_days))
        words += [count_of(gone, "bank file")] if gone else []
    if kept_mail is not None and shop.keep_mail_days is not None:
        gone = forget_kept_mail(kept_mail, shop, clock - timedelta(days=shop.keep_mail_days))
        words += [count_of(gone, "mail")] if gone else []
    return Gone(f"{', '.join(words)} deleted" if words else "", more=count == BATCH)


def purge(database: Database, shop: Shop, files: Files | None, folders: Folders, clock: datetime) -> Gone:
    """Deletes all data of a shop that was deleted long enough ago; an entry of its audit log certifies it.

    Table by table in small transactions: after an interruption the next run continues. Sums are of the last run.
    """
    shop_id = ShopId(shop.id)
    with database.of_shop(shop, at=clock) as tx:
        found = store.periods(tx)
        tables = store.tables(tx)
        keys = store.file_keys(tx)
    due = shop.status is ShopStatus.DELETED and found.deleted_at is not None and found.purged_at is None
    if not due or found.deleted_at is None or found.deleted_at + timedelta(days=found.keep_deleted_days) > clock:
        return Gone()
    if keys and files is None:
        return Gone("invoices cannot be reached", more=False)
    for key in keys:
        assert files is not None
        files.delete(key)
    lying = sum(1 for _ in folders.files())
    for root in folders.roots:
        shutil.rmtree(root, ignore_errors=True)
    counts = {"files": len(keys) + lying}
    for table in tables:
        counts[table] = _delete_table(database, shop_id, table)
    with database.of_all_shops() as tx:
        counts |= store.delete_in_area(tx, shop_id)
    with database.of_shop(shop, at=clock) as tx:
        counts["audit_log"] = audit.erase_values(tx, store.deeds_with_values(tx), clock)
    with database.of_shop(shop, at=clock) as tx:
        store.empty_shop(tx, clock)
        gone = {name: count for name, count in sorted(counts.items()) if count}
        details = {"deletedAt": found.deleted_at, "purgedAt": clock, "rows": gone}
        record(tx, shop, AuditAction.SHOP_PURGED, str(shop.id), after=details)
    return Gone(f"all data of the shop deleted: {sum(gone.values())} rows and files")


def _delete_table(database: Database, shop: ShopId, table: str) -> int:
    total = 0
    while True:
        with database.of_shop(shop) as tx:
            count = store.delete_rows(tx, table, _DELETED_AT_ONCE)
        total += count
        if count < _DELETED_AT_ONCE:
            return total


def certificate(database: Database, shop: Shop) -> dict[str, Any]:
    """The deletions of a shop: rows per table, and when. PersonRefused while its data is there."""
    entries = [
        entry for entry in last_entries(database, shop, str(shop.id), 100) if entry["action"] == AuditAction.SHOP_PURGED
    ]
    if not entries:
        raise PersonRefused(Message("person-data-not-been-deleted", name=shop.name))
    details = msgspec.json.decode(entries[0]["after"])
    return {"shop": shop.name, "id": str(shop.id), "auditEntry": entries[0]["seq"], **details}


def as_pdf(found: Mapping[str, Any]) -> bytes:
    """A certificate on paper."""
    about = {
        "Shop": f"{found['shop']} ({found['id']})", "Deleted": found["deletedAt"], "Data deleted": found["purgedAt"],
        "Audit log": f"entry {found['auditEntry']}, which `paymatch audit verify` proves",
    }  # fmt: skip
    return write_personal_data("Certificate of deletion", about, {"Rows by table, and files": [found["rows"]]})
