"""The initialisation letter, which the bank compares before it activates the user."""

from __future__ import annotations

from datetime import datetime

from paymatch.domain.shops.shop import Shop
from paymatch.formats.letters.bank_letter import BankLetter, bank_letter_pdf
from paymatch.outbound.ebics.keys import SubscriberKeys, fingerprint
from paymatch.store.bank_feeds import connections as store
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.database import Database
from paymatch.usecases.bank_feeds.connections import find


def initialisation_letter(database: Database, shop: Shop, name: str, language: str, clock: datetime) -> bytes:
    """The letter as PDF, in German, English or French (de, en, fr). EbicsUnknown, LanguageUnknown."""
    row, prints = _read(database, shop, name, clock)
    day = shop.day_of(row.submitted_at) if row.submitted_at else shop.today(clock)
    letter = BankLetter(
        row.bank_name, shop.holder or shop.name, row.host_id, row.partner_id, row.user_id, day,
        prints["A006"], prints["X002"], prints["E002"],
    )  # fmt: skip
    return bank_letter_pdf(letter, language)


def own_fingerprints(database: Database, shop: Shop, name: str, clock: datetime) -> dict[str, str]:
    """Key version -> SHA-256 of its certificate in hexadecimal pairs, as the letter has them. EbicsUnknown."""
    return _read(database, shop, name, clock)[1]


def _read(database: Database, shop: Shop, name: str, clock: datetime) -> tuple[EbicsConnection, dict[str, str]]:
    with database.of_shop(shop, at=clock) as tx:
        row = find(tx, name)
        text, _new = store.keys(tx, row.id)
    keys = SubscriberKeys.from_text(text)
    return row, {
        "A006": fingerprint(keys.signature.certificate), "X002": fingerprint(keys.authentication.certificate),
        "E002": fingerprint(keys.encryption.certificate),
    }  # fmt: skip
