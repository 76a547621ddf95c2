"""Notices from customers on their order's page: reminders wait, mail stops, an alert is raised (D-51)."""

from __future__ import annotations

from collections.abc import Iterator

from paymatch.domain.customers.notices import NoticeKind
from paymatch.domain.orders.settlement import OPEN_STATUSES
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.customers import links
from paymatch.store.customers import notices as store
from paymatch.store.matching import matching
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts
from paymatch.usecases.audit import record


class AddressUnknown(Unknown):
    """There is no notice from this address that the order is someone else's."""

    def __init__(self, email: str) -> None:
        super().__init__(Message("address-not-wrong-person", email=repr(email)))


def say_paid(tx: ShopTx, number: str) -> bool:
    """Records that the customer says the payment was made: reminders wait some days. False if there is nothing to pay.

    A repetition at the same dunning level is accepted, but gains no more time.
    """
    now = tx.now
    order_store.lock(tx, [number])
    (order,) = reminders.load(tx, [number], tx.shop.tolerance_minor, now)
    if order.facts.status not in OPEN_STATUSES:
        return False
    if store.add(tx, number, NoticeKind.PAID, order.facts.dunning_level, "", now):
        record(tx, tx.shop, AuditAction.CUSTOMER_SAYS_PAID, number)
        matching.mark_suggested_for_rematch(tx, [number], now)
        if tx.shop.sends_mail:
            reminders.schedule_review(tx, [number], now)
    return True


def say_not_paid(tx: ShopTx, number: str) -> bool:
    """Withdraws the customer's notice of payment: reminders continue as planned. False if there was none."""
    now = tx.now
    order_store.lock(tx, [number])
    if not store.take_back_paid(tx, number, now):
        return False
    record(tx, tx.shop, AuditAction.CUSTOMER_SAYS_NOT_PAID, number)
    matching.mark_suggested_for_rematch(tx, [number], now)
    if tx.shop.sends_mail:
        reminders.schedule_review(tx, [number], now)
    return True


def say_wrong_person(tx: ShopTx, number: str) -> None:
    """Records that the recipient is not the customer: no more mail goes to the address, and the link leads nowhere."""
    now = tx.now
    order_store.lock(tx, [number])
    (order,) = reminders.load(tx, [number], tx.shop.tolerance_minor, now)
    email = order.facts.email.lower()
    links.revoke(tx, number, now)
    if not email or not store.add(tx, number, NoticeKind.WRONG_PERSON, order.facts.dunning_level, email, now):
        return
    record(tx, tx.shop, AuditAction.WRONG_PERSON, number)
    alert = _alert(number, email)
    alerts.add(tx, alert.kind, alert.subject, alert.text, now)
    if tx.shop.sends_mail:
        reminders.schedule_review(tx, [number], now)


def lift_wrong_person(tx: ShopTx, email: str) -> list[str]:
    """Records that the address is right after all: mail goes to it again. Returns the orders. AddressUnknown."""
    now = tx.now
    numbers = store.lift_wrong_person(tx, email, now)
    if not numbers:
        raise AddressUnknown(email)
    for number in numbers:
        record(tx, tx.shop, AuditAction.WRONG_PERSON_LIFTED, number)
    if tx.shop.sends_mail:
        reminders.schedule_review(tx, numbers, now)
    return numbers


def write_again(tx: ShopTx, number: str, email: str) -> list[str]:
    """The order's address is right after all, as `lift_wrong_person`; `email` is the address as the person saw it.

    OrderUnknown; AddressUnknown also if the order has another address by now.
    """
    order_store.lock(tx, [number])
    found = reminders.load(tx, [number], tx.shop.tolerance_minor, tx.now)
    if not found:
        raise OrderUnknown(number)
    if found[0].facts.email.lower() != email.lower():
        raise AddressUnknown(email)
    return lift_wrong_person(tx, email)


def wrong_person_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per order with someone else's address, until the address is corrected or found to be right."""
    for number, email in store.wrong_persons(tx):
        yield _alert(number, email)


def _alert(number: str, email: str) -> Alert:
    return Alert(AlertKind.WRONG_PERSON, f"{number} {email}", Message("alert-wrong-person", order=number, email=email))
