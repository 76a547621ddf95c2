"""Letters for people: waiting, sent, or in need of a person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from paymatch.domain.reminders.letters import (
    LETTER_LIFECYCLE,
    LetterEvent,
    LetterKind,
    LetterMoveRefused,
    LetterStatus,
)
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.store.letters import letters as store
from paymatch.store.letters.letters import LetterRow
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.letters.writing import refused_alert, returned_words
from paymatch.usecases.reminders import stops


def list_letters(
    tx: ShopTx,
    *,
    number: str = "",
    status: LetterStatus | None = None,
    kind: LetterKind | None = None,
    before: str = "",
    limit: int = 100,
) -> list[dict[str, Any]]:
    """Letters, latest first."""
    rows = store.page(tx, number=number, status=str(status or ""), kind=str(kind or ""), before=before, limit=limit)
    return [_letter(row) for row in rows]


def sorted_letters(
    tx: ShopTx,
    *,
    number: str = "",
    status: LetterStatus | None = None,
    kind: LetterKind | None = None,
    asked: AskedPage,
) -> PageOfRows[dict[str, Any]]:
    """Letters, latest first unless sorted."""
    found = store.sorted_page(tx, number=number, status=str(status or ""), kind=str(kind or ""), asked=asked)
    return found.map(_letter)


def show_letter(tx: ShopTx, letter_id: str) -> tuple[dict[str, Any], bytes]:
    """A letter and its PDF: empty before it is written, and once deleted. SettingRefused if there is none."""
    row = _find(tx, letter_id)
    return _letter(row), store.content(tx, letter_id)


def discard(tx: ShopTx, letter_id: str) -> dict[str, Any]:
    """Discards the letter. Discarding a reminder also stops the order's reminders until they are resumed.

    SettingRefused if it was sent already, or is just being handed over.
    """
    now = tx.now
    number = _find(tx, letter_id).order_number
    order_store.lock(tx, [number])
    row = _find(tx, letter_id)
    try:
        status = LETTER_LIFECYCLE.move(row.status, LetterEvent.DISCARDED)
    except LetterMoveRefused:
        raise SettingRefused(Message("setting-letter-discarded-before-goes", status=row.status)) from None
    if store.is_claimed(tx, letter_id, tx.wall_time):
        raise SettingRefused(Message("setting-letter-just-being-written"))
    store.move(tx, row, status, now=now)
    if row.kind is LetterKind.REMINDER:
        stops.stop(tx, number)
    record(tx, tx.shop, AuditAction.LETTER_DISCARDED, number, after={"letter": letter_id})
    return {"id": letter_id, "orderNumber": number, "status": str(status)}


def try_again(tx: ShopTx, letter_id: str) -> dict[str, Any]:
    """Writes a refused letter again, with the order's present address. SettingRefused."""
    now = tx.now
    row = _find(tx, letter_id)
    try:
        status = LETTER_LIFECYCLE.move(row.status, LetterEvent.TRIED_AGAIN)
    except LetterMoveRefused:
        raise SettingRefused(Message("setting-only-refused-letters-tried", status=row.status)) from None
    order_store.lock(tx, [row.order_number])
    (order,) = reminders.load(tx, [row.order_number], tx.shop.tolerance_minor, now)
    if row.kind in (LetterKind.INFORMATION, LetterKind.REMINDER) and order.facts.letter_waits:
        raise SettingRefused(Message("setting-another-letter-about-order"))
    store.move(tx, row, status, now=now, due_at=now)
    return {"id": letter_id, "orderNumber": row.order_number}


def letter_alerts(tx: ShopTx) -> Iterator[Alert]:
    """Letters that a person must look at: refused, not delivered, or waiting for too long."""
    now = tx.now
    days = store.settings(tx).alert_days
    waiting: list[LetterRow] = []
    for row in store.unsettled_letters(tx, now - timedelta(days=days)):
        if row.status is LetterStatus.REFUSED:
            yield Alert(AlertKind.LETTER_REFUSED, *refused_alert(row))
        elif row.status is LetterStatus.RETURNED:
            yield Alert(AlertKind.LETTER_REFUSED, row.id, returned_words(row, row.error))
        else:
            waiting.append(row)
    if waiting:
        said = Message(
            "alert-letters-waiting", count=len(waiting), days=Message("days-long", count=days),
            order=waiting[0].order_number,
        )  # fmt: skip
        yield Alert(AlertKind.LETTER_WAITING, waiting[0].id, said)


def _find(tx: ShopTx, letter_id: str) -> LetterRow:
    found = store.find(tx, letter_id)
    if found is None:
        raise SettingRefused(Message("setting-shop-no-letter", letter_id=repr(letter_id)))
    return found


def letter_name(kind: str, level: int) -> str:
    """The name of a letter."""
    if kind == LetterKind.REMINDER:
        return f"reminder {level}"
    names = {LetterKind.INVOICE: "invoice", LetterKind.REFUND_ACCOUNT: "bank details for a refund"}
    return names.get(LetterKind(kind), "payment information")


def _letter(row: LetterRow) -> dict[str, Any]:
    return {
        "id": row.id, "orderNumber": row.order_number, "kind": str(row.kind), "dunningLevel": row.dunning_level,
        "letter": letter_name(row.kind, row.dunning_level), "status": str(row.status), "pages": row.pages,
        "to": row.recipient.rpartition("\n")[0].replace("\n", ", "), "country": row.country, "run": row.run_id or "",
        "error": row.error, "attempts": row.attempts, "createdAt": row.created_at, "finishedAt": row.finished_at,
        "forgotten": row.forgotten,
    }  # fmt: skip
