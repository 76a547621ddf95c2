"""Test mails: the shop's look and sender, through the same gateway as its customers' mail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email.utils import formataddr

from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.languages.texts import language_among
from paymatch.formats.mail.layout import Head
from paymatch.formats.mail.trial import trial_subject, write_trial_mail
from paymatch.outbound.mail.outgoing import MailNotSent, MailRoute, OutgoingMail, RoutedDoor
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.reminders import mails
from paymatch.store.transactions import ShopTx
from paymatch.usecases.shops.brands import brand_of


class TrialRefused(Refused):
    """No mail to try the way out was sent; the reason in words."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A mail that was taken at the other end; `delivered` False: it was only kept."""

    route: MailRoute
    delivered: bool
    sender: str
    reply_to: str
    recipient: str
    subject: str
    message_id: str

    def hints(self) -> dict[str, str]:
        """What the headers of the mail that arrives must say, by the proof of its sender; nothing if it was kept.

        SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489): mail without them goes to junk, or nowhere.
        """
        if not self.delivered:
            return {}
        domain, server = self.sender.rpartition("@")[2], self.route.server.rpartition(":")[0] or self.route.server
        return {
            "spf": f"Authentication-Results must say spf=pass: the TXT record v=spf1 of {domain} has to name {server}",
            "dkim": f"and dkim=pass with header.d={domain}: {server} has to sign, with its key in the DNS of {domain}",
            "dmarc": f"and dmarc=pass: _dmarc.{domain} needs a TXT record, v=DMARC1; p=none to begin with",
        }


def shop_sender(tx: ShopTx) -> str:
    """The address and name that the shop's mail is from; "" without one, and for sandbox shops."""
    sender = mails.sender(tx)
    return formataddr((sender.name, sender.address)) if sender.address and not tx.shop.sandbox else ""


def send_trial(database: Database, shop: Shop, door: RoutedDoor, address: str, clock: datetime) -> Trial:
    """Sends a mail in the shop's name, which is not recorded with any order. TrialRefused."""
    if shop.sandbox:
        raise TrialRefused(Message("trial-mail-sandbox-shops-never"))
    recipient = mail_address(address)
    if recipient is None:
        raise TrialRefused(Message("trial-not-address-mail-can", address=address))
    with database.of_shop(shop, at=clock) as tx:
        sender, brand = mails.sender(tx), brand_of(tx)
    if not sender.address:
        raise TrialRefused(Message("trial-shop-no-address-mail"))
    mail_id = new_id("tm", clock)
    head = Head(
        message_id=f"<{mail_id}@{sender.address.rpartition('@')[2]}>", at=clock, sender=sender.address,
        reply_to=sender.reply_to, recipient=recipient, customer="", language=language_among(shop.language),
        country=shop.country, brand=brand,
    )  # fmt: skip
    try:
        door.send(OutgoingMail(str(shop.id), mail_id, sender.address, recipient, write_trial_mail(head)))
    except MailNotSent as error:
        raise TrialRefused(Message("trial-did-not-take-mail", server=door.route.server, error=str(error))) from error
    return Trial(
        door.route, door.delivers, sender.address, sender.reply_to, recipient, trial_subject(head), head.message_id
    )
