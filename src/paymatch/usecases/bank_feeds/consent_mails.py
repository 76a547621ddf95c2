"""Mails to the owners before a consent ends, 30, 14, 7 and 1 days, each once (D-130)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import structlog

from paymatch.domain.bank_feeds.consents import ConsentStatus, reminder_due
from paymatch.domain.shops.shop import Shop
from paymatch.formats.languages.texts import language_among
from paymatch.formats.mail.consents import ConsentMail, write_consent_mail
from paymatch.formats.mail.layout import Head
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail
from paymatch.store.bank_feeds import consents as store
from paymatch.store.bank_feeds.consents import BankConsent
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.shops.owners import ShopOwner, owners
from paymatch.store.transactions import ShopId
from paymatch.usecases.bank_feeds.consents import ends_on
from paymatch.usecases.shops.brands import brand_of

_log = structlog.get_logger("paymatch.bank_feeds")


@dataclass(frozen=True, slots=True)
class OwnerMail:
    """The outlet for the service's mail to its users: the door, the sender, and the address of the pages."""

    door: MailDoor | None = None
    sender: str = ""
    base: str = ""


def remind_owners(database: Database, shop: Shop, way: OwnerMail, clock: datetime) -> int:
    """Sends due mails; returns their number. A failing mail server is tried again, and blocks nothing."""
    if way.door is None or not way.sender:
        return 0
    with database.of_shop(shop, at=clock) as tx:
        due = [(row, days) for row in store.consents(tx) if (days := _due(row, shop, clock)) is not None]
    return sum(_remind(database, shop, way, row, days, clock) for row, days in due)


def _due(row: BankConsent, shop: Shop, clock: datetime) -> int | None:
    if row.status is not ConsentStatus.ACTIVE or row.valid_until is None:
        return None
    return reminder_due(ends_on(row, shop), shop.today(clock), row.reminded)


def _remind(database: Database, shop: Shop, way: OwnerMail, row: BankConsent, days: int, clock: datetime) -> int:
    with database.of_all_shops() as tx:
        people = owners(tx, ShopId(shop.id))
    sent = [each for each in people if _send(database, shop, way, row, each, clock)]
    if sent or not people:
        with database.of_shop(shop, at=clock) as tx:
            store.set_reminded(tx, row.id, days)
    return len(sent)


def _send(
    database: Database, shop: Shop, way: OwnerMail, row: BankConsent, owner: ShopOwner, clock: datetime
) -> bool:  # fmt: skip
    assert way.door is not None, "the caller has a way out"
    mail_id, day = new_id("om", clock), ends_on(row, shop)
    with database.of_shop(shop, at=clock) as tx:
        brand = brand_of(tx)
    head = Head(
        message_id=f"<{mail_id}@{way.sender.rpartition('@')[2]}>", at=clock, sender=way.sender, reply_to="",
        recipient=owner.email, customer="", language=language_among(owner.language, shop.language),
        country=shop.country, brand=brand,
    )  # fmt: skip
    link = f"{way.base}/shops/{shop.id}/bank/account-information/{row.id}" if way.base else ""
    content = write_consent_mail(head, ConsentMail(row.bank_name, day, link))
    try:
        way.door.send(OutgoingMail(str(shop.id), mail_id, way.sender, owner.email, content))
    except MailNotSent as error:
        _log.warning("an owner was not notified of the end of a consent", shop=str(shop.id), error=str(error))
        return False
    return True
