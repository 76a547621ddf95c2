"""Settling: the one place where an order's paymentStatus is written, with its event and callback (D-1).

It also writes the consequences in the order's books: amounts set paid without money are booked (D-98), paid reminder
fees are credited (D-97), and kept credit returns to an order that has lost its payment, until it has it again (D-87).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from paymatch.domain.calendar import today_in
from paymatch.domain.customers.credits import AdjustmentKind, to_keep_again, to_return
from paymatch.domain.orders.reminder_fees import OrderToPay, reminder_fee_parts
from paymatch.domain.orders.settlement import (
    AWAITING_MONEY,
    OPEN_STATUSES,
    PaymentStatus,
    payment_status,
    set_paid_changes,
    set_paid_minor,
)
from paymatch.domain.shops.audit import ActorKind
from paymatch.store.callbacks import callbacks
from paymatch.store.customers import credits as credit_store
from paymatch.store.customers.credits import AdjustmentRow
from paymatch.store.ids import new_id
from paymatch.store.matching import matching
from paymatch.store.orders import ledger
from paymatch.store.orders.ledger import OrderBalance
from paymatch.store.refunds import refunds as refund_store
from paymatch.store.reminders import paid_fees as fee_store
from paymatch.store.reminders import reminders
from paymatch.store.reports import set_paid as set_paid_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.settlement import order_keys
from paymatch.usecases.settlement.pending_refunds import follow_lost_payments, follow_payments


def credit_reminder_fees(tx: ShopTx, orders: Sequence[OrderBalance], now: datetime) -> bool:
    """Divides the payments of these orders between order and fees of reminders; True if a division has changed.

    The caller holds the orders' locks.
    """
    wanted = {
        books.number: OrderToPay(books.ledger.due_minor, books.adjusted_minor, books.ledger.refunded_minor)
        for books in orders
    }
    demanded, parts = fee_store.demanded(tx, list(wanted)), fee_store.parts(tx, list(wanted))
    changed = []
    for number, of_order in sorted(parts.items()):
        stored = {part.posting_id: part.fee_minor for part in of_order if part.can_hold_fees}
        found = reminder_fee_parts(wanted[number], demanded.get(number, ()), of_order)
        changed += [(number, posting, fee) for posting, fee in found if stored.get(posting, 0) != fee]
    if changed:
        fee_store.write(tx, changed, now)
    return bool(changed)


def book_set_paid(tx: ShopTx, orders: Sequence[OrderBalance], now: datetime) -> None:
    """Books the debts of orders that were set paid, and reverses it once they are unset or paid."""
    for books in orders:
        wanted = set_paid_minor(books.ledger, books.mark)
        if wanted == books.set_paid_minor:
            continue
        booked, chosen = set_paid_store.booked(tx, books.number)
        for account, minor in set_paid_changes(wanted, booked, chosen).items():
            day = today_in(tx.shop.timezone, now)
            set_paid_store.add(tx, books.number, day, account, minor, books.currency, "", now)


def return_kept_credit(tx: ShopTx, lost: Sequence[OrderBalance], now: datetime) -> bool:
    """Returns kept credit to orders that have lost a payment, as far as they need it; whether any was returned.

    Credit that pays another order by now stays there: its customer owes it with this order. The caller holds the locks.
    """
    found = False
    kept = credit_store.kept_of(tx, [books.number for books in lost]) if lost else {}
    for books in lost:
        if books.number not in kept:
            continue
        customer, currency, minor = kept[books.number]
        credit_store.lock_customer(tx, customer)
        left = credit_store.balance(tx, customer, currency)
        back = to_return(books.ledger.due_minor, books.ledger.net_minor, minor, left)
        if back:
            _add_returned(tx, books.number, customer, currency, back, now)
            found = True
    return found


def keep_credit_again(tx: ShopTx, gained: Sequence[OrderBalance], now: datetime) -> bool:
    """Makes credit again of what returned to orders for a lost payment, if they have that payment back; whether any.

    Planned refunds come first (D-87). The caller holds the locks.
    """
    books_of = {books.number: books for books in gained}
    returned = credit_store.returned_to(tx, sorted(books_of)) if gained else []
    pending = refund_store.pending_of(tx, sorted({row[0] for row in returned})) if returned else []
    taken = Counter[str]()
    for row in pending:
        taken[row.order_number] += row.amount_minor
    found = False
    for number, customer, currency, minor in returned:
        ledger_of = books_of[number].ledger
        again = to_keep_again(ledger_of.due_minor, ledger_of.net_minor, minor, taken[number])
        if again:
            credit_store.lock_customer(tx, customer)
            _add_returned(tx, number, customer, currency, -again, now)
            taken[number] += again
            found = True
    return found


def _add_returned(tx: ShopTx, number: str, customer: str, currency: str, minor: int, now: datetime) -> None:
    day = today_in(tx.shop.timezone, now)
    row = AdjustmentRow(
        new_id("adj", now), number, customer, currency, AdjustmentKind.RETURNED, minor, day, now, tx.actor.name,
        follows_payment=True,
    )  # fmt: skip
    credit_store.add(tx, row)


def settle(tx: ShopTx, numbers: Iterable[str], *, cause: str, now: datetime) -> dict[str, PaymentStatus]:
    """Recomputes the orders from their books and writes what differs; the new status of those whose status changed.

    Open postings whose suggestions name a changed order are matched again soon.

    The caller holds the orders' locks and calls this last: the shop's event counter is locked until the commit.
    """
    tx.look_up_by_key()
    loaded = _load(tx, sorted(set(numbers)), now)
    book_set_paid(tx, loaded, now)
    found = [(books, change) for books in loaded if (change := _change(books)) is not None]
    changes = [change for _, change in found]
    received = {
        books.number: books.refundable_minor for books, _ in found if books.ledger.paid_minor > books.written_paid_minor
    }
    lost = {
        books.number: books.refundable_minor for books, _ in found if books.ledger.paid_minor < books.written_paid_minor
    }
    left = [
        (books.number, books.ledger.due_minor, books.currency)
        for books, change in found
        if change.before in AWAITING_MONEY and change.status not in AWAITING_MONEY
    ]
    awaiting = [c.number for c in changes if c.status in AWAITING_MONEY]
    grace = _grace(tx)
    ledger.write(tx, changes, cause=cause, sends_callbacks=tx.shop.sends_callbacks, now=now, due_at=now + grace)
    if grace:
        callbacks.withdraw_undone(tx, [c.number for c in changes if c.status is not c.before], now)
    order_keys.refresh_after_settlement(tx, left, awaiting, now)
    if changes:
        matching.mark_suggested_for_rematch(tx, [change.number for change in changes], now)
    opened = [c.number for c in changes if c.status in OPEN_STATUSES and c.status is not c.before]
    if lost:
        follow_lost_payments(tx, lost, now)
    if received:
        follow_payments(tx, received, now)
    if opened and tx.shop.sends_mail:
        reminders.schedule_review(tx, opened, now)
    paid = [c.number for c in changes if _is_paid_now(c) and c.number in received]
    if paid and tx.shop.payment_thanks:
        reminders.thank(tx, paid, now, due_at=now + grace)
    return {change.number: change.status for change in changes if change.status is not change.before}


def _load(tx: ShopTx, numbers: list[str], now: datetime) -> list[ledger.OrderBalance]:
    """The orders' books, after kept credit is returned or kept again and reminder payments are credited as fees."""
    loaded = ledger.load(tx, numbers, tx.shop.tolerance_minor)
    lost = [each for each in loaded if each.ledger.paid_minor < each.written_paid_minor]
    gained = [each for each in loaded if each.ledger.paid_minor > each.written_paid_minor]
    if return_kept_credit(tx, lost, now) | keep_credit_again(tx, gained, now):
        loaded = ledger.load(tx, numbers, tx.shop.tolerance_minor)
    dunned = [books for books in loaded if books.has_reminder_fees]
    if dunned and credit_reminder_fees(tx, dunned, now):
        loaded = ledger.load(tx, numbers, tx.shop.tolerance_minor)
    return loaded


def _change(books: ledger.OrderBalance) -> ledger.StatusChange | None:
    """The data to write for an order; None if it is all written already."""
    status = payment_status(books.ledger, books.mark)
    moved = status is not books.status
    same_amounts = (
        books.ledger.paid_minor == books.written_paid_minor
        and books.ledger.refunded_minor == books.written_refunded_minor
        and books.last_posting_date == books.written_last_posting_date
    )
    if same_amounts and not moved:
        return None
    return ledger.StatusChange(
        number=books.number,
        before=books.status,
        status=status,
        paid_minor=books.ledger.paid_minor,
        refunded_minor=books.ledger.refunded_minor,
        last_posting_date=books.last_posting_date,
        event_count=books.event_count + moved,
    )


def _is_paid_now(change: ledger.StatusChange) -> bool:
    return change.before in OPEN_STATUSES and change.status is PaymentStatus.PAID


def _grace(tx: ShopTx) -> timedelta:
    """How long callbacks of a person's decision wait for an undo; others do not wait (D-18).

    In a sandbox with a stopped clock the time would never pass.
    """
    waits = tx.actor.kind is ActorKind.PERSON and tx.shop.sends_callbacks and not tx.shop.sandbox_stands
    return timedelta(seconds=tx.shop.callback_grace_seconds if waits else 0)
