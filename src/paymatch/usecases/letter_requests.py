"""Letters are ordered in the transaction that decides their cause: once per cause."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from paymatch.domain.reminders.letters import INITIAL, LETTER_LIFECYCLE, LetterEvent, LetterKind, PostalAddress
from paymatch.formats.invoice_file import FileType
from paymatch.store.ids import new_id
from paymatch.store.letters import letters as store
from paymatch.store.letters.letters import LetterRow
from paymatch.store.orders import invoices
from paymatch.store.reminders import reminders
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.transactions import ShopTx


def order_letter(tx: ShopTx, order: ReminderOrderRow, level: int, fee_minor: int, now: datetime) -> None:
    """Orders a reminder, or at level 0 payment information, for an order that the caller has locked."""
    facts = order.facts
    store.add(
        tx,
        LetterRow(
            new_id("lt", now), facts.number, LetterKind.REMINDER if level else LetterKind.INFORMATION, level, INITIAL,
            order.postal.text, order.postal.country, facts.open_minor, fee_minor, now, due_at=now,
            order_seq=order.event_count,
        ),
    )  # fmt: skip


def order_first_invoice(
    tx: ShopTx, number: str, invoice_number: str, now: datetime, media_type: str = FileType.PDF.media_type
) -> bool:
    """Orders the letter with an order's first invoice, if the shop sends such letters (D-52).

    The caller has locked the order and stored the invoice. False: it is not the first printable one, or the shop sends
    none.
    """
    if media_type == FileType.XML.media_type:
        return False
    if not tx.shop.letters or store.settings(tx).invoices == "off" or invoices.count_printable(tx, number) != 1:
        return False
    (order,) = reminders.load(tx, [number], tx.shop.tolerance_minor, now)
    letter = LetterRow(
        new_id("lt", now), number, LetterKind.INVOICE, 0, INITIAL, order.postal.text, order.postal.country,
        order.facts.open_minor, 0, now, invoice_number=invoice_number, due_at=now, order_seq=order.event_count,
    )  # fmt: skip
    return store.add(tx, letter if order.postal.text else _unsendable(letter, order.postal, now))


def order_account_request(tx: ShopTx, order: ReminderOrderRow, refund_id: str, now: datetime) -> bool:
    """Orders the letter that asks for the bank details of a refund; False if there was one before.

    The caller has locked the order, whose customer has a postal address.
    """
    letter = LetterRow(
        new_id("lt", now), order.facts.number, LetterKind.REFUND_ACCOUNT, 0, INITIAL, order.postal.text,
        order.postal.country, 0, 0, now, refund_id=refund_id, due_at=now, order_seq=order.event_count,
    )  # fmt: skip
    return store.add(tx, letter)


def write_anew(tx: ShopTx, number: str) -> None:
    """Rewrites waiting letters about the order: their data on its refunds is out of date.

    The caller has locked the order.
    """
    now = tx.now
    for letter in store.spooled_letters(tx, [number], tx.wall_time):
        store.move(tx, letter, LETTER_LIFECYCLE.move(letter.status, LetterEvent.CHANGED), now=now, due_at=now)


def _unsendable(letter: LetterRow, address: PostalAddress, now: datetime) -> LetterRow:
    """Stores the letter as refused: a person sees it, and tries again once the order has an address."""
    status = LETTER_LIFECYCLE.move(letter.status, LetterEvent.REFUSED)
    return replace(letter, status=status, error=address.problem, due_at=None, finished_at=now)
