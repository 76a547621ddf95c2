"""Mails that are due, made up: which orders go into one mail, its rows in the database, and everything it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from paymatch.domain.calendar import today_in
from paymatch.domain.collection.handover import lapses_after_mail
from paymatch.domain.money import Currency, Money
from paymatch.domain.reminders.dunning_plan import DunningPlan
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.reminders.mails import INITIAL, MAIL_LIFECYCLE, MailEvent
from paymatch.domain.reminders.payment_date import PaymentTerms, date_asked_for
from paymatch.domain.reminders.policy import PlannedReminder
from paymatch.domain.shops.brand import Brand
from paymatch.domain.shops.shop import Shop
from paymatch.formats.languages.texts import language_of
from paymatch.formats.mail.layout import Head
from paymatch.formats.mail.message import CustomerMail, ReminderMail, SeveralMail, ThanksMail
from paymatch.formats.mail.texts import SEVERAL, THANKS, Wording, corrected_wording
from paymatch.store.ids import new_id
from paymatch.store.reminders import mails
from paymatch.store.reminders.mails import MailRow, Sender
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.shops.shops import AccountRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.customers.links import link_of
from paymatch.usecases.orders.images import PaymentCode, payment_code
from paymatch.usecases.orders.payment_requests import request_among
from paymatch.usecases.shops.brands import brand_of
from paymatch.usecases.shops.dunning_plans import wording

ORDERS_PER_MAIL: Final = 20
_SANDBOX_SENDER: Final = "shop@sandbox.invalid"

Due = tuple[ReminderOrderRow, PlannedReminder]


@dataclass(frozen=True, slots=True)
class ReminderDraft:
    """A mail that is to be sent now. `rows` has one for each order, all with its Message-ID.

    `codes` are those of the orders; they are drawn into it outside of the transaction.
    """

    rows: tuple[MailRow, ...]
    mail: CustomerMail
    codes: tuple[PaymentCode | None, ...]

    @property
    def numbers(self) -> list[str]:
        """The orders that it is about."""
        return [row.order_number for row in self.rows]

    def draw_mail(self, codes: Sequence[bytes]) -> CustomerMail:
        """The mail with its payment codes as pictures, in the order of `codes`."""
        if isinstance(self.mail, ReminderMail):
            return replace(self.mail, code=codes[0])
        if isinstance(self.mail, SeveralMail):
            parts = tuple(replace(part, code=code) for part, code in zip(self.mail.parts, codes, strict=True))
            return replace(self.mail, parts=parts)
        return self.mail


@dataclass(frozen=True, slots=True)
class Desk:
    """What the mails of one transaction have in common, read once; `base` is the address of the service's pages."""

    shop: Shop
    plan: DunningPlan
    own: Mapping[tuple[str, str], tuple[str, str]]
    pending: Mapping[str, MailRow]
    base: str
    clock: datetime
    sender: Sender
    brand: Brand
    accounts: Sequence[AccountRow]
    lapse_after: int | None  # days after which unpaid prepayment orders lapse (D-42)

    @property
    def now(self) -> datetime:
        """The shop's moment."""
        return self.shop.now(self.clock)

    @property
    def terms(self) -> PaymentTerms:
        """What the payment dates of the shop's orders have in common."""
        return PaymentTerms(self.plan, self.shop.timezone, self.lapse_after, self.shop.reminders)

    def language(self, order: ReminderOrderRow) -> str:
        """The language in which the order's customer is written to."""
        return language_of(order.language, self.shop.language)


def desk_of(tx: ShopTx, plan: DunningPlan, pending: Mapping[str, MailRow], base: str) -> Desk:
    """What the shop's mails have in common at this moment."""
    return Desk(
        tx.shop, plan, mails.texts(tx), pending, base, tx.wall_time, mails.sender(tx), brand_of(tx),
        shop_store.accounts(tx), shop_store.lapse_after(tx),
    )  # fmt: skip


def together(desk: Desk, due: Sequence[Due]) -> list[tuple[Due, ...]]:
    """Which orders go into one mail: those of one customer that are due now, in one language and currency (D-56).

    What was to be sent together before, and may be out, stays together. Where a shop has its own words for a level,
    nothing takes their place but its own words for several orders.
    """
    found: dict[tuple[str, ...], list[Due]] = {}
    for order, planned in due:
        facts, language = order.facts, desk.language(order)
        has_own_words = (str(planned.level), language) in desk.own and (SEVERAL, language) not in desk.own
        pending = desk.pending.get(facts.number)
        key: tuple[str, ...] = (facts.number,)
        if not (planned.corrects or planned.thanks or has_own_words):
            message = "" if pending is None else pending.message_id
            key = (facts.email.lower(), order.customer, language, order.postal.country, facts.paid_in, message)
        found.setdefault(key, []).append((order, planned))
    starts = [(group, start) for group in found.values() for start in range(0, len(group), ORDERS_PER_MAIL)]
    return [tuple(group[start : start + ORDERS_PER_MAIL]) for group, start in starts]


def draft(tx: ShopTx, desk: Desk, some: Sequence[Due]) -> ReminderDraft:
    """The mail about these orders in their present state."""
    (first, planned), sender = some[0], desk.sender
    address = sender.address or _SANDBOX_SENDER
    rows = _rows(tx, desk, some, address.rpartition("@")[2])
    head = Head(
        message_id=rows[0].message_id, at=desk.now, sender=address, reply_to=sender.reply_to,
        recipient=rows[0].recipient, customer=first.customer, language=desk.language(first),
        country=first.postal.country or desk.shop.country, brand=desk.brand,
    )  # fmt: skip
    if planned.thanks:
        return ReminderDraft(rows, _thanks(tx, desk, head, first), ())
    parts = [_part(tx, desk, head, order, found, row) for (order, found), row in zip(some, rows, strict=True)]
    codes = tuple(code for _, code in parts)
    if len(parts) == 1:
        return ReminderDraft(rows, parts[0][0], codes)
    said = wording(desk.own, SEVERAL, len(desk.plan.levels), head.language)
    return ReminderDraft(rows, SeveralMail(head, said, tuple(part for part, _ in parts)), codes)


def _rows(tx: ShopTx, desk: Desk, some: Sequence[Due], domain: str) -> tuple[MailRow, ...]:
    """The rows of the mail, under the ids that they got at its first attempt if it is still the same mail."""
    now = desk.now
    before = [row for order, _ in some if (row := desk.pending.get(order.facts.number)) is not None]
    if not _is_same(tx, some, before):
        for row in before:
            gone = MAIL_LIFECYCLE.move(row.status, MailEvent.REASON_GONE)
            mails.finish(tx, row.id, gone, "another mail has taken its place", now)
        before = _new_rows(tx, desk, some, domain)
    return tuple(
        replace(
            row, fee_minor=fee_of(desk.plan, found.level, order.facts.currency, desk.shop), order_seq=order.event_count,
            told_minor=order.amount_minor,
        )
        for row, (order, found) in zip(before, some, strict=True)
    )  # fmt: skip


def _is_same(tx: ShopTx, some: Sequence[Due], before: Sequence[MailRow]) -> bool:
    """Whether what was to be sent before is this mail: the same orders, at the same levels, to the same address."""
    numbers = [order.facts.number for order, _ in some]
    wanted = [(found.level, mail_address(order.facts.email), found.corrects, found.thanks) for order, found in some]
    known = [(row.dunning_level, row.recipient, row.correction > 0, row.thanks) for row in before]
    messages = {row.message_id for row in before}
    if wanted != known or len(messages) != 1:
        return False
    return len(some) == 1 or set(mails.orders_of_message(tx, messages.pop())) == set(numbers)


def _new_rows(tx: ShopTx, desk: Desk, some: Sequence[Due], domain: str) -> list[MailRow]:
    now = desk.now
    ids = [new_id("ml", now) for _ in some]
    rows: list[MailRow] = []
    for mail_id, (order, found) in zip(ids, some, strict=True):
        number, recipient = order.facts.number, mail_address(order.facts.email)
        assert recipient is not None, "what is due has an address"
        rows.append(
            MailRow(
                mail_id, number, found.level, INITIAL, f"<{ids[0]}@{domain}>", recipient, "", 0, 0, "", now, None,
                order.event_count, correction=mails.next_correction(tx, number) if found.corrects else 0,
                thanks=found.thanks,
            )
        )  # fmt: skip
        mails.add(tx, rows[-1])
    return rows


def _part(
    tx: ShopTx, desk: Desk, head: Head, order: ReminderOrderRow, found: PlannedReminder, row: MailRow
) -> tuple[ReminderMail, PaymentCode | None]:
    """What is said of one order: a mail of its own, or a part of one."""
    shop, plan, facts = desk.shop, desk.plan, order.facts
    wanted = request_among(desk.accounts, shop, Money(facts.open_minor, Currency(facts.currency)), order.exchange_rate)
    assert wanted is not None, "what is due has an account"
    account, currency = wanted.account, wanted.amount.currency
    today = today_in(shop.timezone, desk.now)
    lapses = lapses_after_mail(facts, plan, desk.lapse_after, found, today, reminded=shop.reminders)
    asked_for = date_asked_for(facts, found, desk.now, desk.terms)
    mail = ReminderMail(
        head=head, wording=_wording(desk, found, head.language), level=found.level, order_number=facts.number,
        order_date=facts.order_date, amount=Money(order.amount_minor, Currency(facts.currency)), open=wanted.amount,
        fee=Money(row.fee_minor, currency), earlier_fees=Money(order.fees_before(found.level), currency),
        pay_until=asked_for, lapses=lapses,
        payee=account.holder or shop.holder, iban=account.account, bic=account.bic, reference=order.reference,
        link=link_of(tx, facts.number, desk.base), refund=facts.to_refund,
    )  # fmt: skip
    code = payment_code(
        tx, account, mail.total, order.reference, facts.number, order.postal.country, order.postal, asked_for
    )
    return mail, code


def _wording(desk: Desk, found: PlannedReminder, language: str) -> Wording:
    if found.corrects:
        return corrected_wording(language)
    return wording(desk.own, str(found.level), len(desk.plan.levels), language)


def _thanks(tx: ShopTx, desk: Desk, head: Head, order: ReminderOrderRow) -> ThanksMail:
    facts = order.facts
    return ThanksMail(
        head, wording(desk.own, THANKS, len(desk.plan.levels), head.language), facts.number, facts.order_date,
        Money(order.amount_minor, Currency(facts.currency)),
        link_of(tx, facts.number, desk.base),
    )  # fmt: skip


def fee_of(plan: DunningPlan, level: int, currency: str, shop: Shop) -> int:
    """The fee of a mail in minor units; the plan's fees are in the shop's currency, orders in others bear none."""
    return plan.levels[level - 1].fee_minor if level and currency == shop.currency else 0
