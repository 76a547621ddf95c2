"""Refunds: a shop requests (docs/api.md, Refunds), cancels or redirects them (D-4, D-31)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.money import Currency, digits_of
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.refunds.money_out import RefundFacts, hold_reason
from paymatch.domain.refunds.refunds import (
    REFUND_LIFECYCLE,
    RefundEvent,
    RefundMoveRefused,
    RefundRefused,
    RefundStatus,
    RefundUnknown,
    SubmittedRefund,
    check_by_hand,
    check_planned_date,
    initial_status,
)
from paymatch.domain.refunds.transfers import refund_reference
from paymatch.domain.reminders.policy import REFUND_WAIT
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message, Sum
from paymatch.store.ids import new_id, new_reference_payload
from paymatch.store.orders import ledger, order_list
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import given_back
from paymatch.store.refunds import refunds as store
from paymatch.store.refunds.refunds import Listed, PayerAccount, RefundRow
from paymatch.store.reminders import reminders
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.letter_requests import write_anew
from paymatch.usecases.refunds.clearance import ArrivedSums, HeldPayee, arrived_beside
from paymatch.usecases.settlement.pending_refunds import covered_of, payer_account
from paymatch.usecases.shops import shops

HAND_REFERENCE_LENGTH: Final = 8
"""The prefix of the reference of a refund that a person files."""
REFERENCE_LENGTH: Final = 16
"""Characters of the random part of a refund's reference."""
_NEW_DETAILS: Final = {
    RefundStatus.BANKDETAILS_MISSING: RefundEvent.BANK_DETAILS_RECEIVED,
    RefundStatus.ERROR: RefundEvent.NEW_BANK_DETAILS,
    RefundStatus.RETURNED: RefundEvent.NEW_BANK_DETAILS,
}


def create(tx: ShopTx, order_number: str, submitted: SubmittedRefund) -> str:
    """The stored refund as JSON. Checks in order: order, planned date, currency, external reference.

    OrderUnknown; RefundRefused; OrderRefused. A refund may be filed on an order that is not yet paid (D-3).
    """
    order_store.lock(tx, [order_number])
    currency = order_store.currency(tx, order_number)
    if currency is None:
        raise OrderUnknown(order_number)
    check_planned_date(submitted.planned_date, tx.today)
    if submitted.currency != currency:
        raise OrderRefused(Message("order-parameter-currency-must-currency", currency=currency), parameter="currency")
    existing = store.reference_of(tx, submitted.external_reference)
    if existing is None:
        account = payer_account(tx, order_number)
        now = tx.now
        refund_id = new_id("rf", now)
        stored = store.add(
            tx,
            refund_id,
            order_number,
            submitted,
            reference=refund_reference(new_reference_payload(REFERENCE_LENGTH)),
            status=initial_status(bank_details_known=account is not None),
            account=account,
            now=now,
        )
        if stored:
            record(
                tx, tx.shop, AuditAction.REFUND_FILED, refund_id, after=_audit_values(order_number, submitted, account)
            )
            _mark_uncovered(tx, order_number, refund_id, now)
            return store.read(tx, refund_id)
        existing = store.reference_of(tx, submitted.external_reference)
    raise RefundRefused(Message("refund-already-exists", external_reference=str(existing)))


def _mark_uncovered(tx: ShopTx, order_number: str, refund_id: str, now: datetime) -> None:
    """Records at once that a refund of more than was paid waits; the caller has the order's lock."""
    (books,) = ledger.load(tx, [order_number], tx.shop.tolerance_minor)
    pending = store.pending_of(tx, [order_number])
    covered = refund_id in covered_of(pending, {order_number: books.refundable_minor})
    if reason := hold_reason(RefundFacts(covered), now):
        store.hold(tx, {refund_id: reason})


def file_by_hand(tx: ShopTx, order_number: str, amount_minor: int, note: str) -> str:
    """The refund that a person files, as JSON; it is planned for tomorrow. OrderUnknown; RefundRefused.

    At most the rest of the payments after all planned refunds.
    """
    order_store.lock(tx, [order_number])
    order = order_list.find(tx, order_number)
    if order is None:
        raise OrderUnknown(order_number)
    currency = Currency(order.currency)
    check_by_hand(amount_minor, order.refundable_minor, currency, note)
    wanted = SubmittedRefund(
        f"R-{new_reference_payload(HAND_REFERENCE_LENGTH)}", amount_minor, currency, digits_of(currency),
        tx.today + timedelta(days=1), note,
    )  # fmt: skip
    return create(tx, order_number, wanted)


def page(
    tx: ShopTx, statuses: Sequence[RefundStatus] = (), after: str | None = None, limit: int = 100
) -> list[tuple[Listed, ArrivedSums | None]]:
    """Up to `limit` refunds after the one with the id `after`, in the order of filing. RefundUnknown.

    Those that a person must release come with the received sums (D-37).
    """
    if after is not None and store.order_of(tx, after) is None:
        raise RefundUnknown(after)
    rows = store.page(tx, statuses, after or "", limit)
    held = (HeldPayee(row.id, row.order_number, row.currency, row.iban, row.held_reason) for row in rows)
    sums = arrived_beside(tx, held)
    return [(row, sums.get(row.id)) for row in rows]


def cancel(tx: ShopTx, refund_id: str) -> str:
    """The refund as JSON, CANCELLED by the merchant. RefundUnknown; RefundRefused once it is with the bank (D-4)."""
    refund = lock_and_load(tx, refund_id)
    try:
        status = REFUND_LIFECYCLE.move(refund.status, RefundEvent.MERCHANT_CANCELLED)
    except RefundMoveRefused:
        raise RefundRefused(Message("refund-could-not-cancel-refund", status=refund.status)) from None
    store.move(tx, refund_id, status, tx.now)
    write_anew(tx, refund.order_number)
    if tx.shop.sends_mail:  # the open amount may be asked for again (D-3)
        reminders.schedule_review(tx, [refund.order_number], tx.now)
    record(
        tx, tx.shop, AuditAction.REFUND_CANCELLED, refund_id, before={"status": refund.status}, after={"status": status}
    )
    return store.read(tx, refund_id)


def require(tx: ShopTx, refund_id: str) -> None:
    """RefundUnknown unless the shop has the refund."""
    if store.order_of(tx, refund_id) is None:
        raise RefundUnknown(refund_id)


def set_iban(tx: ShopTx, refund_id: str, iban: str, holder: str) -> str:
    """The refund as JSON, NEW and directed to the account that the customer named.

    After a rejection or a return this is a new attempt with its own EndToEndId (D-31). A NEW refund may also change its
    account. RefundUnknown; RefundRefused for a wrong IBAN, or a refund that is with the bank, executed or cancelled.
    Without a holder the previous one is kept, else the customer's name.
    """
    now = tx.now
    refund = lock_and_load(tx, refund_id)
    event = _NEW_DETAILS.get(refund.status)
    if event is None and refund.status is not RefundStatus.NEW:
        raise RefundRefused(Message("refund-could-not-change-account", status=refund.status))
    account = _account(iban, holder.strip() or refund.holder)
    if event is None and (account.iban, account.holder) == (refund.iban, refund.holder) and refund.iban_given:
        return store.read(tx, refund_id)  # repeated: releases and the waiting day stay
    if event is RefundEvent.NEW_BANK_DETAILS:
        store.begin_attempt(tx, refund_id, now)
    status = REFUND_LIFECYCLE.move(refund.status, event) if event else refund.status
    store.set_account(tx, refund_id, account, status, now, given=True)
    record(
        tx, tx.shop, AuditAction.REFUND_ACCOUNT_SET, refund_id,
        before={"account": masked_account(refund.iban), "status": refund.status},
        after={"account": masked_account(account.iban), "status": status},
    )  # fmt: skip
    return store.read(tx, refund_id)


def _audit_values(order_number: str, submitted: SubmittedRefund, account: PayerAccount | None) -> dict[str, str | int]:
    """The audit log's data of a filed refund."""
    values: dict[str, str | int] = {
        "order": order_number, "amountMinor": submitted.amount_minor, "currency": submitted.currency,
        "externalReference": submitted.external_reference, "account": masked_account(account.iban if account else ""),
    }  # fmt: skip
    return values | ({"note": submitted.note} if submitted.note else {})


def lock_and_load(tx: ShopTx, refund_id: str) -> RefundRow:
    """The refund, after locking its order and itself; RefundUnknown."""
    number = store.order_of(tx, refund_id)
    if number is None:
        raise RefundUnknown(refund_id)
    order_store.lock(tx, [number])
    refund = store.by_id(tx, refund_id)
    if refund is None:
        raise RefundUnknown(refund_id)
    return refund


def _account(iban: str, holder: str) -> PayerAccount:
    try:
        checked = shops.account_of(iban, "EUR", holder)
    except SettingRefused as error:
        raise RefundRefused(error.message) from None
    if len(holder) > 140:
        raise RefundRefused(Message("refund-name-account-holder-too"))
    return PayerAccount(checked.account, checked.bic, holder)


def refunds_of_unpaid_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per open order that no one is asked to pay because refunds cover it, two weeks after the last of them.

    Until then payments may still come in. A person decides whether its customer owes anything (D-3).
    """
    filed_until = tx.now - REFUND_WAIT
    for number, minor, currency, refund_id in given_back.given_back_unpaid(tx, tx.shop.tolerance_minor, filed_until):
        said = Message("alert-refund-unpaid", order=number, amount=Sum(minor, currency))
        yield Alert(AlertKind.REFUND_UNPAID, f"{number} {refund_id}", said)


def given_back_twice_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per order that was refunded and whose payment was also reversed: money is out that never came in, or
    the rest that the customer owes is out (D-114).

    A refund is only sent while payments cover it (D-3); a bank's later reversal cannot be prevented.
    """
    for number, minor, currency in given_back.given_back_twice(tx):
        said = Message("alert-given-back-twice", order=number, amount=Sum(minor, currency))
        yield Alert(AlertKind.GIVEN_BACK_TWICE, f"{number} {minor}", said)
    for number, minor, currency in given_back.reversed_after_refund(tx, tx.shop.tolerance_minor):
        said = Message("alert-rest-reversed", order=number, amount=Sum(minor, currency))
        yield Alert(AlertKind.GIVEN_BACK_TWICE, f"{number} rest {minor}", said)
