"""How a mail would read for a real order, before anybody gets it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from paymatch.domain.calendar import today_in
from paymatch.domain.money import Currency, Money
from paymatch.domain.shops.shop import Shop
from paymatch.formats.mail.message import ReminderMail, plain_text, write_mail
from paymatch.formats.mail.texts import checked_wording
from paymatch.store.database import ShopId, Tx
from paymatch.store.reminders import mails
from paymatch.store.reminders import reminders as store
from paymatch.usecases.orders.payment_requests import payment_request
from paymatch.usecases.reminders.dunning_plans import plan_of
from paymatch.usecases.reminders.reminders import fee_of

_NOBODY = "nobody@example.invalid"


@dataclass(frozen=True, slots=True)
class PreviewedMail:
    """A mail as its recipient would read it."""

    order_number: str
    subject: str
    text: str


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
    mail = ReminderMail(
        message_id="<preview@example.invalid>", at=now, sender=sender.address or _NOBODY, sender_name=sender.name,
        reply_to=sender.reply_to, recipient=_NOBODY, language=language, wording=wording, level=level,
        customer=order.customer, shop=shop.name, order_number=facts.number, order_date=facts.order_date,
        amount=Money(order.amount_minor, Currency(facts.currency)), open=wanted.amount,
        fee=Money(fee, currency), earlier_fees=Money(order.fees_minor, currency),
        pay_until=today_in(shop.timezone, now) + timedelta(days=plan.pay_within_days),
        payee=wanted.account.holder or shop.holder, iban=wanted.account.account, bic=wanted.account.bic,
        reference=order.reference,
    )  # fmt: skip
    return PreviewedMail(facts.number, mail.subject, plain_text(write_mail(mail)))
