"""Orders: submit, mark, synchronise, read (docs/api.md, Orders)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from paymatch.domain.bank_accounts import creditor_reference
from paymatch.domain.money import Currency, currency_of, decimal_to_minor, minor_to_text
from paymatch.domain.orders.changes import changed_fields, is_readdressed
from paymatch.domain.orders.settlement import Ledger, Mark, PaymentStatus, SetPaidAccount, payment_status
from paymatch.domain.orders.submission import (
    OrderRefused,
    OrderUnknown,
    StoredOrder,
    SubmittedOrder,
    check_set_paid,
    check_set_unpaid,
    check_submission,
    mark_after_submission,
)
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.customers import links as order_links
from paymatch.store.database import Database
from paymatch.store.ids import new_reference_payload
from paymatch.store.matching import matching
from paymatch.store.matching.order_facts import OrderColumns, order_facts
from paymatch.store.orders import order_notes
from paymatch.store.orders import orders as store
from paymatch.store.orders.order_json import Include
from paymatch.store.orders.orders import OrderFilter, OrderRecord, billed_to
from paymatch.store.reminders import reminders
from paymatch.store.reports import set_paid as set_paid_amounts
from paymatch.store.search import order_texts
from paymatch.store.search.order_texts import NewOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.orders import consumer_credit
from paymatch.usecases.orders.payment_requests import publish_reference_numbers
from paymatch.usecases.settlement import credits, order_keys
from paymatch.usecases.settlement.exchange_rates import compare_rates
from paymatch.usecases.settlement.ledger import settle

_MAX_REASON: Final = 200


def submit(tx: ShopTx, submitted: Sequence[SubmittedOrder], places: Sequence[int] = ()) -> None:
    """Creates or updates the orders, all or none (D-13). OrderRefused with the first rule that is violated.

    Unchanged orders cost one comparison and write nothing. `places` has each order's position in the caller's list, for
    the refusal's index; empty for a single order.
    """
    store.lock(tx, [order.submission.number for order in submitted])
    tx.look_up_by_key()
    rows: list[OrderRecord] = []
    revived: list[str] = []
    known: list[str] = []
    today = tx.today
    for order, stored, changed in _differing_orders(tx, submitted, places):
        if stored is not None:
            known.append(order.submission.number)
            if stored.mark is not mark_after_submission(stored.mark):
                revived.append(order.submission.number)
        if changed or stored is None:
            rows.append(_row(order, stored, tx.shop.tolerance_minor, today))
    if rows:
        _note_changes(tx, rows, known, tx.now)
        store.save(tx, rows, tx.wall_time, tx.now)
        consumer_credit.note_terms(tx, [(row.number, row.order_date, row.due_date, bytes(row.doc)) for row in rows])
        before = frozenset(known)
        if rated := [row for row in rows if row.exchange_rate is not None or row.number in before]:
            compare_rates(tx, [(row.number, row.currency, row.exchange_rate) for row in rated])
        _save_keys(tx, rows, known, tx.now)
        if tx.shop.sends_mail:
            reminders.schedule_review(tx, [row.number for row in rows], tx.now)
    if revived:
        store.set_mark(tx, revived, None, tx.wall_time)
    if tx.shop.payment_information:
        publish_reference_numbers(tx, [row.number for row in rows], tx.now)
    if known:
        settle(tx, known, cause="order submitted", now=tx.now)
    if tx.shop.use_credit:
        credits.use_for_new(tx, [row.number for row in rows if row.number not in known])


def lock_new(tx: ShopTx, number: str) -> bool:
    """Whether the number is free; no other order can take it until the end of the transaction."""
    store.lock(tx, [number])
    return not exists(tx, number)


def check_only(tx: ShopTx, submitted: Sequence[SubmittedOrder], places: Sequence[int]) -> None:
    """Raises OrderRefused like `submit`; stores nothing."""
    _differing_orders(tx, submitted, places)


def examine(tx: ShopTx, submitted: Sequence[SubmittedOrder]) -> list[str | OrderRefused]:
    """The effect of submitting each order: `new`, `changed`, `same`, or the rule that refuses it. Nothing is stored."""
    docs = [(order.submission.number, order.doc, order.submission.initial_dunning_level) for order in submitted]
    found: list[str | OrderRefused] = ["same"] * len(docs)
    today = tx.today
    for index, stored, _ in store.differing_orders(tx, docs):
        try:
            _check(submitted[index], stored, today, None)
            found[index] = "new" if stored is None else "changed"
        except OrderRefused as refusal:
            found[index] = refusal
    return found


def _differing_orders(
    tx: ShopTx, submitted: Sequence[SubmittedOrder], places: Sequence[int]
) -> list[tuple[SubmittedOrder, StoredOrder | None, bool]]:
    """The orders that are new, changed or come back to life, each checked; OrderRefused with the first that may not."""
    _check_twice([order.submission.number for order in submitted], places)
    docs = [(order.submission.number, order.doc, order.submission.initial_dunning_level) for order in submitted]
    today = tx.today
    found: list[tuple[SubmittedOrder, StoredOrder | None, bool]] = []
    for index, stored, changed in store.differing_orders(tx, docs):
        _check(submitted[index], stored, today, places[index] if places else None)
        found.append((submitted[index], stored, changed))
    return found


def _check_twice(numbers: Sequence[str], places: Sequence[int]) -> None:
    seen: set[str] = set()
    for index, number in enumerate(numbers):
        if number in seen:
            raise OrderRefused(
                Message("order-could-not-update-order", number=number),
                parameter="number",
                number=number,
                index=places[index],
            )
        seen.add(number)


def _check(order: SubmittedOrder, stored: StoredOrder | None, today: date, index: int | None) -> None:
    try:
        check_submission(order.submission, stored, today)
    except OrderRefused as error:
        error.number, error.index = order.submission.number, index
        raise


def _row(order: SubmittedOrder, stored: StoredOrder | None, tolerance_minor: int, today: date) -> OrderRecord:
    submission = order.submission
    created = payment_status(Ledger(submission.amount_minor, 0, 0, tolerance_minor), None)
    return OrderRecord(
        number=submission.number,
        doc=msgspec.Raw(order.doc),
        type=order.type,
        order_date=submission.order_date,
        due_date=submission.due_date,
        currency=submission.currency,
        digits=order.digits,
        amount_minor=submission.amount_minor,
        exchange_rate=order.exchange_rate,
        stop_reminder=order.stop_reminder,
        status=stored.status if stored else created,
        reference="" if stored else creditor_reference(new_reference_payload()),
        initial_dunning_level=submission.initial_dunning_level,
        mail_problem=order.mail_problem,
        since_date=today,
        billed_to=billed_to(order.doc),
    )


def _note_changes(tx: ShopTx, rows: Sequence[OrderRecord], known: Sequence[str], now: datetime) -> None:
    """Keeps the differences from the stored orders, and who changed them.

    If the customer's address changed, the link sent to the old one no longer works (D-51).
    """
    before = order_notes.documents(tx, known) if known else {}
    decode = msgspec.json.Decoder(float_hook=str).decode
    pairs = {row.number: (decode(before[row.number]), decode(bytes(row.doc))) for row in rows if row.number in before}
    if changed := {number: fields for number, pair in pairs.items() if (fields := changed_fields(*pair))}:
        order_notes.add_changes(tx, changed, now)
    for number, fields in changed.items():
        if fields.keys() & {"amount", "currency"}:
            old, new = (_amount(each) for each in pairs[number])
            record(tx, tx.shop, AuditAction.ORDER_AMOUNT_CHANGED, number, before={"amount": old}, after={"amount": new})
    for number in (number for number, pair in pairs.items() if is_readdressed(*pair)):
        if order_links.revoke(tx, number, now):
            record(tx, tx.shop, AuditAction.LINK_REVOKED, number)


def _amount(document: Mapping[str, Any]) -> str:
    """The order's amount by its document: `49.90 EUR`."""
    currency = currency_of(document["currency"])
    return f"{minor_to_text(decimal_to_minor(Decimal(str(document['amount'])), currency), currency)} {currency}"


def _save_keys(tx: ShopTx, rows: Sequence[OrderRecord], known: Sequence[str], now: datetime) -> None:
    """Search data of new and changed orders: lookup keys for matching, texts for people."""
    if known:
        numbers = [row.number for row in rows]
        facts = list(matching.load_orders(tx, numbers).values())
        order_texts.renew(tx, numbers)
    else:
        facts = [order_facts(bytes(row.doc), _columns(row)) for row in rows]
        order_texts.save_new(tx, map(_search_text, rows))
    order_keys.save(tx, facts, known, now)


def _search_text(row: OrderRecord) -> NewOrder:
    return NewOrder(row.number, bytes(row.doc), row.order_date, row.amount_minor, row.currency, row.reference)


def _columns(row: OrderRecord) -> OrderColumns:
    return OrderColumns(
        number=row.number,
        type=row.type,
        currency=Currency(row.currency),
        amount_minor=row.amount_minor,
        order_date=row.order_date,
        due_date=row.due_date,
        exchange_rate=row.exchange_rate,
        status=PaymentStatus(row.status),
        reference=row.reference,
    )


def set_paid(
    tx: ShopTx,
    number: str,
    *,
    reason: str = "",
    account: SetPaidAccount = SetPaidAccount.OTHER,
) -> None:
    """Sets the order PAID by hand; its debt is booked on the account (D-98).

    OrderUnknown; OrderRefused if it is already PAID.
    """
    order = _lock_and_load(tx, number)
    check_set_paid(order.status)
    why = reason.strip()[:_MAX_REASON]
    set_paid_amounts.add(tx, number, tx.today, account, 0, order.currency, why, tx.now)
    _mark(tx, number, order.mark, Mark.PAID, "set paid")


def set_unpaid(tx: ShopTx, number: str) -> None:
    """Removes the manual PAID, so the books decide (D-12). OrderUnknown; OrderRefused."""
    order = _lock_and_load(tx, number)
    check_set_unpaid(order.status, order.mark)
    _mark(tx, number, order.mark, None, "set unpaid")


def cancel(tx: ShopTx, number: str) -> None:
    """Sets the order CANCELLED from any status. OrderUnknown."""
    before = _lock_and_load(tx, number)
    _mark(tx, number, before.mark, Mark.CANCELLED, "cancelled")


def lapse(tx: ShopTx, number: str) -> None:
    """Sets the order CANCELLED because it was not paid in time (D-42); the caller has its lock and has decided."""
    _mark(tx, number, None, Mark.CANCELLED, "lapsed")


def remove(tx: ShopTx, number: str) -> None:
    """Sets the order DISAPPEARED: it vanished from the shop. OrderUnknown."""
    before = _lock_and_load(tx, number)
    _mark(tx, number, before.mark, Mark.DISAPPEARED, "removed")


def _lock_and_load(tx: ShopTx, number: str) -> store.MarkedOrder:
    store.lock(tx, [number])
    stored = store.marked_order(tx, number)
    if stored is None:
        raise OrderUnknown(number)
    return stored


def _mark(tx: ShopTx, number: str, before: Mark | None, mark: Mark | None, cause: str) -> None:
    record(tx, tx.shop, AuditAction.ORDER_MARKED, number, before={"mark": before}, after={"mark": mark, "by": cause})
    store.set_mark(tx, [number], mark, tx.wall_time)
    settle(tx, [number], cause=cause, now=tx.now)


def read(tx: ShopTx, number: str, include: Include) -> bytes:
    """The order as JSON; OrderUnknown."""
    found = store.read_one(tx, number, include)
    if found is None:
        raise OrderUnknown(number)
    return found


def exists(tx: ShopTx, number: str) -> bool:
    """True if the shop has the order."""
    return store.exists(tx, number)


def require(tx: ShopTx, number: str) -> None:
    """OrderUnknown unless the shop has the order."""
    if not exists(tx, number):
        raise OrderUnknown(number)


def read_many(tx: ShopTx, numbers: Sequence[str], include: Include) -> bytes:
    """JSON array of the orders in the order of the numbers."""
    return store.read_many(tx, numbers, include)


def stream(
    tx: ShopTx,
    database: Database,
    shop: Shop,
    wanted: OrderFilter,
    include: Include,
    *,
    after: tuple[date, str] | None = None,
    limit: int | None = None,
) -> bytes | Iterator[bytes]:
    """A JSON array of orders by date and number, in chunks if it is longer than a page.

    The first page is read at once, as the last thing in `tx`; each further one in a transaction of its own.
    """
    size = store.PAGE if limit is None else min(limit, store.PAGE)
    tx.commit_with_next()
    text, count, place = store.read_page(tx, wanted, after, size, include)
    if place is None or limit == size:
        return b"[%b]" % text
    left = None if limit is None else limit - count

    def chunks(first: list[bytes], place: tuple[date, str] | None, left: int | None) -> Iterator[bytes]:
        yield b"["
        yield first.pop()  # no transaction stays open while a slow reader reads
        while place is not None and (left is None or left > 0):
            size = store.PAGE if left is None else min(left, store.PAGE)
            with database.of_shop(shop) as further:
                further.commit_with_next()
                text, count, place = store.read_page(further, wanted, place, size, include)
            page = [b"," + text if count else b""]
            del text
            yield page.pop()
            left = None if left is None else left - count
        yield b"]"

    return chunks([text], place, left)
