"""What an order would bring about if it were stored now: its mails, its payment, its customer's credit (D-108).

It is stored and rolled back, so there is no second copy of any rule: what is shown is what the order, its page and
its mails compute.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from paymatch.domain.money import Currency, Money
from paymatch.domain.reminders.policy import PlannedReminder, Postponed
from paymatch.store.orders import order_list
from paymatch.store.orders.order_list import EarlierOrders
from paymatch.store.reminders import reminders
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.customers import order_pages
from paymatch.usecases.customers.order_pages import CustomerOrderState, ToPay
from paymatch.usecases.orders import made_here
from paymatch.usecases.orders.images import payment_code
from paymatch.usecases.orders.payment_requests import payment_request
from paymatch.usecases.reminders.previews import course_of
from paymatch.usecases.settlement import credits
from paymatch.usecases.settlement.credits import CustomerCredit
from paymatch.usecases.shops.dunning_plans import plan_of, switches_of


@dataclass(frozen=True, slots=True)
class OrderOutlook:
    """The order as it would be right after it is stored; amounts in its currency, moments in UTC.

    `mails` are all that it gets if its customer never pays; `held` says why there are no more. `to_pay` is None if
    nothing is asked for, or if the shop has no confirmed account for it.
    """

    open: Money
    due: date
    email: str
    mails: tuple[PlannedReminder, ...]
    held: Postponed | None
    state: CustomerOrderState
    to_pay: ToPay | None
    has_reference: bool  # False: the order gets its payment reference when it is stored, and `to_pay` names its number
    credit: CustomerCredit
    credit_from: str  # the order that was overpaid last; "" without credit
    earlier: EarlierOrders


class _Foreseen(Exception):
    """Rolls the order back."""


def foresee(tx: ShopTx, document: Mapping[str, Any], *, is_new: bool, use_credit: bool = False) -> OrderOutlook:
    """The outlook of an order that a person makes (`is_new`) or changes; nothing is stored, sent or queued.

    With `use_credit`, what the customer has pays it as far as it reaches. OrderRefused as when it is stored.
    """
    found: list[OrderOutlook] = []
    with suppress(_Foreseen), tx.savepoint():
        (made_here.make if is_new else made_here.change)(tx, document)
        found.append(_outlook(tx, str(document["number"]), is_new=is_new, use_credit=use_credit))
        raise _Foreseen
    return found[0]


def _outlook(tx: ShopTx, number: str, *, is_new: bool, use_credit: bool) -> OrderOutlook:
    listed = order_list.find(tx, number)
    assert listed is not None, "it was stored in this transaction"
    credit = credits.credit_of(tx, listed)
    if use_credit and credit.offered_minor > 0:
        credits.use(tx, number)
    page = order_pages.view(tx, number)
    (order,) = reminders.load(tx, [number], tx.shop.tolerance_minor, tx.now)
    plan = plan_of(tx)
    mails, held = course_of(tx.shop, plan, switches_of(tx.shop), order, tx.now)
    return OrderOutlook(
        open=Money(max(order.facts.open_minor, 0), page.amount.currency),
        due=order.facts.base_date(plan),
        email=order.facts.email,
        mails=tuple(mail for mail, _fee in mails),
        held=held,
        state=page.state,
        to_pay=_by_number(tx, order, page.to_pay) if is_new and page.to_pay is not None else page.to_pay,
        has_reference=not is_new,
        credit=credit,
        credit_from=next((each.order_number for each in credit.entries if each.minor < 0), ""),
        earlier=order_list.earlier_orders(tx, number),
    )


def _by_number(tx: ShopTx, order: ReminderOrderRow, to_pay: ToPay) -> ToPay:
    """The payment with the order's number as its text: the drawn reference is rolled back with the order."""
    facts = order.facts
    wanted = payment_request(tx, Money(facts.open_minor, Currency(facts.currency)), order.exchange_rate)
    assert wanted is not None, "the page asks for a payment to this account"
    country = order.postal.country
    code = payment_code(tx, wanted.account, to_pay.amount, facts.number, facts.number, country, pay_by=to_pay.until)
    return replace(to_pay, reference=facts.number, code=code)
