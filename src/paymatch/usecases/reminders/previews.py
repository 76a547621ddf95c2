"""How a mail would read, and when a plan would send which, for a real order, before anyone gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from paymatch.domain.money import Currency, Money
from paymatch.domain.reminders.dunning_plan import DunningPlan, changed_plan
from paymatch.domain.reminders.payment_date import after_mail, date_asked_for
from paymatch.domain.reminders.policy import PlannedReminder, Postponed, Switches, next_mail
from paymatch.domain.shops.shop import Shop
from paymatch.formats.mail.layout import Head
from paymatch.formats.mail.message import CustomerMail, ReminderMail, SeveralMail, ThanksMail, html_page, plain_text
from paymatch.formats.mail.texts import SEVERAL, THANKS, Wording, checked_wording, usual_wording
from paymatch.store.reminders import mails
from paymatch.store.reminders import reminders as store
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders.payment_requests import payment_request
from paymatch.usecases.reminders.drafts import fee_of
from paymatch.usecases.shops.brands import brand_of
from paymatch.usecases.shops.dunning_plans import payment_terms, plan_of, switches_of

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


def preview_mail(tx: ShopTx, kind: str, language: str, subject: str, body: str) -> PreviewedMail | None:
    """The mail with these words for one of the shop's open orders, or for two of them; TextRefused.

    None if no order is open, or the shop has no confirmed account in its currency.
    """
    now = tx.now
    wording = checked_wording(kind, subject, body)
    orders = store.load_open(tx, "", 2 if kind == SEVERAL else 1, tx.shop.tolerance_minor, now)
    if not orders:
        return None
    order = orders[0]
    sender = mails.sender(tx)
    brand = brand_of(tx)
    head = Head(
        message_id="<preview@example.invalid>", at=now, sender=sender.address or _NOBODY, reply_to=sender.reply_to,
        recipient=_NOBODY, customer=order.customer, language=language, country=order.postal.country or tx.shop.country,
        brand=brand,
    )  # fmt: skip
    if kind == THANKS:
        amount = Money(order.amount_minor, Currency(order.facts.currency))
        return _preview_mail(order, ThanksMail(head, wording, order.facts.number, order.facts.order_date, amount))
    level = 0 if kind == SEVERAL else int(kind)
    said = usual_wording("0", 0, language) if kind == SEVERAL else wording
    parts = [_part(tx, head, said, level, each, now) for each in orders]
    in_currency = tuple(part for part in parts if part is not None and part.open.currency == order.facts.paid_in)
    if not in_currency:
        return None
    return _preview_mail(order, SeveralMail(head, wording, in_currency) if kind == SEVERAL else in_currency[0])


def _preview_mail(order: ReminderOrderRow, mail: CustomerMail) -> PreviewedMail:
    content = mail.write()
    return PreviewedMail(order.facts.number, mail.subject, plain_text(content), html_page(content))


def _part(
    tx: ShopTx, head: Head, wording: Wording, level: int, order: ReminderOrderRow, now: datetime
) -> ReminderMail | None:
    """What a mail would say of the order; None if the shop has no account for it."""
    facts = order.facts
    plan = plan_of(tx)
    wanted = payment_request(tx, Money(facts.open_minor, Currency(facts.currency)), order.exchange_rate)
    if wanted is None:
        return None
    currency = wanted.amount.currency
    fee = fee_of(plan, level, facts.currency, tx.shop) if level <= len(plan.levels) else 0
    return ReminderMail(
        head=head, wording=wording, level=level, order_number=facts.number, order_date=facts.order_date,
        amount=Money(order.amount_minor, Currency(facts.currency)), open=wanted.amount,
        fee=Money(fee, currency), earlier_fees=Money(order.fees_before(level), currency),
        pay_until=date_asked_for(facts, PlannedReminder(level, now), now, payment_terms(tx.shop, plan)),
        payee=wanted.account.holder or tx.shop.holder, iban=wanted.account.account, bic=wanted.account.bic,
        reference=order.reference,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PreviewedPlan:
    """What a plan would send for an open order if no payment comes; `due` is the day from which its levels count.

    Amounts in minor units of the order's currency. `mails` are (mail, fee); without any, `held` says why.
    """

    order_number: str
    customer: str
    ordered: date
    due: date
    open_minor: int
    currency: str
    reminded: int  # the level that was reached already
    mails: tuple[tuple[PlannedReminder, int], ...]
    held: Postponed | None


def preview_plan(tx: ShopTx, settings: Mapping[str, str]) -> PreviewedPlan | None:
    """What the plan, with these settings, would send for the open order that it would write to most often.

    As if reminders were switched on; what the bank's data hold back by then is not known. None if no order is open;
    PlanRefused.
    """
    now = tx.now
    plan = changed_plan(plan_of(tx), settings, Currency(tx.shop.currency))
    found = [
        _course(tx.shop, plan, order, now)
        for order in store.load_open(tx, "", _LOOKED_AT, tx.shop.tolerance_minor, now)
    ]
    return max(found, key=lambda each: len(each.mails), default=None)


def _course(shop: Shop, plan: DunningPlan, order: ReminderOrderRow, now: datetime) -> PreviewedPlan:
    """All mails that the plan would send for the order, one after the other."""
    mails_, held = course_of(shop, plan, replace(switches_of(shop), reminders=True), order, now)
    start = order.facts
    return PreviewedPlan(
        start.number, order.customer, start.order_date, start.base_date(plan), start.open_minor, start.currency,
        start.dunning_level, mails_, None if mails_ else held,
    )  # fmt: skip


def course_of(
    shop: Shop, plan: DunningPlan, switches: Switches, order: ReminderOrderRow, now: datetime
) -> tuple[tuple[tuple[PlannedReminder, int], ...], Postponed]:
    """((mail, fee in minor units) for each that is sent if the customer never pays, why no further one is).

    What the bank's data hold back by then is not known.
    """
    facts, at = order.facts, now
    found_mails: list[tuple[PlannedReminder, int]] = []
    found = next_mail(facts, plan, switches, None, at, shop.timezone)
    while isinstance(found, PlannedReminder):
        found_mails.append((found, fee_of(plan, found.level, facts.currency, shop)))
        facts, at = after_mail(facts, found, shop.timezone), found.at
        found = next_mail(facts, plan, switches, None, at, shop.timezone)
    return tuple(found_mails), found
