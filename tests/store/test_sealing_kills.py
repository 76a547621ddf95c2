"""kill -9 at every transaction boundary of sealing and of a rotation: nothing is lost, and the next run goes on."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.resealing import check_keys, count_remaining
from paymatch.store.sealing import POSTING_PARTY, Keyring
from paymatch.store.statements.postings import load
from paymatch.usecases.shops import shops
from tests.hard_stop import KILLED, drive
from tests.store.sealing_drive import main
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

OLD, NEW = "an old secret key, long enough to be one", "a new secret key, long enough to be one"
PAYERS = ("DE75512108001245126199", "DE02120300000000202051", "DE02100500000054540402")


def _books(url: str, secrets: list[str]) -> Books:
    database = Database(url, size=2, keyring=Keyring(secrets))
    check_keys(database, Books.now)
    return Books(database, shops.find(database, "Killed"))


def _accounts(books: Books) -> list[tuple[Any, ...]]:
    """Accounts as the books read them, by both ways in which they are stored."""
    vault = books.database.keyring.vault(books.shop.id)
    stored = books.rows("SELECT id, counterparty_iban FROM postings WHERE shop_id = $1 ORDER BY amount_minor")
    with books.database.of_shop(_id(books)) as tx:
        facts = {each.id: each.posting.counterparty_iban for each in load(tx, [row[0] for row in stored])}
    return [(vault.open(POSTING_PARTY, text), facts[posting]) for posting, text in stored]


def _id(books: Books) -> Any:
    return books.shop.id


@pytest.mark.parametrize(("before", "after"), [([], [OLD]), ([OLD], [NEW, OLD])], ids=["first sealing", "rotation"])
def test_every_hard_stop_is_survived(migrated_url: str, before: list[str], after: list[str]) -> None:
    database = Database(migrated_url, size=2, keyring=Keyring(before))
    if before:
        check_keys(database, Books.now)
    books = Books(database, shops.create(database, "Killed", Books.now, ibans=[ACCOUNT]).shop)
    entries = [paid(1000 + place, "who knows", counterparty_iban=iban) for place, iban in enumerate(PAYERS)]
    books.bring(camt(CamtMessage.STATEMENT, *entries))
    expected = [(iban, iban) for iban in PAYERS]
    assert _accounts(books) == expected
    with database.of_shop(books.shop) as tx:
        secrets = shops.show_secrets(tx)
    database.close()
    kills = 0
    while drive(main, migrated_url, after, stop_at=2) == KILLED:  # each run gets a little further
        kills += 1
        books = _books(migrated_url, after)
        assert _accounts(books) == expected
        books.database.close()
    assert kills > 3
    books = _books(migrated_url, after[:1])
    assert (count_remaining(books.database), _accounts(books)) == ({}, expected)
    with books.database.of_shop(books.shop) as tx:
        assert shops.show_secrets(tx) == secrets
    books.database.close()
