"""Attack: every text of every table is searched for the accounts and secrets of a shop that did everything (D-44)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import psycopg
import pytest

from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.sealing import SealRefused
from paymatch.usecases import callbacks
from paymatch.usecases.matching.assigning import Part, match, unmatch
from paymatch.usecases.refunds import refund_runs, refunds
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

PAYER, GIVEN = "DE75512108001245126199", "DE02120300000000202051"


@pytest.fixture
def books(migrated_url: str) -> Iterator[Books]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    yield Books(database, shops.create(database, "Sealed", Books.now, ibans=[ACCOUNT]).shop)
    database.close()


PLANNED = date(2026, 3, 16)  # a Monday


def _refund(reference: str) -> SubmittedRefund:
    return SubmittedRefund(reference, 500, EUR, 2, PLANNED)


def _dump(url: str) -> dict[str, str]:
    """All that each table holds, as text; of the attacker who has a copy of the database."""
    with psycopg.connect(url) as connection:
        tables = [row[0] for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        found = {}
        for table in tables:
            rows = connection.execute(f"SELECT t::text FROM {table} t".encode()).fetchall()
            # A bytea is shown as hexadecimal digits: a file that is not sealed would hide in them.
            found[table] = "\n".join(text for (text,) in rows)
    return found


def test_copy_of_the_database_tells_no_account_and_no_secret(books: Books, migrated_url: str) -> None:
    for number in ("A", "B"):
        books.order(number, "10.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "order A", counterparty_iban=PAYER)))
    books.bring(
        camt(CamtMessage.NOTIFICATION, paid(1000, "order A", counterparty_iban=PAYER), paid(700, "who knows"), number=2)
    )
    (posting,) = [row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 700")]
    match(books.database, books.shop, posting, [Part("B")], books.now)
    unmatch(books.database, books.shop, posting, books.now)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        refunds.create(tx, "A", _refund("R-1"))
        second = refunds.create(tx, "A", _refund("R-2"))
        refunds.set_iban(tx, _id_of(second), GIVEN, "Eva Muster")
        code, secret = shops.show_secrets(tx)
        newer = callbacks.rotate_secret(tx)
    refund_runs.run(books.database, books.shop, books.now, day=PLANNED)
    dump = _dump(migrated_url)
    assert books.rows("SELECT count(*) FROM statement_lines WHERE shop_id = $1") != [(0,)]
    for hidden in (PAYER, GIVEN, code, secret, newer, secret.removeprefix("whsec_"), newer.removeprefix("whsec_")):
        for form in (hidden, hidden.encode().hex(), hidden[4:]):
            assert [table for table, text in dump.items() if form in text] == [], hidden


def _id_of(document: str) -> str:
    return document.partition('"id":"')[2].partition('"')[0]


def test_account_moved_to_another_column_or_shop_is_refused(books: Books, migrated_url: str) -> None:
    books.order("A", "10.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "order A", counterparty_iban=PAYER)))
    with books.database.of_shop(books.shop, at=books.now) as tx:
        refund = _id_of(refunds.create(tx, "A", _refund("R-1")))
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        moved = connection.execute(
            "SELECT counterparty_iban FROM postings WHERE shop_id = %s", (books.shop.id,)
        ).fetchone()
        assert moved is not None
        connection.execute("UPDATE refunds SET iban = %s WHERE shop_id = %s", (moved[0], books.shop.id))
    with (
        books.database.of_shop(books.shop, at=books.now) as tx,
        pytest.raises(SealRefused, match=r"^A value in refunds.iban was changed, or belongs to another"),
    ):
        refunds.cancel(tx, refund)
    other = shops.create(books.database, "Other", books.now).shop
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        moved = connection.execute("SELECT webhook_secret FROM shops WHERE shop_id = %s", (books.shop.id,)).fetchone()
        assert moved is not None
        connection.execute("UPDATE shops SET webhook_secret = %s WHERE shop_id = %s", (moved[0], other.id))
    with (
        books.database.of_shop(other) as tx,
        pytest.raises(SealRefused, match=r"^A value in shops.webhook_secret was changed, or belongs"),
    ):
        shops.show_secrets(tx)
