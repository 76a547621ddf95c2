"""Mail that went out and came back: its state, an alert, and what follows for the orders that it was about (D-56)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from paymatch.domain.reminders.mails import MAIL_LIFECYCLE, MailEvent, MailMoveRefused, MailStatus
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.words.message import Message
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.store.customers import refund_requests
from paymatch.store.database import Database
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import early_bounces, mails, reminders
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts
from paymatch.usecases.audit import record
from paymatch.usecases.reminders.reminders import refused_alert

KEPT_FOR: Final = timedelta(hours=1)
"""Longer than a claim lasts: by then a mail that went out is recorded, even if a process has died."""


def take(database: Database, bounce: Bounce, clock: datetime) -> int:
    """Records that a mail came back; how many rows say so now, 0 if it is known already or not ours.

    A provider that has proven to be it is believed, of the recipient whom it names. Everyone who got a mail can write
    a report about it: one that came by mail is an alert, a person looks at the address, and nothing is stopped.

    The next mail waits for another address, or is a letter where the plan says so. If this mail
    alone said how to pay, the next one that reaches the customer says it again. A report that is faster than the record
    of the sending is kept, and `take_early` takes it.
    """
    taken, is_early = _take(database, bounce, clock)
    if is_early and not bounce.written_by:
        with database.of_all_shops() as tx:
            early_bounces.keep(tx, bounce, clock)
    return taken


def take_early(database: Database, clock: datetime) -> int:
    """Takes the reports that were kept, once their mail is known; how many rows say now that it came back."""
    with database.of_all_shops() as tx:
        early_bounces.forget_old(tx, clock - KEPT_FOR)
        waiting = early_bounces.waiting_bounces(tx)
    count = 0
    for bounce in waiting:
        taken, is_early = _take(database, bounce, clock)
        count += taken
        if not is_early:
            with database.of_all_shops() as tx:
                early_bounces.forget(tx, bounce)
    return count


def judge(database: Database, shop: Shop, mail_id: str, clock: datetime, *, confirmed: bool) -> dict[str, Any]:
    """What a person says of a report that nothing proves, about this mail; SettingRefused if none waits.

    Confirmed, the mail has come back: no other goes to its address, as if a provider had said so. Dismissed, mail goes
    on. The alerts of all orders that the mail was about are closed, and no later report on it raises one again.
    """
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        message_id = mails.message_of(tx, mail_id)
        ids = [row.id for row in mails.of_message(tx, message_id, "")]
        ids += [request.id for request in refund_requests.of_message(tx, message_id, "")]
        waiting = alerts.open_about(tx, AlertKind.MAIL_REPORTED, ids)
        if not waiting:
            raise SettingRefused(Message("setting-no-report-about-mail", mail_id=mail_id))
        if confirmed:
            bounce = Bounce("", waiting[0].error, message_id, confirmed=True)
            if None in (*_mails(tx, bounce), *_requests(tx, bounce)):
                raise SettingRefused(Message("setting-mail-still-being-sent", mail_id=mail_id))
        alerts.resolve(tx, [each.id for each in waiting], now, by_hand=True)
        for each in waiting:
            after = {"alert": AlertKind.MAIL_REPORTED, "status": MailStatus.BOUNCED if confirmed else MailStatus.SENT}
            record(tx, shop, AuditAction.ALERT_RESOLVED, each.id, after=after)
    return {"id": mail_id, "cameBack": confirmed, "alerts": len(waiting)}


def _take(database: Database, bounce: Bounce, clock: datetime) -> tuple[int, bool]:
    """(rows that say now that it came back, whether the mail is not known to have gone out)."""
    with database.of_all_shops() as tx:
        owners = mails.owners(tx, bounce.message_id, bounce.provider_id)
    taken, is_known = 0, False
    for shop_id in owners:
        with database.of_shop(shop_id, at=clock) as tx:
            shop = shop_store.load(tx)
            if shop is not None:
                found = [*_mails(tx, bounce), *_requests(tx, bounce)]
                taken += found.count(True)
                is_known |= any(came_back is not None for came_back in found)
    return taken, not is_known


def _mails(tx: ShopTx, bounce: Bounce) -> list[bool | None]:
    """Per row of the mail whether it says now that it came back; None while it is not known to have gone out."""
    now = tx.now
    numbers = sorted({row.order_number for row in mails.of_message(tx, bounce.message_id, bounce.provider_id)})
    order_store.lock(tx, numbers)
    come_back: list[str] = []
    found: list[bool | None] = []
    for row in mails.of_message(tx, bounce.message_id, bounce.provider_id):
        if not _is_believed(bounce, row.recipient):
            found.append(False)
            _doubt(tx, row.id, row.order_number, row.recipient, bounce, now)
            continue
        try:
            status = MAIL_LIFECYCLE.move(row.status, MailEvent.CAME_BACK)
        except MailMoveRefused:
            found.append(None if row.status is MailStatus.PENDING else False)
            continue
        found.append(True)
        mails.set_status(tx, row.id, status, bounce.reason)
        subject, text = refused_alert(row, bounce.reason)
        alerts.add(tx, AlertKind.MAIL_REFUSED, subject, text, now)
        order_store.set_mail_refusal(tx, row.order_number, row.recipient, bounce.reason)
        come_back.append(row.order_number)
    if come_back:
        reminders.forget_informed(tx, come_back)
        reminders.schedule_review(tx, come_back, now)
    return found


def _requests(tx: ShopTx, bounce: Bounce) -> list[bool | None]:
    """A mail that asked for bank details: the refund is looked at again, and a letter or an alert follows."""
    found = list[bool | None]()
    for row in refund_requests.of_message(tx, bounce.message_id, bounce.provider_id):
        if not _is_believed(bounce, row.recipient):
            found.append(False)
            _doubt(tx, row.id, row.order_number, row.recipient, bounce, tx.now)
            continue
        order_store.lock(tx, [row.order_number])
        came_back = refund_requests.came_back(tx, row.id, bounce.reason)
        found.append(None if row.status is MailStatus.PENDING else came_back)
        if came_back and refund_requests.find(tx, row.refund_id) is not None:
            refund_requests.ask_at(tx, row.refund_id, tx.now)
    return found


def _is_believed(bounce: Bounce, recipient: str) -> bool:
    """Whether a report is proven, and about this recipient of the mail. A provider may name no recipient."""
    is_proven = bool(bounce.provider_id) or bounce.confirmed
    named = bounce.recipient.strip("<> ").casefold()
    return is_proven and not bounce.written_by and named in ("", recipient.casefold())


def _doubt(tx: ShopTx, mail_id: str, number: str, recipient: str, bounce: Bounce, now: datetime) -> None:
    """A person looks at the address; nothing is stopped, for anyone who got the mail can write such a report."""
    said = Message(
        "alert-mail-reported", order=number, recipient=recipient, named=bounce.recipient or "-", error=bounce.reason
    )
    alerts.add(tx, AlertKind.MAIL_REPORTED, mail_id, said, now)
