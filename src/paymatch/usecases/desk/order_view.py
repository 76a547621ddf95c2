"""An order as people look at it: status, history, who did what, and how it is paid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from paymatch.domain.orders.actions import Action, WhyNot, actions
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.reminders.payment_date import payment_date
from paymatch.domain.reminders.policy import PlannedReminder, Postponed, owes_nothing
from paymatch.store.orders import order_history, order_list
from paymatch.store.orders.order_history import HistoryRow
from paymatch.store.orders.order_json import Include
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.orders.orders import Payable
from paymatch.store.reminders import reasons, reminders
from paymatch.store.reminders.reasons import ReminderReasons
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import deeds_about
from paymatch.usecases.desk.order_actions import standing_of
from paymatch.usecases.orders import invoice_terms, orders
from paymatch.usecases.orders.images import ImageFormat, ImageType, image_of
from paymatch.usecases.orders.invoice_terms import ComparedInvoice
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.settlement.credits import CustomerCredit, credit_of
from paymatch.usecases.shops.dunning_plans import payment_terms, plan_of

DEEDS: int = 200
"""At most so many of the last deeds about an order are shown."""


@dataclass(frozen=True, slots=True)
class OrderDetails:
    """An order for a page. `document` is what the API answers; `code` an SVG, empty where there is none to pay by.

    `next_mail` is what its customer is sent next, or why nothing is; `wrong_person` is true while somebody at its
    address says that the order is not theirs, so that no mail goes there.
    """

    order: ListedOrder
    document: bytes
    history: tuple[HistoryRow, ...]
    deeds: tuple[dict[str, Any], ...]
    actions: dict[Action, WhyNot | None]
    code: bytes
    next_mail: PlannedReminder | list[Postponed]
    wrong_person: bool
    invoices: tuple[ComparedInvoice, ...]
    credit: CustomerCredit
    reasons: tuple[ReminderReasons, ...] = ()  # why its reminders went out, the latest first
    pay_by: date | None = None  # by when the customer is asked to pay; None while nothing is


def view(tx: ShopTx, number: str) -> OrderDetails:
    """The order with all that is known of it; OrderUnknown."""
    found = order_list.find(tx, number)
    if found is None:
        raise OrderUnknown(number)
    include = Include(postings=True, collection_history=True, payment_reminders=True, refunds=True)
    document = orders.read(tx, number, include)
    history, deeds = _past(tx, number)
    [to_remind] = reminders.load(tx, [number], tx.shop.tolerance_minor, tx.now)
    code = _code(tx, to_remind)
    next_mail = reminder_lists.next_of(tx, to_remind)
    return OrderDetails(
        found, document, tuple(history), tuple(deeds), actions(standing_of(found)), code, next_mail,
        to_remind.facts.wrong_person, tuple(invoice_terms.compare(tx, number)), credit_of(tx, found),
        tuple(reasons.of_order(tx, number)), _pay_by(tx, to_remind),
    )  # fmt: skip


def _pay_by(tx: ShopTx, order: ReminderOrderRow) -> date | None:
    """The date on the customer's page, in mails and letters (D-95)."""
    plan = plan_of(tx)
    owed = next(owes_nothing(order.facts), None) is None
    return payment_date(order.facts, payment_terms(tx.shop, plan)) if owed else None


def _past(tx: ShopTx, number: str) -> tuple[list[HistoryRow], list[dict[str, Any]]]:
    """What has happened to the order, and the deeds about it, its refunds and its postings."""
    history = order_history.of_order(tx, number)
    subjects = {number} | {row.facts[key] for row in history for key in ("refund", "posting") if key in row.facts}
    return history, deeds_about(tx, tx.shop, sorted(subjects), DEEDS)


def _code(tx: ShopTx, order: ReminderOrderRow) -> bytes:
    """The code by which what is open is paid, as SVG."""
    facts = order.facts
    payable = Payable(
        facts.status, facts.currency, facts.open_minor, order.fees_minor, order.reference, order.exchange_rate
    )  # fmt: skip
    try:
        return image_of(tx, facts.number, payable, ImageType.QRCODE, ImageFormat.SVG)
    except OrderRefused:
        return b""
