"""Imports as a whole: list them, undo one, resolve what could not be read in one."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import msgspec

from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.shops.audit import DeedKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.statement_channels import StatementChannel
from paymatch.store import shops as shop_store
from paymatch.store.database import Database, ShopId
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statement_lines as line_store
from paymatch.store.statements import statements as store
from paymatch.store.work import shop_jobs
from paymatch.usecases.matching.unmatching import release, settle_days
from paymatch.usecases.refunds.feedback import held_by_refund
from paymatch.usecases.statements.import_report import Report
from paymatch.usecases.statements.statements import IMPORT_LOCK_SECONDS, import_file
from paymatch.usecases.work.audit import record_deed


def list_imports(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The shop's imports, latest first, with what each said."""
    with database.transaction(ShopId(shop.id)) as tx:
        rows = store.imports(tx, ShopId(shop.id))
    return [
        msgspec.json.decode(row.result) | {"importId": row.id, "status": row.status, "importedAt": row.created_at}
        for row in rows
    ]


def undo_import(database: Database, shop: Shop, import_id: str, clock: datetime) -> dict[str, Any]:
    """Takes an import back: its matches are undone, its postings go unless another import saw them too,
    and so do accounts that came with it and that nobody confirmed.

    Refunds that its postings executed wait for the bank again. AssignmentRefused if there is no such import, a person
    has decided one of its postings, or a refund was executed outside of our transfer files.
    """
    shop_id, now = ShopId(shop.id), shop.now(clock)
    with database.transaction(shop_id, IMPORT_LOCK_SECONDS) as tx:
        store.lock_imports(tx, shop_id)
        store.lock_matching(tx, shop_id)
        found = store.find_import(tx, shop_id, import_id)
        if found is None or found.status != "BOOKED":
            raise AssignmentRefused(f"There is no import {import_id!r} that could be undone")
        own = line_store.only_seen_by(tx, shop_id, import_id)
        by_hand = [posting.id for posting in posting_store.load(tx, shop_id, own) if posting.by_hand]
        if by_hand:
            raise AssignmentRefused(f"{len(by_hand)} postings of the import were decided by hand, first {by_hand[0]}")
        if held_by_refund(tx, shop_id, own):
            # It would be NEW again, and the next run would transfer it once more.
            raise AssignmentRefused("Postings of the import executed refunds that stand in no transfer file of ours")
        orders = release(tx, shop_id, own, now)
        posting_store.delete(tx, shop_id, own)
        settle_days(tx, shop_id, line_store.forget(tx, shop_id, import_id, now), now)
        store.set_undone(tx, shop_id, import_id, now)
        came_with_it = msgspec.json.decode(found.result).get("newAccounts", ())
        removed = shop_store.remove_unused_accounts(tx, shop_id, came_with_it)
        shop_jobs.wake(tx, shop_id, ALERTS, now)
        record_deed(tx, shop, DeedKind.IMPORT_UNDONE, import_id, before={"postings": len(own), "orders": orders})
    return {"importId": import_id, "postingsRemoved": len(own), "ordersSettled": orders, "accountsRemoved": removed}


@dataclass(frozen=True, slots=True)
class TypedEntry:
    """What a person says of an entry that could not be read; "" where the entry says nothing."""

    amount_minor: int  # signed: effect on the account
    currency: Currency
    day: date
    name: str = ""
    iban: str = ""
    text: str = ""
    account: str = ""  # "" for the only account of its import


def list_unread(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The entries that could not be read, latest import first, and which of them are resolved by which import."""
    with database.transaction(ShopId(shop.id)) as tx:
        rows = store.unread(tx, ShopId(shop.id))
    return [
        {
            "importId": row.import_id, "file": row.file_name, "line": row.line, "reason": row.reason, "raw": row.raw,
            "resolvedBy": row.resolved_by,
        }
        for row in rows
    ]  # fmt: skip


def resolve_unread(
    database: Database, shop: Shop, import_id: str, line: int, typed: TypedEntry, clock: datetime
) -> dict[str, Any]:
    """Books what a person typed of an unreadable entry, as an import of its own that can be undone.

    AssignmentRefused if there is no such entry, it is resolved, or its account is not certain.
    """
    shop_id = ShopId(shop.id)
    with database.transaction(shop_id) as tx:
        waiting = store.unread(tx, shop_id, import_id)
        row = next((row for row in waiting if row.line == line), None)
        accounts = {each.account for each in store.statements(tx, shop_id) if each.import_id == import_id}
        account = typed.account or (accounts.pop() if len(accounts) == 1 else "")
        own = [import_id, *(row.resolved_by for row in waiting if row.resolved_by)]
        alike = store.count_alike(tx, shop_id, own, account, typed.day, typed.amount_minor)
    if row is None or row.resolved_by:
        raise AssignmentRefused(f"Import {import_id!r} has no entry in line {line} that waits for a person")
    if not account:
        raise AssignmentRefused("The file has entries of several accounts: name the one that is meant")
    report = _book_typed(database, shop, row, replace(typed, account=account), alike, clock)
    with database.transaction(shop_id) as tx:
        store.set_resolved(tx, shop_id, row, report.import_id, shop.now(clock))
        shop_jobs.wake(tx, shop_id, ALERTS, shop.now(clock))
    return {
        "importId": import_id, "line": line, "resolvedBy": report.import_id, "new": report.new,
        "matched": report.matched, "suggested": report.suggested,
    }  # fmt: skip


def _book_typed(
    database: Database, shop: Shop, row: store.UnreadRow, typed: TypedEntry, alike: int, clock: datetime
) -> Report:
    """Imports the entry; `alike` postings of its own file may look the same and are other payments.

    An import adds what it shows more often than it is booked, so the entry is shown beside those that look the same;
    one that another file has brought already is known, and stays so.
    """
    name = f"{row.file_name} line {row.line}"

    def book(copies: int, *, dry_run: bool) -> Report:
        table = io.BytesIO(_table_of(row, typed, copies))
        channel = StatementChannel.COMMAND_LINE
        return import_file(
            database, shop, table, name, clock, channel=channel, account=typed.account, dry_run=dry_run
        )  # fmt: skip

    copies = next((number for number in range(1, alike + 2) if book(number, dry_run=True).new == 1), 1)
    return book(copies, dry_run=False)


def _table_of(row: store.UnreadRow, typed: TypedEntry, copies: int) -> bytes:
    """The entry as a table; what it resolves stands beside it, so that each table is a file of its own."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";")
    writer.writerow(("Booking date", "Amount", "Currency", "Name", "IBAN", "Description", "Resolves", "Account"))
    amount, resolves = minor_to_text(typed.amount_minor, typed.currency), f"{row.import_id}/{row.position}"
    values = (typed.day.isoformat(), amount, typed.currency, typed.name, typed.iban, typed.text, resolves)
    writer.writerows([(*values, typed.account)] * copies)
    return out.getvalue().encode()
