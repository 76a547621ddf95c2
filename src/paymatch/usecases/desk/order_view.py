"""An order for people: status, history, actors, and payment."""

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
from paymatch.usecases.audit import entries_about
from paymatch.usecases.desk.order_actions import standing_of
from paymatch.usecases.orders import invoice_terms, orders
from paymatch.usecases.orders.images import ImageFormat, ImageType, image_of
from paymatch.usecases.orders.invoice_terms import ComparedInvoice
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.settlement.credits import CustomerCredit, credit_of
from paymatch.usecases.shops.dunning_plans import payment_terms, plan_of

AUDIT_ENTRIES: int = 200
"""The number of an order's last audit entries that are shown."""


@dataclass(frozen=True, slots=True)
class OrderDetails:
    """An order for a page. `document` is the API's answer; `code` an SVG, empty if there is no payment code.

    `next_mail` is the customer's next mail, or why there is none; `wrong_person` is true while the recipient says that
    the order is not theirs, so no mail goes there.
    """

    order: ListedOrder
    document: bytes
    history: tuple[HistoryRow, ...]
    audit_entries: tuple[dict[str, Any], ...]
    actions: dict[Action, WhyNot | None]
    code: bytes
    next_mail: PlannedReminder | list[Postponed]
    wrong_person: bool
    invoices: tuple[ComparedInvoice, ...]
    credit: CustomerCredit
    reasons: tuple[ReminderReasons, ...] = ()  # why its reminders were sent, the latest first
    pay_by: date | None = None  # the payment date in mails; None if nothing is asked for


def view(tx: ShopTx, number: str) -> OrderDetails:
    """The order with everything known about it; OrderUnknown."""
    found = order_list.find(tx, number)
    if found is None:
        raise OrderUnknown(number)
    include = Include(postings=True, collection_history=True, payment_reminders=True, refunds=True)
    document = orders.read(tx, number, include)
    history, entries = _past(tx, number)
    [to_remind] = reminders.load(tx, [number], tx.shop.tolerance_minor, tx.now)
    code = _code(tx, to_remind)
    next_mail = reminder_lists.next_of(tx, to_remind)
    return OrderDetails(
        found, document, tuple(history), tuple(entries), actions(standing_of(found)), code, next_mail,
        to_remind.facts.wrong_person, tuple(invoice_terms.compare(tx, number)), credit_of(tx, found),
        tuple(reasons.of_order(tx, number)), _pay_by(tx, to_remind),
    )  # fmt: skip


def _pay_by(tx: ShopTx, order: ReminderOrderRow) -> date | None:
    """The date on the customer's page, in mails and letters (D-95)."""
    plan = plan_of(tx)
    owed = next(owes_nothing(order.facts), None) is None
    return payment_date(order.facts, payment_terms(tx.shop, plan)) if owed else None


def _past(tx: ShopTx, number: str) -> tuple[list[HistoryRow], list[dict[str, Any]]]:
    """The order's events, and the audit entries about it, its refunds and its postings."""
    history = order_history.of_order(tx, number)
    subjects = {number} | {row.facts[key] for row in history for key in ("refund", "posting") if key in row.facts}
    return history, entries_about(tx, tx.shop, sorted(subjects), AUDIT_ENTRIES)


def _code(tx: ShopTx, order: ReminderOrderRow) -> bytes:
    """The payment code for the open amount, as SVG."""
    facts = order.facts
    payable = Payable(
        facts.status, facts.currency, facts.open_minor, order.fees_minor, order.reference, order.exchange_rate
    )  # fmt: skip
    try:
        return image_of(tx, facts.number, payable, ImageType.QRCODE, ImageFormat.SVG)
    except OrderRefused:
        return b""
