"""How a mail would read, and when a plan would send which, for a real order, before anybody gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from paymatch.domain.calendar import today_in
from paymatch.domain.money import Currency, Money
from paymatch.domain.reminders.dunning_plan import DunningPlan, changed_plan
from paymatch.domain.reminders.policy import Planned, Postponed, Switches, next_mail
from paymatch.domain.shops.shop import Shop
from paymatch.formats.mail.layout import Head
from paymatch.formats.mail.message import ReminderMail, html_page, plain_text, write_mail
from paymatch.formats.mail.texts import checked_wording
from paymatch.store.database import ShopId, Tx
from paymatch.store.reminders import mails
from paymatch.store.reminders import reminders as store
from paymatch.store.reminders.reminders import OrderRow
from paymatch.usecases.customers.brands import brand_of
from paymatch.usecases.orders.payment_requests import payment_request
from paymatch.usecases.reminders.dunning_plans import plan_of
from paymatch.usecases.reminders.reminder_lists import after_mail
from paymatch.usecases.reminders.reminders import fee_of

_NOBODY = "nobody@example.invalid"
_LOOKED_AT: Final = 100
"""Open orders among which one is chosen that shows a plan well."""


@dataclass(frozen=True, slots=True)
class PreviewedMail:
    """A mail as its recipient would read it."""

    order_number: str
    subject: str
    text: str
    html: str  # a page of its own


def preview_mail(
    tx: Tx, shop: Shop, level: int, language: str, subject: str, body: str, clock: datetime
) -> PreviewedMail | None:
    """The mail with these words for one of the shop's open orders; TextRefused.

    None if no order is open, or the shop has no confirmed account in its currency.
    """
    shop_id, now = ShopId(shop.id), shop.now(clock)
    wording = checked_wording(subject, body)
    order = next(iter(store.load_open(tx, shop_id, "", 1, shop.tolerance_minor, now)), None)
    if order is None:
        return None
    facts, plan, sender = order.facts, plan_of(tx, shop_id), mails.sender(tx, shop_id)
    wanted = payment_request(tx, shop, Money(facts.open_minor, Currency(facts.currency)), order.exchange_rate)
    if wanted is None:
        return None
    currency = wanted.amount.currency
    fee = fee_of(plan, level, facts.currency, shop) if level <= len(plan.levels) else 0
    head = Head(
        message_id="<preview@example.invalid>", at=now, sender=sender.address or _NOBODY, reply_to=sender.reply_to,
        recipient=_NOBODY, customer=order.customer, language=language, country=order.postal.country,
        brand=brand_of(tx, shop),
    )  # fmt: skip
    mail = ReminderMail(
        head=head, wording=wording, level=level, order_number=facts.number, order_date=facts.order_date,
        amount=Money(order.amount_minor, Currency(facts.currency)), open=wanted.amount,
        fee=Money(fee, currency), earlier_fees=Money(order.fees_minor, currency),
        pay_until=today_in(shop.timezone, now) + timedelta(days=plan.pay_within_days),
        payee=wanted.account.holder or shop.holder, iban=wanted.account.account, bic=wanted.account.bic,
        reference=order.reference,
    )  # fmt: skip
    content = write_mail(mail)
    return PreviewedMail(facts.number, mail.subject, plain_text(content), html_page(content))


@dataclass(frozen=True, slots=True)
class PreviewedPlan:
    """What a plan would send for an open order if nobody pays; `due` is the day from which its levels count.

    Amounts in minor units of the order's currency. `mails` are (mail, fee); without any, `held` says why.
    """

    order_number: str
    customer: str
    ordered: date
    due: date
    open_minor: int
    currency: str
    reminded: int  # the level that was reached already
    mails: tuple[tuple[Planned, int], ...]
    held: Postponed | None


def preview_plan(tx: Tx, shop: Shop, settings: Mapping[str, str], clock: datetime) -> PreviewedPlan | None:
    """What the plan, with these settings, would send for the open order that it would write to most often.

    As if reminders were switched on; what the bank's data hold back by then is not known. None if no order is open;
    PlanRefused.
    """
    shop_id, now = ShopId(shop.id), shop.now(clock)
    plan = changed_plan(plan_of(tx, shop_id), settings, Currency(shop.currency))
    found = [
        _course(shop, plan, order, now)
        for order in store.load_open(tx, shop_id, "", _LOOKED_AT, shop.tolerance_minor, now)
    ]
    return max(found, key=lambda each: len(each.mails), default=None)


def _course(shop: Shop, plan: DunningPlan, order: OrderRow, now: datetime) -> PreviewedPlan:
    """All mails that the plan would send for the order, one after the other."""
    facts, switches, at = order.facts, Switches(shop.payment_information, reminders=True), now
    mails_: list[tuple[Planned, int]] = []
    found = next_mail(facts, plan, switches, None, at, shop.timezone)
    while isinstance(found, Planned):
        mails_.append((found, fee_of(plan, found.level, facts.currency, shop)))
        facts, at = after_mail(facts, found, shop.timezone), found.at
        found = next_mail(facts, plan, switches, None, at, shop.timezone)
    start = order.facts
    return PreviewedPlan(
        start.number, order.customer, start.order_date, start.base_date(plan), start.open_minor, start.currency,
        start.dunning_level, tuple(mails_), None if mails_ else found,
    )  # fmt: skip
