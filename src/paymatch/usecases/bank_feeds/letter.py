"""The initialisation letter, which the bank compares before it activates the user."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.shops.shop import Shop
from paymatch.formats.letters.bank_letter import BankLetter, bank_letter_pdf
from paymatch.outbound.ebics.keys import SubscriberKeys, fingerprint
from paymatch.store.bank_feeds import connections as store
from paymatch.store.database import Database
from paymatch.usecases.bank_feeds.connections import find


def initialisation_letter(database: Database, shop: Shop, name: str, language: str, clock: datetime) -> bytes:
    """The letter as PDF, in German, English or French (de, en, fr). EbicsUnknown, LanguageUnknown."""
    with database.of_shop(shop, at=clock) as tx:
        row = find(tx, name)
        text, _new = store.keys(tx, row.id)
    keys = SubscriberKeys.from_text(text)
    day = shop.day_of(row.submitted_at) if row.submitted_at else shop.today(clock)
    letter = BankLetter(
        row.bank_name, shop.holder or shop.name, row.host_id, row.partner_id, row.user_id, day,
        fingerprint(keys.signature.certificate), fingerprint(keys.authentication.certificate),
        fingerprint(keys.encryption.certificate),
    )  # fmt: skip
    return bank_letter_pdf(letter, language)
