"""Mail that went out and came back: its state, an alert, and what follows for the orders that it was about (D-56)."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.reminders.mails import MailEvent, MailMoveRefused, next_status
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.store import shops as shop_store
from paymatch.store.customers import refund_requests
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import mails, reminders
from paymatch.store.work import alerts
from paymatch.usecases.reminders.reminders import refused_alert


def take(database: Database, bounce: Bounce, clock: datetime) -> int:
    """Records that a mail came back; how many rows say so now, 0 if it is known already or not ours.

    The next mail waits for another address, or is a letter where the plan says so. A customer who was told by this mail
    alone how to pay is told again, as soon as something reaches him.
    """
    with database.transaction(None) as tx:
        owners = mails.owners(tx, bounce.message_id, bounce.provider_id)
    taken = 0
    for shop_id in owners:
        with database.transaction(shop_id) as tx:
            shop = shop_store.load(tx, shop_id)
            if shop is not None:
                taken += _mails(tx, shop, bounce, clock) + _requests(tx, shop, bounce, clock)
    return taken


def _mails(tx: Tx, shop: Shop, bounce: Bounce, clock: datetime) -> int:
    shop_id, now = ShopId(shop.id), shop.now(clock)
    numbers = sorted({row.order_number for row in mails.of_message(tx, shop_id, bounce.message_id, bounce.provider_id)})
    order_store.lock(tx, shop_id, numbers)
    come_back: list[str] = []
    for row in mails.of_message(tx, shop_id, bounce.message_id, bounce.provider_id):
        try:
            status = next_status(row.status, MailEvent.CAME_BACK)
        except MailMoveRefused:
            continue
        mails.set_status(tx, shop_id, row.id, status, bounce.reason)
        subject, text = refused_alert(row, bounce.reason)
        alerts.add(tx, shop_id, AlertKind.MAIL_REFUSED, subject, text, now)
        come_back.append(row.order_number)
    if come_back:
        reminders.forget_informed(tx, shop_id, come_back)
        reminders.look_at(tx, shop_id, come_back, now)
    return len(come_back)


def _requests(tx: Tx, shop: Shop, bounce: Bounce, clock: datetime) -> int:
    """A mail that asked for bank details: the refund is looked at again, and a letter or an alert follows."""
    shop_id, taken = ShopId(shop.id), 0
    for row in refund_requests.of_message(tx, shop_id, bounce.message_id, bounce.provider_id):
        order_store.lock(tx, shop_id, [row.order_number])
        if refund_requests.came_back(tx, shop_id, row.id, bounce.reason):
            taken += 1
            if refund_requests.find(tx, shop_id, row.refund_id) is not None:
                refund_requests.ask_at(tx, shop_id, row.refund_id, shop.now(clock))
    return taken
