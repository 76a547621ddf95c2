"""Lists of reminders: who gets which mail and when, and why others do not; sent mail; mail that needs a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.reminders.dunning_plan import plan_in_words
from paymatch.domain.reminders.mails import (
    MAIL_LIFECYCLE,
    NOT_ARRIVED,
    MailEvent,
    MailMoveRefused,
    MailStatus,
)
from paymatch.domain.reminders.payment_date import after_mail
from paymatch.domain.reminders.policy import BankData, OrderToRemind, PlannedReminder, Postponed, holds, next_mail
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message
from paymatch.formats.mail.message import plain_text
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import mails
from paymatch.store.reminders import reminders as store
from paymatch.store.reminders.mails import MailRow
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reminders.drafts import fee_of
from paymatch.usecases.reminders.reminders import ReminderTerms, refused_alert, terms_of
from paymatch.usecases.shops.dunning_plans import plan_of, switches_of

_PAGE: Final = 2000
_DELAYED_AFTER: Final = 3
"""Failed attempts after which a person should look at the way out."""


def preview(
    database: Database, shop: Shop, until: date, clock: datetime, *, as_if_on: bool = False
) -> Iterator[dict[str, Any]]:
    """Per open order the mails that will be sent until the end of a day if nothing changes, or why there is none.

    What is due now is decided as it would be now; what is due later supposes that bank data arrives in time. With
    `as_if_on`, as if the shop had its reminders switched on.
    """
    now, after, ends = shop.now(clock), "", _end_of(until, shop)
    with database.of_shop(replace(shop, reminders=shop.reminders or as_if_on), at=clock) as tx:
        terms = terms_of(tx)
    while True:
        with database.of_shop(shop, at=clock) as tx:
            page = store.load_open(tx, after, _PAGE, shop.tolerance_minor, now)
        for order in page:
            yield from _preview_rows(shop, terms, order, now, ends)
        if len(page) < _PAGE:
            return
        after = page[-1].facts.number


def preview_soonest(
    database: Database, shop: Shop, until: date, clock: datetime, limit: int, *, as_if_on: bool = False
) -> Iterator[dict[str, Any]]:
    """As `preview`, of so many open orders: those that are looked at first."""
    yield from plan_and_soonest(database, shop, until, clock, limit, as_if_on=as_if_on)[1]


def plan_and_soonest(
    database: Database, shop: Shop, until: date, clock: datetime, limit: int, *, as_if_on: bool = False
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """(the shop's plan as settings, what `preview_soonest` yields by it)."""
    now, ends = shop.now(clock), _end_of(until, shop)
    with database.of_shop(replace(shop, reminders=shop.reminders or as_if_on), at=clock) as tx:
        terms = terms_of(tx)
        found = store.load_soonest(tx, limit, shop.tolerance_minor, now)
    rows = [row for order in found for row in _preview_rows(shop, terms, order, now, ends)]
    return plan_in_words(terms.plan, Currency(shop.currency)), rows


def _end_of(day: date, shop: Shop) -> datetime:
    return datetime.combine(day + timedelta(days=1), datetime.min.time(), ZoneInfo(shop.timezone))


def next_of(tx: ShopTx, order: ReminderOrderRow) -> PlannedReminder | list[Postponed]:
    """The order's next mail if nothing changes until then, or every reason why it gets none."""
    now, plan = tx.now, plan_of(tx)
    switches = switches_of(tx.shop)
    found = next_mail(order.facts, plan, switches, None, now, tx.shop.timezone)
    if isinstance(found, PlannedReminder) and found.at > now:
        return found
    # What is due depends on what the bank's data tell.
    bank = terms_of(tx).bank if isinstance(found, PlannedReminder) else None
    held = holds(order.facts, plan, switches, bank, now, tx.shop.timezone)
    return found if isinstance(found, PlannedReminder) and not held else held


def _preview_rows(
    shop: Shop, terms: ReminderTerms, order: ReminderOrderRow, now: datetime, ends: datetime
) -> Iterator[dict[str, Any]]:
    facts, any_planned = order.facts, False
    found = _foreseen(shop, terms, facts, terms.bank, now, ends)
    while isinstance(found, PlannedReminder) and found.at < ends:
        yield _row(shop, terms, order, facts, found, later=False)
        any_planned = True
        facts = after_mail(facts, found, shop.timezone)
        found = _foreseen(shop, terms, facts, None, found.at, ends)
    if not any_planned:
        yield _row(shop, terms, order, facts, found, later=True)


def _foreseen(
    shop: Shop, terms: ReminderTerms, facts: OrderToRemind, bank: BankData | None, now: datetime, ends: datetime
) -> PlannedReminder | list[Postponed]:
    """The next mail, or all that holds it back: now, or at the moment before `ends` for which it is planned."""
    found = next_mail(facts, terms.plan, terms.switches, bank, now, shop.timezone)
    if isinstance(found, Postponed):
        return holds(facts, terms.plan, terms.switches, bank, now, shop.timezone)
    if found.at >= ends:
        return found
    # Due but for the hour: at night too, what holds it back in the morning is said now.
    known = bank if found.at in (now, terms.plan.sending_moment(now, shop.timezone)) else None
    return holds(facts, terms.plan, terms.switches, known, found.at, shop.timezone) or found


def _row(
    shop: Shop,
    terms: ReminderTerms,
    order: ReminderOrderRow,
    facts: OrderToRemind,
    found: PlannedReminder | list[Postponed],
    *,
    later: bool,
) -> dict[str, Any]:
    """A mail, or every reason why there is none: `reason` is the first of them, `text` has them all."""
    row: dict[str, Any] = {
        "orderNumber": facts.number,
        "email": facts.email,
        "open": minor_to_text(facts.open_minor, Currency(facts.currency)),
        "currency": facts.currency,
        "dunningLevel": facts.dunning_level,
        "mail": "",
        "at": "",
        "fee": "",
        "reason": "",
        "text": "",
        "reasons": [],
    }
    if not isinstance(found, PlannedReminder):
        return row | _reasons([{"reason": str(each.why), "text": each.text, "named": each.named} for each in found])
    fee = fee_of(terms.plan, found.level, facts.currency, shop)
    row["at"] = found.at.astimezone(ZoneInfo(shop.timezone))
    row["fee"] = minor_to_text(fee, Currency(facts.currency))
    row["mail"] = mail_name(found.level, corrects=found.corrects, thanks=found.thanks)
    return row | _reasons([{"reason": "later", "text": "due later", "named": {}}]) if later else row


def _reasons(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {"reason": found[0]["reason"], "text": "; ".join(each["text"] for each in found), "reasons": found}


def mail_name(level: int, *, corrects: bool = False, thanks: bool = False) -> str:
    """What a mail of a level is called."""
    if thanks:
        return "thanks"
    if corrects:
        return "corrected payment information"
    return f"reminder {level}" if level else "payment information"


def sent_reminders(tx: ShopTx, number: str = "") -> list[dict[str, Any]]:
    """The reminders that were sent, latest first."""
    return [
        {
            "orderNumber": row.order_number, "dunningLevel": row.dunning_level, "date": f"{row.sent_date}",
            "fee": minor_to_text(row.fee_minor, Currency(row.currency)), "currency": row.currency,
            "email": row.email, "letter": row.letter, "paymentStatus": row.status,
        }
        for row in store.sent_reminders(tx, number)
    ]  # fmt: skip


def list_mails(
    tx: ShopTx, *, number: str = "", status: MailStatus | None = None, before: str = "", limit: int = 100
) -> list[dict[str, Any]]:
    """Mails, latest first; `text` is the message in plain text, empty before the first attempt and once forgotten."""
    found = mails.page(tx, number=number, status=str(status or ""), before=before, limit=limit)
    return [_mail(row) | {"text": plain_text(content) if content else ""} for row, content in found]


def list_mails_alone(
    tx: ShopTx, *, number: str = "", status: MailStatus | None = None, asked: AskedPage
) -> PageOfRows[dict[str, Any]]:
    """As `list_mails`, without the messages: reading them takes longer than all the rest of a list."""
    return mails.list_mails(tx, number=number, status=str(status or ""), asked=asked).map(_mail)


def show_mail(tx: ShopTx, mail_id: str) -> tuple[dict[str, Any], bytes]:
    """A mail, and the message as it went out: empty once forgotten. SettingRefused if there is none of this id."""
    found = mails.find(tx, mail_id)
    if found is None:
        raise SettingRefused(Message("setting-shop-no-mail", mail_id=repr(mail_id)))
    return _mail(found[0]), found[1]


def try_again(tx: ShopTx, mail_id: str) -> dict[str, Any]:
    """A mail that did not arrive no longer blocks its order, which is reviewed again. SettingRefused."""
    shown, _ = show_mail(tx, mail_id)
    try:
        status = MAIL_LIFECYCLE.move(MailStatus(shown["status"]), MailEvent.TRIED_AGAIN)
    except MailMoveRefused:
        raise SettingRefused(Message("setting-only-refused-mail-tried", status=shown["status"])) from None
    if status is MailStatus.SENT:
        mails.set_status(tx, mail_id, status, "")
        store.set_informed(tx, shown["orderNumber"], shown["finishedAt"])
    else:
        mails.finish(tx, mail_id, status, "to be tried again", tx.now)
    order_store.set_mail_refusal(tx, shown["orderNumber"], "", "")
    store.schedule_review(tx, [shown["orderNumber"]], tx.now)
    return {"id": mail_id, "orderNumber": shown["orderNumber"]}


def _mail(row: MailRow) -> dict[str, Any]:
    return {
        "id": row.id, "orderNumber": row.order_number, "dunningLevel": row.dunning_level,
        "mail": mail_name(row.dunning_level, corrects=row.correction > 0, thanks=row.thanks), "status": str(row.status),
        "to": row.recipient, "subject": row.subject, "messageId": row.message_id, "attempts": row.attempts,
        "error": row.error, "createdAt": row.created_at, "finishedAt": row.finished_at, "forgotten": row.forgotten,
    }  # fmt: skip


def mail_alerts(tx: ShopTx) -> Iterator[Alert]:
    """Mail that a person must look at: refused, delayed, or kept because no mail server is set."""
    unsettled = mails.unsettled_mails(tx, _DELAYED_AFTER)
    unwritable = order_store.with_mail_problem(tx)
    was_kept = not tx.shop.sandbox and tx.shop.sends_mail and mails.last_was_kept(tx)
    for row in unsettled:
        if row.status in NOT_ARRIVED:
            yield Alert(AlertKind.MAIL_REFUSED, *refused_alert(row, row.error))
        else:
            said = Message(
                "alert-mail-delayed", order=row.order_number, recipient=row.recipient, count=row.attempts,
                error=row.error,
            )  # fmt: skip
            yield Alert(AlertKind.MAIL_DELAYED, row.id, said)
    if unwritable is not None:
        count, latest = unwritable
        yield Alert(AlertKind.MAIL_ADDRESS, latest, Message("alert-mail-address", count=count, order=latest))
    if was_kept:
        yield Alert(AlertKind.MAIL_KEPT, "mail server", Message("alert-mail-kept"))
