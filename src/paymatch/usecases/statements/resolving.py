"""Unreadable entries: a person types their data, and each is booked once."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.statements import import_errors as store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.import_errors import UnreadRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.statements.statements import IMPORT_LOCK_SECONDS, IncomingBankFile, book, match_import, rehearse


@dataclass(frozen=True, slots=True)
class TypedEntry:
    """A person's data for an unreadable entry; "" where the entry has none."""

    amount_minor: int  # signed: effect on the account
    currency: Currency
    day: date
    name: str = ""
    iban: str = ""
    text: str = ""
    account: str = ""  # "" for the account of its statement, or the only one of its import


def list_unread(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The unreadable entries, latest import first, and the imports that resolved them."""
    with database.of_shop(shop) as tx:
        rows = store.unread(tx)
    return [
        {
            "importId": row.import_id, "file": row.file_name, "line": row.line, "reason": row.reason, "raw": row.raw,
            "resolvedBy": row.resolved_by, "position": row.position, "account": row.account, "currency": row.currency,
        }
        for row in rows
    ]  # fmt: skip


def resolve_unread(
    database: Database,
    shop: Shop,
    import_id: str,
    line: int,
    typed: TypedEntry,
    clock: datetime,
    *,
    channel: StatementChannel,
    position: int | None = None,
) -> dict[str, Any]:
    """Books a person's data for an unreadable entry, as a separate import that can be undone.

    The booking and the mark that the entry is resolved are one transaction: an interrupted attempt can be repeated.
    `position` distinguishes entries of one line; without it the first waiting one is meant. AssignmentRefused if there
    is no such entry, it is resolved, or its account is not certain.
    """
    with database.of_shop(shop, IMPORT_LOCK_SECONDS, at=clock) as tx:
        statement_store.lock_imports(tx)
        rows = store.unread(tx, import_id)
        row = _waiting_entry(rows, import_id, line, position)
        typed = replace(typed, account=typed.account or row.account or _only_account(tx, import_id))
        own = [import_id, *(each.resolved_by for each in rows if each.resolved_by)]
        alike = statement_store.count_alike(tx, own, typed.account, typed.day, typed.amount_minor)
        file = _file_that_adds(tx, row, typed, alike, channel)
        report, _ = book(tx, file)
        counts = typed.amount_minor if typed.currency == (row.currency or typed.currency) else None
        store.set_resolved(tx, row, report.import_id, counts, shop.now(clock))
    report = match_import(database, shop, report, clock)
    return {
        "importId": import_id, "line": row.line, "resolvedBy": report.import_id, "new": report.new,
        "matched": report.matched, "suggested": report.suggested,
    }  # fmt: skip


def _waiting_entry(rows: list[UnreadRow], import_id: str, line: int, position: int | None) -> UnreadRow:
    """The entry of this line that waits. AssignmentRefused."""
    for row in rows:
        if row.line == line and not row.resolved_by and position in (None, row.position):
            return row
    raise AssignmentRefused(Message("line-not-waiting", **{"import": repr(import_id), "line": str(line)}))


def _only_account(tx: ShopTx, import_id: str) -> str:
    """The account of all statements of an import. AssignmentRefused if it has several."""
    accounts = {each.account for each in statement_store.statements(tx) if each.import_id == import_id}
    if len(accounts) != 1 or "" in accounts:
        raise AssignmentRefused(Message("line-which-account"))
    return accounts.pop()


def _file_that_adds(
    tx: ShopTx, row: UnreadRow, typed: TypedEntry, alike: int, channel: StatementChannel
) -> IncomingBankFile:
    """The entry as a file; `alike` postings of its own file look the same but are other payments.

    An import adds what it shows more often than is booked, so the entry is shown together with those; one that another
    file has already brought stays known.
    """
    for copies in range(1, alike + 2):
        file = _file_of(row, typed, copies, channel)
        if rehearse(tx, file, matches=False).new == 1:
            return file
    return _file_of(row, typed, 1, channel)


def _file_of(row: UnreadRow, typed: TypedEntry, copies: int, channel: StatementChannel) -> IncomingBankFile:
    """The entry as a table, with a mention of the entry that it resolves, so each table is a distinct file."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";")
    writer.writerow(("Booking date", "Amount", "Currency", "Name", "IBAN", "Description", "Resolves", "Account"))
    amount, resolves = minor_to_text(typed.amount_minor, typed.currency), f"{row.import_id}/{row.position}"
    values = (typed.day.isoformat(), amount, typed.currency, typed.name, typed.iban, typed.text, resolves)
    writer.writerows([(*values, typed.account)] * copies)
    content = io.BytesIO(out.getvalue().encode())
    return IncomingBankFile(content, f"{row.file_name} line {row.line}", channel, typed.account)
