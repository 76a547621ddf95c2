"""Asking customers for the bank details of refunds: by mail, with reminders, and finally left to a person (D-5, D-51).

As with reminders, no transaction is open while mail is sent, and a mail's row and Message-ID are stored before the
first attempt: a killed process sends the same mail again, if any.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.customers.refund_requests import asked_again_at, is_given_up, wants_details
from paymatch.domain.money import Currency, Money
from paymatch.domain.refunds.refunds import RefundRefused, RefundStatus, RefundUnknown
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.reminders.mails import INITIAL, MAIL_LIFECYCLE, NOT_ARRIVED, MailEvent, MailStatus
from paymatch.domain.reminders.policy import retry_at
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.words.message import Message
from paymatch.formats.languages.texts import language_of
from paymatch.formats.mail.bank_details import DetailsMail, write_details_mail
from paymatch.formats.mail.layout import Head, one_line
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail
from paymatch.store.customers import notices
from paymatch.store.customers import refund_requests as store
from paymatch.store.customers.refund_requests import AskedRefund, RequestRow
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import refunds as refund_store
from paymatch.store.reminders import mails, reminders
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts
from paymatch.usecases.bisection import process_bisecting, raise_item_alert
from paymatch.usecases.customers.links import link_of
from paymatch.usecases.letter_requests import order_account_request
from paymatch.usecases.shops.brands import brand_of
from paymatch.usecases.shops.dunning_plans import plan_of

BATCH: Final = 20
ANSWERS_BY_LETTER: Final = timedelta(days=21)
"""The time for answering a letter, including the post."""
_SANDBOX_SENDER: Final = "shop@sandbox.invalid"


@dataclass(frozen=True, slots=True)
class BankDetailsDraft:
    """A mail to be sent now."""

    row: RequestRow
    mail: DetailsMail


def are_sent(shop: Shop) -> bool:
    """Whether the shop's customers are asked at all."""
    return shop.status is ShopStatus.ACTIVE


def send_due(database: Database, shop: Shop, door: MailDoor, base: str, clock: datetime) -> int:
    """Asks a batch of customers; returns the number of refunds checked. `base`: address of the service's pages."""
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        waiting = store.due(tx, now, BATCH)

    def ask(refund: AskedRefund) -> bool:
        with database.of_shop(shop, at=clock) as tx:
            draft = _draft(tx, refund, base)
        if draft is not None:
            _send(database, shop, door, draft, clock)
        return True

    def on_failure(refund: AskedRefund, error: Exception) -> None:
        with database.of_shop(shop, at=clock) as tx:
            store.ask_at(tx, refund.id, retry_at(1, now))
            raise_item_alert(tx, Message("item-refund-mail", refund=refund.reference), error, now)

    for refund in waiting:
        process_bisecting([refund], lambda some: ask(some[0]), on_failure)
    return len(waiting)


AGAIN: Final = timedelta(days=1)
"""A person may ask a customer once a day: more would be a nuisance."""


def ask(tx: ShopTx, refund_id: str) -> None:
    """Asks the customer now because a person wants it, even if no mail is due. RefundUnknown; RefundRefused."""
    number = refund_store.order_of(tx, refund_id)
    if number is None:
        raise RefundUnknown(refund_id)
    order_store.lock(tx, [number])
    unanswered = {row[0] for row in store.unanswered_requests(tx)}
    if refund_id not in unanswered and store.find(tx, refund_id) is None:
        raise RefundRefused(Message("refund-needs-no-bank-details"))
    if store.is_due(tx, refund_id, tx.now):
        raise RefundRefused(Message("refund-customer-being-asked-already"))
    if (asked := store.last_asked(tx, refund_id)) is not None and asked > tx.now - AGAIN:
        raise RefundRefused(Message("refund-customer-was-asked-within"))
    store.ask_at(tx, refund_id, tx.now)


def missing_details_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per refund without usable bank details whose customer is not, or no longer, asked."""
    for refund_id, number, reference, version, why in store.unanswered_requests(tx):
        yield _alert(refund_id, number, reference, version, why)


def _alert(refund_id: str, number: str, reference: str, version: int, why: str) -> Alert:
    said = Message("alert-bank-details", refund=reference, order=number, why=why or Message("customer-not-asked"))
    return Alert(AlertKind.BANK_DETAILS, f"{refund_id} {version}", said)


def _draft(tx: ShopTx, listed: AskedRefund, base: str) -> BankDetailsDraft | None:
    """The due mail; None if there is none: then the refund waits, or gets an alert."""
    now = tx.now
    order_store.lock(tx, [listed.order_number])
    refund = store.find(tx, listed.id)
    if refund is None or not wants_details(refund.status, refund.bank_code):
        store.ask_at(tx, listed.id, None)
        return None
    (order,) = reminders.load(tx, [refund.order_number], tx.shop.tolerance_minor, now)
    sent = store.of_refund(tx, refund.id, refund.account_version)
    pending = sent.pop() if sent and sent[-1].status is MailStatus.PENDING else None
    why = _obstacle(tx, order, sent, base)
    if why and _letter_reaches(tx, order, sent, base):
        if order_account_request(tx, order, refund.id, now):
            store.ask_at(tx, refund.id, now + ANSWERS_BY_LETTER)
            return None
        why = Message("asked-by-letter")
    if why:
        _give_up(tx, refund, why, now)
        return None
    recipient = mail_address(order.facts.email)
    assert recipient is not None, "what has no obstacle has an address"
    sender = mails.sender(tx)
    row = pending or _new_row(tx, refund, len(sent), sender.address or _SANDBOX_SENDER, recipient, now)
    head = Head(
        message_id=row.message_id, at=row.created_at, sender=sender.address or _SANDBOX_SENDER,
        reply_to=sender.reply_to, recipient=row.recipient, customer=order.customer,
        language=language_of(order.language, tx.shop.language), country=order.postal.country or tx.shop.country,
        brand=brand_of(tx),
    )  # fmt: skip
    mail = DetailsMail(
        head=head, order_number=refund.order_number, ordered=order.facts.order_date,
        amount=Money(refund.amount_minor, Currency(refund.currency)),
        link=link_of(tx, refund.order_number, base), is_reminder=row.place > 0,
        wrong_account=refund.status is not RefundStatus.BANKDETAILS_MISSING,
    )  # fmt: skip
    return BankDetailsDraft(row, mail)


def _new_row(tx: ShopTx, refund: AskedRefund, place: int, sender: str, recipient: str, now: datetime) -> RequestRow:
    request_id = new_id("rq", now)
    row = RequestRow(
        request_id, refund.id, refund.order_number, refund.account_version, place, INITIAL,
        f"<{request_id}@{sender.rpartition('@')[2]}>", recipient, 0, "", now, None,
    )  # fmt: skip
    store.add(tx, row)
    return row


def _obstacle(tx: ShopTx, order: ReminderOrderRow, sent: list[RequestRow], base: str) -> str:
    """Why the customer cannot be asked; "" if they can."""
    email = order.facts.email
    checks = (
        (not shop_store.settings(tx, ["refund_requests"])["refund_requests"], "not-asked-off"),
        (not tx.shop.sandbox and not mails.sender(tx).address, "not-asked-sender"),
        (not base, "not-asked-base"),
        (not email, "not-asked-no-email"),
        (mail_address(email) is None, "not-asked-unwritable"),
        (notices.is_wrong_person(tx, email), "not-asked-wrong-person"),
        (bool(sent) and sent[-1].status in NOT_ARRIVED, "not-asked-came-back"),
        (is_given_up(len(sent)), "asked-four-times"),
    )
    return next((Message(code) for is_so, code in checks if is_so), "")


def _letter_reaches(tx: ShopTx, order: ReminderOrderRow, sent: list[RequestRow], base: str) -> bool:
    """Whether a customer who cannot be mailed is asked by letter (D-52)."""
    unreachable = mail_address(order.facts.email) is None or (bool(sent) and sent[-1].status in NOT_ARRIVED)
    asks = shop_store.settings(tx, ["refund_requests"])["refund_requests"]
    allowed = tx.shop.letters and plan_of(tx).letters_without_mail
    return bool(asks and unreachable and allowed and base and order.postal.text)


def _give_up(tx: ShopTx, refund: AskedRefund, why: str, now: datetime) -> None:
    """Ends the requests: a person enters the details, or cancels the refund."""
    store.ask_at(tx, refund.id, None, why)
    alert = _alert(refund.id, refund.order_number, refund.reference, refund.account_version, why)
    alerts.add(tx, alert.kind, alert.subject, alert.text, now)


def _send(database: Database, shop: Shop, door: MailDoor, draft: BankDetailsDraft, clock: datetime) -> None:
    """Sends one mail and records the result."""
    row, content = draft.row, write_details_mail(draft.mail)
    failure, named = None, ""
    if not shop.sandbox:
        try:
            named = door.send(OutgoingMail(str(shop.id), row.id, draft.mail.head.sender, row.recipient, content))
        except MailNotSent as error:
            failure = error
    with database.of_shop(shop, at=clock) as tx:
        _record(tx, draft, content, failure, named, delivered=door.delivers and not shop.sandbox, now=shop.now(clock))


def _record(
    tx: ShopTx,
    draft: BankDetailsDraft,
    content: bytes,
    failure: MailNotSent | None,
    named: str,
    *,
    delivered: bool,
    now: datetime,
) -> None:
    row = draft.row
    order_store.lock(tx, [row.order_number])
    again_at = None
    if failure is None:
        event = MailEvent.ACCEPTED if delivered else MailEvent.STORED
    else:
        again_at = None if failure.permanent else retry_at(row.attempts + 1, now)
        event = MailEvent.REFUSED if again_at is None else MailEvent.FAILED
    error = one_line(str(failure)) if failure else ""
    status = MAIL_LIFECYCLE.move(row.status, event)
    if not store.record(tx, row.id, status, draft.mail.subject, content, error, now, named):
        return
    refund = store.find(tx, row.refund_id)
    if refund is None or refund.account_version != row.account_version:
        return  # the customer has answered meanwhile
    if failure is None:
        first = store.of_refund(tx, refund.id, refund.account_version)[0]
        assert first.finished_at is not None, "the first mail went out before, or just now"
        store.ask_at(tx, refund.id, asked_again_at(first.finished_at, row.place))
    elif again_at is not None:
        store.ask_at(tx, refund.id, again_at)
    else:
        _give_up(tx, refund, Message("not-asked-refused", error=error), now)
