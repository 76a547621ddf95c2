"""Imports as a whole: list them, undo one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.shops import own_accounts
from paymatch.store.statements import statements as store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.payouts import account_books
from paymatch.usecases.payouts.tying import tie
from paymatch.usecases.refunds.feedback import held_by_refund
from paymatch.usecases.statements.booking.booking import take_lines_away
from paymatch.usecases.statements.booking.scratch import LOT_SIZE
from paymatch.usecases.statements.import_report import report_from_json
from paymatch.usecases.statements.statements import IMPORT_LOCK_SECONDS


def list_imports(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The shop's imports, latest first, with their reports."""
    with database.of_shop(shop) as tx:
        rows = store.imports(tx)
    return [
        report_from_json(row.result) | {"importId": row.id, "status": row.status, "importedAt": row.created_at}
        for row in rows
    ]


def page_of_imports(tx: ShopTx, *, status: str = "", name: str = "", asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Imports, the latest first unless sorted, with their reports."""
    found = store.imports_page(tx, status=status, name=name, asked=asked)
    return found.map(lambda row: report_from_json(row.pop("result")) | row)


def undo_import(
    database: Database, shop: Shop, import_id: str, clock: datetime, lot_size: int = LOT_SIZE
) -> dict[str, Any]:
    """Undoes an import: its matches are undone; its postings are removed unless another import has them, as are its
    unconfirmed accounts.

    Refunds that its postings executed wait for the bank again. AssignmentRefused if there is no such import, a person
    has decided one of its postings, or a refund was executed outside of our transfer files.
    """
    now = shop.now(clock)
    with database.of_shop(shop, IMPORT_LOCK_SECONDS, at=clock) as tx:
        store.lock_imports(tx)
        store.lock_matching(tx)
        found = store.find_import(tx, import_id)
        if found is None or found.status != "BOOKED":
            raise AssignmentRefused(Message("import-none", **{"import": repr(import_id)}))
        window = take_lines_away(tx, import_id, now, lot_size)
        own = [each.id for each in window.vanished]
        by_hand = [each.id for each in window.vanished if each.by_hand]
        if by_hand:
            raise AssignmentRefused(Message("import-by-hand", count=len(by_hand), posting=by_hand[0]))
        if held_by_refund(tx, own):
            # It would be NEW again, and the next run would transfer it once more.
            raise AssignmentRefused(Message("import-refunds"))
        orders = window.finish(undoes_refunds=True)
        settled = account_books.undo(tx, import_id, now)
        store.set_undone(tx, import_id, now)
        came_with_it = msgspec.json.decode(found.result).get("newAccounts", ())
        removed = own_accounts.remove_unused(tx, came_with_it)
        tie(tx, now)
        shop_jobs.wake(tx, ALERTS, now)
        record(
            tx, shop, AuditAction.IMPORT_UNDONE, import_id, before={"postings": len(own) + settled, "orders": orders}
        )
    return {
        "importId": import_id,
        "postingsRemoved": len(own) + settled,
        "ordersSettled": orders,
        "accountsRemoved": removed,
    }
