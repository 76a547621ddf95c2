"""An order as its customer sees it: open amount and payment, received payments, invoices, refunds (D-51)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from paymatch.domain.calendar import today_in
from paymatch.domain.customers.notices import pause_ends
from paymatch.domain.money import Currency, Money
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.refunds.refunds import NONE_OUTSTANDING, Outstanding
from paymatch.domain.reminders.payment_date import payment_date
from paymatch.domain.reminders.policy import MANAGED_TYPES
from paymatch.domain.shops.brand import Brand
from paymatch.store.customers import credits, notices, pages
from paymatch.store.customers.pages import ReceivedPayment, ShownInvoice, ShownRefund
from paymatch.store.reminders import reminders
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders.images import PaymentCode, payment_code
from paymatch.usecases.orders.payment_requests import payment_request
from paymatch.usecases.shops.brands import brand_of
from paymatch.usecases.shops.dunning_plans import payment_terms, plan_of


class CustomerOrderState(StrEnum):
    """The state of an order from the customer's view."""

    OPEN = "open"
    ON_DELIVERY = "on-delivery"  # the carrier collects it
    GIVEN_BACK = "given-back"  # refunds in progress reach the open amount: nothing is asked for (D-3)
    PAID = "paid"
    OVERPAID = "overpaid"
    REFUNDED = "refunded"
    CANCELLED = "cancelled"
    COLLECTION = "collection"
    CLOSED = "closed"  # the shop no longer lists it, and keeps its books elsewhere


_CUSTOMER_STATES: Final = {
    PaymentStatus.PAID: CustomerOrderState.PAID,
    PaymentStatus.CANCELLED: CustomerOrderState.CANCELLED,
    PaymentStatus.REFUNDED: CustomerOrderState.REFUNDED,
    PaymentStatus.REFUNDED_PARTIAL: CustomerOrderState.REFUNDED,
    PaymentStatus.COLLECTION: CustomerOrderState.COLLECTION,
    PaymentStatus.LEGACY: CustomerOrderState.CLOSED,
    PaymentStatus.DISAPPEARED: CustomerOrderState.CLOSED,
}


@dataclass(frozen=True, slots=True)
class ToPay:
    """The amount to pay, and the account; `fees` is the part that reminders cost."""

    amount: Money
    fees: Money
    until: date
    is_overdue: bool
    payee: str
    iban: str
    bic: str
    reference: str
    code: PaymentCode | None  # None if the account has none


@dataclass(frozen=True, slots=True)
class CustomerOrderPage:
    """Everything on the page. Amounts of the order in its currency."""

    brand: Brand
    number: str
    ordered: date
    language: str  # the order's, else the shop's; "" if neither has one
    country: str
    state: CustomerOrderState
    amount: Money
    paid: Money
    overpaid: Money
    to_pay: ToPay | None
    says_paid_at: datetime | None  # the customer says that the payment was made; None once reminders wait no more
    says_paid_until: date | None  # reminders wait until then
    checked_at: datetime | None  # when bank data last came in
    shipping_numbers: tuple[str, ...]
    timezone: str
    received: tuple[ReceivedPayment, ...]
    invoices: tuple[ShownInvoice, ...]
    refunds: tuple[ShownRefund, ...]
    refunds_due: Outstanding  # of an open order; shown only while someone may still pay
    has_address: bool  # mail goes to an address, perhaps the wrong person's
    credit: Money  # overpayment kept for the customer's next order
    agency: str = ""  # the agency that collects the order, if it was handed over

    @property
    def asking(self) -> ShownRefund | None:
        """The refund whose bank details are requested or may be corrected; the first of several."""
        waiting = [each for each in self.refunds if each.wants_details]
        redirected = [each for each in self.refunds if each.may_be_redirected]
        return next(iter(waiting + redirected), None)


def view(tx: ShopTx, number: str) -> CustomerOrderPage:
    """The order's present page. OrderUnknown."""
    now = tx.now
    found = reminders.load(tx, [number], tx.shop.tolerance_minor, now)
    if not found:
        raise OrderUnknown(number)
    order, facts = found[0], found[0].facts
    currency = Currency(facts.currency)
    refunds = tuple(pages.refunds(tx, number))
    overpaid = Money(max(-facts.open_minor, 0), currency)
    credit = credits.balance(tx, credits.customers(tx, [number])[0].customer, currency)
    said_at = notices.said_paid_at(tx, number)
    pause = None if said_at is None or pause_ends(said_at) <= now else today_in(tx.shop.timezone, pause_ends(said_at))
    return CustomerOrderPage(
        brand=brand_of(tx),
        number=number,
        ordered=facts.order_date,
        language=order.language,
        country=order.postal.country or tx.shop.country,
        state=_customer_state(order),
        amount=Money(order.amount_minor, currency),
        paid=Money(order.amount_minor - facts.open_minor, currency),
        overpaid=overpaid,
        to_pay=_to_pay(tx, order, now),
        says_paid_at=said_at if pause is not None else None,
        says_paid_until=pause,
        checked_at=pages.bank_data_at(tx),
        shipping_numbers=tuple(pages.shipping_numbers(tx, number)),
        timezone=tx.shop.timezone,
        received=tuple(pages.received_payments(tx, number)),
        invoices=tuple(pages.invoices(tx, number)),
        refunds=refunds,
        refunds_due=facts.refunds if facts.status in OPEN_STATUSES else NONE_OUTSTANDING,
        has_address=bool(facts.email),
        credit=Money(credit, currency),
        agency=pages.agency(tx, number) if facts.status is PaymentStatus.COLLECTION else "",
    )


def _customer_state(order: ReminderOrderRow) -> CustomerOrderState:
    facts = order.facts
    if facts.status in OPEN_STATUSES:
        unpaid = CustomerOrderState.GIVEN_BACK if facts.is_given_back else CustomerOrderState.OPEN
        return CustomerOrderState.ON_DELIVERY if facts.type == "COD" else unpaid
    if facts.status is PaymentStatus.PAID and facts.open_minor < 0:
        return CustomerOrderState.OVERPAID
    return _CUSTOMER_STATES[facts.status]


def _to_pay(tx: ShopTx, order: ReminderOrderRow, now: datetime) -> ToPay | None:
    """The amount that the next mail would ask for; None if there is none, or the shop has no account for it."""
    facts = order.facts
    if facts.status not in OPEN_STATUSES or facts.type not in MANAGED_TYPES or facts.open_minor <= 0:
        return None
    if facts.is_given_back:
        return None
    wanted = payment_request(tx, Money(facts.open_minor, Currency(facts.currency)), order.exchange_rate)
    if wanted is None:
        return None
    fees = Money(order.fees_minor, wanted.amount.currency)
    amount, account, reference = wanted.amount + fees, wanted.account, order.reference
    plan = plan_of(tx)
    until = payment_date(facts, payment_terms(tx.shop, plan))
    code = payment_code(tx, account, amount, reference, facts.number, order.postal.country, pay_by=until)
    return ToPay(
        amount, fees, until, until < today_in(tx.shop.timezone, now), account.holder or tx.shop.holder, account.account,
        account.bic, reference, code,
    )  # fmt: skip


def invoice(tx: ShopTx, number: str, mark: str) -> ShownInvoice | None:
    """The invoice of this order, and of no other, that the page's link with this mark leads to."""
    return next((each for each in pages.invoices(tx, number) if mark_of(each) == mark), None)


def mark_of(invoice: ShownInvoice) -> str:
    """The name of an invoice in the page's addresses: the random name of its file, which reveals nothing."""
    return invoice.file_key.rpartition("/")[2].partition(".")[0]
