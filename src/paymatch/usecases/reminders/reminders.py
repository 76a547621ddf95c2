"""Payment information and reminders: claim what is due, decide under the order's lock, send, record (D-33).

Four steps, three of them short transactions; no transaction is open while mail is sent. The mail's row and its
Message-ID are stored before the first attempt, so a process that is killed at any point leaves a claim that runs out
and a mail that is sent again, if at all, with the same Message-ID. The reminder itself is written once, when the mail
is out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final

from paymatch.domain.calendar import today_in
from paymatch.domain.collection.handover import lapses_after_mail
from paymatch.domain.money import Currency, Money
from paymatch.domain.reminders.dunning_plan import DunningPlan
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.reminders.mails import INITIAL, MailEvent, next_status
from paymatch.domain.reminders.policy import BankData, Planned, Postponed, Switches, Why, next_mail, retry_at
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.words.said import Said
from paymatch.formats.mail.layout import Head, one_line
from paymatch.formats.mail.message import ReminderMail, write_mail
from paymatch.formats.mail.texts import corrected_wording, language_of
from paymatch.outbound.mail import MailDoor, MailNotSent, OutgoingMail
from paymatch.store import shops as shop_store
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.ids import new_id
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import mails
from paymatch.store.reminders import reminders as store
from paymatch.store.reminders.mails import MailRow
from paymatch.store.reminders.reminders import OrderRow
from paymatch.store.work import alerts
from paymatch.usecases.customers.brands import brand_of
from paymatch.usecases.customers.links import link_of
from paymatch.usecases.isolation import each_alone, tell
from paymatch.usecases.letters.ordering import order_letter
from paymatch.usecases.orders.images import PaymentCode, draw, payment_code
from paymatch.usecases.orders.payment_requests import payment_request
from paymatch.usecases.reminders.dunning_plans import plan_of, wording
from paymatch.usecases.statements.completeness import incomplete_days

BATCH: Final = 100
"""Orders that are decided on in one transaction."""

MAILS_AT_ONCE: Final = 10
"""Mails between a decision and its sending, so that what is decided is still right when the last of them goes out."""

LEASE: Final = timedelta(minutes=10)
_SENDING_SECONDS: Final = 240
"""What is not sent by then is given back; with the timeouts of the last mail this is well within the lease."""

LOOKED_AT_AGAIN: Final = timedelta(days=1)
FAILED: Final = "failed: an internal error occurred with this mail; see the log"
"""When and why an order is looked at again whose mail the program failed at."""

_RECORD_LOCK_SECONDS: Final = 30
"""How long the record of a mail that is out waits for an import or a call that has the order."""

_SANDBOX_SENDER: Final = "shop@sandbox.invalid"


@dataclass(frozen=True, slots=True)
class Terms:
    """What the decisions of one shop have in common."""

    plan: DunningPlan
    switches: Switches
    bank: BankData


@dataclass(frozen=True, slots=True)
class Draft:
    """A mail that is to be sent now; `code` is drawn into it outside of the transaction."""

    row: MailRow
    letter: ReminderMail
    code: PaymentCode | None


def next_due(tx: Tx, shop: Shop) -> datetime | None:
    """When the shop's next order is to be looked at, by its own clock; None if none is, or no mail goes out."""
    if shop.status is not ShopStatus.ACTIVE or not shop.sends_mail:
        return None
    return store.next_due_at(tx, ShopId(shop.id))


def send_due(database: Database, shop: Shop, door: MailDoor, clock: datetime, *, base: str = "") -> int:
    """Looks at a batch of due orders and sends what is due now; how many orders were dealt with, 0 if none is left.

    A sandbox shop's mail is kept and never reaches the door; `base` is the address of the service's pages, "" if it is
    unknown. LockNotAcquired if other work holds the orders.
    """
    if shop.status is not ShopStatus.ACTIVE or not shop.sends_mail:
        return 0
    shop_id, now = ShopId(shop.id), shop.now(clock)
    with database.transaction(shop_id) as tx:
        numbers = store.claim(tx, shop_id, BATCH, now=now, clock=clock, until=clock + LEASE)
    if not numbers:
        return 0

    def decide(some: Sequence[str]) -> tuple[list[Draft], int]:
        with database.transaction(shop_id) as tx:
            return _decide(tx, shop, some, base, clock)

    def failed(number: str, error: Exception) -> None:
        _leave(database, shop, number, error, now)

    try:
        decided = each_alone(numbers, decide, failed)
    except Exception:
        # An import or a call has the orders: they stay due. Claims that were kept would hide the failure, since the
        # next run would find nothing to do.
        with database.transaction(shop_id) as tx:
            store.release(tx, shop_id, numbers)
        raise
    drafts = [draft for some, _ in decided for draft in some]
    left = sum(rest for _, rest in decided)
    ends = time.monotonic() + _SENDING_SECONDS
    for place, draft in enumerate(drafts):
        if time.monotonic() > ends:
            left += len(drafts) - place
            with database.transaction(shop_id) as tx:
                store.release(tx, shop_id, [each.row.order_number for each in drafts[place:]])
            break
        each_alone(
            [draft],
            lambda drafts: _send(database, shop, door, drafts[0], clock),
            lambda draft, error: failed(draft.row.order_number, error),
        )
    return len(numbers) - left


def _leave(database: Database, shop: Shop, number: str, error: Exception, now: datetime) -> None:
    """The program failed at the order's mail: it is looked at again a day later, and an alert tells of it."""
    with database.transaction(ShopId(shop.id)) as tx:
        store.put_off(tx, ShopId(shop.id), {number: (now + LOOKED_AT_AGAIN, FAILED)})
        tell(tx, ShopId(shop.id), f"the mail of order {number}", error, now)


def terms_of(tx: Tx, shop: Shop) -> Terms:
    """The shop's plan and switches, and how far its bank data reaches."""
    shop_id = ShopId(shop.id)
    bank = BankData(store.covered_until(tx, shop_id), incomplete_days(tx, shop_id), store.matching_waits(tx, shop_id))
    return Terms(plan_of(tx, shop_id), _switches(shop), bank)


def _switches(shop: Shop) -> Switches:
    return Switches(shop.payment_information, shop.reminders, shop.letters)


def _decide(tx: Tx, shop: Shop, numbers: Sequence[str], base: str, clock: datetime) -> tuple[list[Draft], int]:
    """Mails to be sent now, and how many orders had to be left for the next batch; the others are put off."""
    shop_id, now = ShopId(shop.id), shop.now(clock)
    order_store.lock(tx, shop_id, numbers)
    store.lock_plan(tx, shop_id)
    fresh = shop_store.load(tx, shop_id)
    if fresh is None or fresh.status is not ShopStatus.ACTIVE:
        store.release(tx, shop_id, numbers)
        return [], len(numbers)
    shop, terms = fresh, terms_of(tx, fresh)
    due: list[tuple[OrderRow, Planned]] = []
    put_off: dict[str, tuple[datetime | None, str]] = dict.fromkeys(numbers, (None, ""))
    for order in store.load(tx, shop_id, numbers, shop.tolerance_minor, now):
        found = next_mail(order.facts, terms.plan, terms.switches, terms.bank, now, shop.timezone)
        if isinstance(found, Planned) and found.at <= now and found.by_letter:
            put_off[order.facts.number] = _by_letter(tx, shop, terms.plan, order, found.level, now)
        elif isinstance(found, Planned) and found.at <= now:
            due.append((order, found))
            del put_off[order.facts.number]
        else:
            put_off[order.facts.number] = _put_off(found)
            _withdraw(tx, shop_id, order.facts.number, found, now)
    chosen, rest = due[:MAILS_AT_ONCE], due[MAILS_AT_ONCE:]
    store.release(tx, shop_id, [order.facts.number for order, _ in rest])
    store.put_off(tx, shop_id, put_off)
    links = {order.facts.number: link_of(tx, shop, order.facts.number, base, clock) for order, _ in chosen}
    drafts = [_draft(tx, shop, terms.plan, order, found, links[order.facts.number], now) for order, found in chosen]
    return drafts, len(rest)


def _by_letter(
    tx: Tx, shop: Shop, plan: DunningPlan, order: OrderRow, level: int, now: datetime
) -> tuple[datetime | None, str]:
    """A letter is ordered instead of a mail; the order rests until it is out."""
    number = order.facts.number
    mail = mails.pending(tx, ShopId(shop.id), number)
    if mail is not None:
        gone = next_status(mail.status, MailEvent.REASON_GONE)
        mails.finish(tx, ShopId(shop.id), mail.id, gone, "a letter has taken its place", now)
    order_letter(tx, shop, order, level, fee_of(plan, level, order.facts.currency, shop), now)
    return None, f"{Why.LETTER}: a letter about it waits to be printed or sent"


def _put_off(found: Planned | Postponed) -> tuple[datetime | None, str]:
    return (found.at, "") if isinstance(found, Planned) else (found.again_at, f"{found.why}: {found.text}")


def _withdraw(tx: Tx, shop_id: ShopId, number: str, found: Planned | Postponed, now: datetime) -> None:
    """A mail that was to be sent and may have gone out: nobody recorded it, and its reason has gone."""
    mail = mails.pending(tx, shop_id, number)
    if mail is None:
        return
    gone = next_status(mail.status, MailEvent.REASON_GONE)
    if isinstance(found, Postponed) and found.again_at is None:
        mails.finish(tx, shop_id, mail.id, gone, found.text, now)
    elif isinstance(found, Planned) and mail.correction:
        mails.finish(tx, shop_id, mail.id, gone, "the amount is again the one that was told", now)


def _draft(tx: Tx, shop: Shop, plan: DunningPlan, order: OrderRow, found: Planned, link: str, now: datetime) -> Draft:
    """The mail as the order stands, under the id that it got at its first attempt."""
    shop_id, facts, level = ShopId(shop.id), order.facts, found.level
    sender = mails.sender(tx, shop_id)
    address = sender.address or _SANDBOX_SENDER
    recipient = mail_address(facts.email)
    assert recipient is not None, "what is due has an address"
    mail = mails.pending(tx, shop_id, facts.number)
    wanted_mail = (level, recipient, found.corrects)
    if mail is not None and (mail.dunning_level, mail.recipient, mail.correction > 0) != wanted_mail:
        gone = next_status(mail.status, MailEvent.REASON_GONE)
        mails.finish(tx, shop_id, mail.id, gone, "another mail has taken its place", now)
        mail = None
    fee_minor = fee_of(plan, level, facts.currency, shop)
    if mail is None:
        mail_id = new_id("ml", now)
        message_id = f"<{mail_id}@{address.rpartition('@')[2]}>"
        mail = MailRow(
            mail_id, facts.number, level, INITIAL, message_id, recipient, "", fee_minor, 0, "", now, None,
            order.event_count, correction=mails.next_correction(tx, shop_id, facts.number) if found.corrects else 0,
        )  # fmt: skip
        mails.add(tx, shop_id, mail)
    mail = replace(mail, fee_minor=fee_minor, order_seq=order.event_count, told_minor=order.amount_minor)
    language = language_of(order.language, shop.language)
    own = mails.texts(tx, shop_id)
    said = corrected_wording(language) if found.corrects else wording(own, level, len(plan.levels), language)
    wanted = payment_request(tx, shop, Money(facts.open_minor, Currency(facts.currency)), order.exchange_rate)
    assert wanted is not None, "what is due has an account"
    account, currency = wanted.account, wanted.amount.currency
    fee, earlier = Money(mail.fee_minor, currency), Money(order.fees_minor, currency)
    head = Head(
        message_id=mail.message_id, at=now, sender=address, reply_to=sender.reply_to, recipient=recipient,
        customer=order.customer, language=language, country=order.postal.country, brand=brand_of(tx, shop),
    )  # fmt: skip
    today = today_in(shop.timezone, now)
    after_days = shop_store.lapse_after(tx, shop_id)
    lapses = lapses_after_mail(facts, plan, after_days, found, today, reminded=shop.reminders)
    letter = ReminderMail(
        head=head, wording=said, level=level, order_number=facts.number, order_date=facts.order_date,
        amount=Money(order.amount_minor, Currency(facts.currency)), open=wanted.amount, fee=fee, earlier_fees=earlier,
        pay_until=min(today + timedelta(days=plan.pay_within_days), lapses or date.max), lapses=lapses,
        payee=account.holder or shop.holder, iban=account.account, bic=account.bic, reference=order.reference,
        link=link,
    )  # fmt: skip
    return Draft(
        mail, letter, payment_code(tx, shop, account, letter.total, order.reference, facts.number, order.postal.country)
    )


def fee_of(plan: DunningPlan, level: int, currency: str, shop: Shop) -> int:
    """The fee of a mail in minor units; the plan's fees are in the shop's currency, orders in others bear none."""
    return plan.levels[level - 1].fee_minor if level and currency == shop.currency else 0


def _send(database: Database, shop: Shop, door: MailDoor, draft: Draft, clock: datetime) -> None:
    """Sends one mail and records what came of it."""
    letter = replace(draft.letter, code=draw(draft.code, shop.language))
    mail, content = replace(draft.row, subject=letter.subject), write_mail(letter)
    failure: MailNotSent | None = None
    if not shop.sandbox:
        try:
            door.send(OutgoingMail(str(shop.id), mail.id, letter.head.sender, mail.recipient, content))
        except MailNotSent as error:
            failure = error
    event = MailEvent.ACCEPTED if door.delivers and not shop.sandbox else MailEvent.STORED
    with database.transaction(ShopId(shop.id), _RECORD_LOCK_SECONDS) as tx:
        if failure is None:
            _record_sent(tx, shop, mail, content, event, shop.now(clock))
        else:
            _record_failed(tx, shop, mail, content, failure, shop.now(clock))


def _record_sent(tx: Tx, shop: Shop, mail: MailRow, content: bytes, event: MailEvent, now: datetime) -> None:
    """The mail is out: the reminder is written, the order's level follows, the next mail is planned."""
    shop_id, number = ShopId(shop.id), mail.order_number
    order_store.lock(tx, shop_id, [number])
    if not mails.record(tx, shop_id, mail, next_status(mail.status, event), content, error="", now=now):
        return
    if mail.dunning_level:
        store.add_sent(tx, shop_id, number, mail.dunning_level, today_in(shop.timezone, now), mail.fee_minor)
    store.set_informed(tx, shop_id, number, now)
    store.lock_plan(tx, shop_id)
    (order,) = store.load(tx, shop_id, [number], shop.tolerance_minor, now)
    found = next_mail(order.facts, plan_of(tx, shop_id), _switches(shop), None, now, shop.timezone)
    store.put_off(tx, shop_id, {number: _put_off(found)})


def _record_failed(tx: Tx, shop: Shop, mail: MailRow, content: bytes, failure: MailNotSent, now: datetime) -> None:
    """The mail is tried again after a while, or (refused for good, tried for too long) left for a person to look at."""
    shop_id, number = ShopId(shop.id), mail.order_number
    order_store.lock(tx, shop_id, [number])
    again_at = None if failure.permanent else retry_at(mail.attempts + 1, now)
    status = next_status(mail.status, MailEvent.REFUSED if again_at is None else MailEvent.FAILED)
    if not mails.record(tx, shop_id, mail, status, content, error=one_line(str(failure)), now=now):
        return
    reason = f"{Why.ADDRESS_REFUSED}: {failure}" if again_at is None else f"mail not sent: {failure}"
    store.put_off(tx, shop_id, {number: (again_at, one_line(reason))})
    if again_at is None:
        alert = refused_alert(replace(mail, error=one_line(str(failure))))
        alerts.add(tx, shop_id, AlertKind.MAIL_REFUSED, alert[0], alert[1], now)


def refused_alert(mail: MailRow) -> tuple[str, Said]:
    """(subject, text) of the alert about a mail that is not tried again."""
    said = Said("alert-mail-refused", order=mail.order_number, recipient=mail.recipient, error=mail.error)
    return mail.id, said
