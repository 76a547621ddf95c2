"""The audit log: who did what, append-only for the service, a chain that shows what was changed since (D-45)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.row_security import APP, OPERATOR
from paymatch.store.service_role import service_url
from paymatch.usecases import callbacks
from paymatch.usecases.audit import check_chain, last_entries
from paymatch.usecases.matching.assigning import Part, ignore, match, unmatch
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import accounts, imports
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

ANNA = Actor(ActorKind.COMMAND, "anna", "192.0.2.7", "req-1")
OTHER_IBAN = "DE02120300000000202051"


@dataclass
class Log:
    """A shop's log, and the database's superuser as who attacks it."""

    books: Books
    url: str

    @property
    def entries(self) -> list[tuple[str, str, Any, Any]]:
        """(entry, subject, before, after), oldest first."""
        rows = last_entries(self.books.database, self.books.shop, "", 1000)
        return [(row["action"], row["subject"], _text(row["before"]), _text(row["after"])) for row in reversed(rows)]

    @property
    def fault(self) -> str:
        return check_chain(self.books.database, self.books.shop).fault

    def mark(self, *numbers: str) -> None:
        for number in numbers:
            with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
                orders.set_paid(tx, number)

    def attack(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode(), (self.books.shop.id,))


def _text(value: Any) -> str | None:
    return None if value is None else bytes(value).decode()


@pytest.fixture
def log(migrated_url: str) -> Iterator[Log]:
    owner = Database(migrated_url, size=4, actor=ANNA, keyring=KEYRING)
    shop = shops.create(owner, "Audited", Books.now - timedelta(days=60), ibans=[ACCOUNT]).shop
    books = Books(owner, shop)
    for number in ("A", "B", "C"):
        books.order(number, "10.00")
    yield Log(books, migrated_url)
    owner.close()


def test_deeds_say_who_did_what_to_which_order(log: Log) -> None:
    with log.books.database.of_shop(log.books.shop, at=log.books.now) as tx:
        orders.set_paid(tx, "A")
        orders.set_unpaid(tx, "A")
        orders.cancel(tx, "A")
    row = last_entries(log.books.database, log.books.shop, "A", 1)[0]
    who = (row["actorKind"], row["actor"], row["address"], row["requestId"])
    assert who == ("command", "anna", "192.0.2.7", "req-1")
    assert log.entries[-3:] == [
        ("order-marked", "A", '{"mark":null}', '{"by":"set paid","mark":"PAID"}'),
        ("order-marked", "A", '{"mark":"PAID"}', '{"by":"set unpaid","mark":null}'),
        ("order-marked", "A", '{"mark":null}', '{"by":"cancelled","mark":"CANCELLED"}'),
    ]
    assert log.fault == ""


def test_submitting_orders_is_not_recorded(log: Log) -> None:
    assert [entry for entry, *_ in log.entries] == ["shop-created", "key-created"]


def test_a_changed_amount_is_recorded_with_old_and_new(log: Log) -> None:
    log.books.order("A", "12.50")
    log.books.order("A", "12.50", customerNumber="7")
    assert [row for row in log.entries if row[1] == "A"] == [
        ("order-amount-changed", "A", '{"amount":"10.00 EUR"}', '{"amount":"12.50 EUR"}')
    ]


def test_a_match_is_recorded_with_fee_kind_and_currency(log: Log) -> None:
    books = log.books
    books.bring(camt(CamtMessage.STATEMENT, paid(970, "nothing to go by", counterparty_name="Someone Else")))
    (posting,) = [row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1")]
    match(books.database, books.shop, posting, [Part("B", 970, 30, FeeKind.COMMISSION)], books.now)
    assert log.entries[-1][3] == '{"orders":{"B":"9.70 EUR (COMMISSION 0.30 EUR)"}}'


def test_refused_deed_is_not_recorded(log: Log) -> None:
    log.mark("A")
    before = log.entries
    with pytest.raises(OrderRefused, match="already in paymentStatus PAID"):
        log.mark("A")
    assert log.entries == before


def test_matches_are_recorded(log: Log) -> None:
    books = log.books
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "nothing to go by", counterparty_name="Someone Else")))
    (posting,) = [row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1")]
    match(books.database, books.shop, posting, [Part("B")], books.now)
    unmatch(books.database, books.shop, posting, books.now)
    ignore(books.database, books.shop, posting, "a gift", books.now)
    (file,) = [row[0] for row in books.rows("SELECT id FROM imports WHERE shop_id = $1")]
    assert [row for row in log.entries if row[1] == posting] == [
        ("posting-matched", posting, '{"orders":[]}', '{"orders":{"B":"10.00 EUR"}}'),
        ("posting-unmatched", posting, '{"orders":["B"]}', None),
        ("posting-decided", posting, '{"status":"suggested"}', '{"reason":"a gift","status":"ignored"}'),
    ]
    assert [row[0] for row in log.entries if row[1] == file] == ["statement-imported"]


def test_settings_and_keys_are_deeds_and_secrets_stay_out(log: Log) -> None:
    books = log.books
    with books.database.of_shop(books.shop, at=books.now) as tx:
        shops.change(tx, {"tolerance": "0.50", "callback-access-code": "very-secret-code"})
        key = shops.create_key(tx, label="till")
        secret = callbacks.rotate_secret(tx)
        code, shown = shops.show_secrets(tx)
    accounts.add(books.database, books.shop, OTHER_IBAN, "EUR", books.now)
    assert (code, shown) == ("very-secret-code", secret)
    said = log.entries[2:]
    assert said[0] == (
        "settings-changed", "shop", '{"callback_access_code":"(secret)","tolerance_minor":0}',
        '{"callback_access_code":"(secret)","tolerance_minor":50}',
    )  # fmt: skip
    assert [entry for entry, *_ in said[1:]] == [
        "key-created", "credentials-rotated", "credentials-shown", "account-added",
    ]  # fmt: skip
    text = str(log.books.rows("SELECT * FROM audit_log WHERE shop_id = $1"))
    key_itself = key.rpartition("_")[2]
    for hidden in ("very-secret-code", key_itself, secret.removeprefix("whsec_"), OTHER_IBAN, ACCOUNT):
        assert hidden not in text
    assert said[-1][1] == "DE02…2051"


@pytest.mark.parametrize("role", [APP, OPERATOR])
@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE audit_log SET actor = 'someone else'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "DELETE FROM audit_heads",
        "TRUNCATE audit_heads",
    ],
)
def test_service_cannot_change_what_was_recorded(migrated_url: str, role: str, attack: str) -> None:
    with psycopg.connect(service_url(migrated_url, "not a secret in tests")) as connection:
        connection.execute(f"SET ROLE {role}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(attack.encode())


_ROW = "WHERE shop_id = %s AND seq = 3"
_A_MOMENT_LATER = "(at AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC'"


@pytest.mark.parametrize(
    ("attack", "fault"),
    [
        (f"UPDATE audit_log SET actor = 'bert' {_ROW}", "entry 3 or the one before it was changed"),
        (f"UPDATE audit_log SET at = {_A_MOMENT_LATER} {_ROW}", "entry 3 or the one before it was changed"),
        (f"UPDATE audit_log SET subject = 'C' {_ROW}", "entry 3 or the one before it was changed"),
        (f"UPDATE audit_log SET after = '' {_ROW}", "the values of entry 3 were changed"),
        (f"UPDATE audit_log SET salt = '' {_ROW}", "the values of entry 3 were changed"),
        (f"UPDATE audit_log SET digest = '' {_ROW}", "entry 3 or the one before it was changed"),
        (f"UPDATE audit_log SET digest = '', erased_at = now() {_ROW}", "entry 3 or the one before it was changed"),
        (f"UPDATE audit_log SET erased_at = now() {_ROW}", "entry 3 was erased, and has values"),
        (f"UPDATE audit_log SET hash = sha256('x') {_ROW}", "entry 3 or the one before it was changed"),
        (f"DELETE FROM audit_log {_ROW}", "entry 3 is missing"),
        ("DELETE FROM audit_log WHERE shop_id = %s AND seq = 1", "entry 1 is missing"),
        ("DELETE FROM audit_log WHERE shop_id = %s AND seq = 5", "the last entries are missing: 4 of 5 stand"),
        ("DELETE FROM audit_log WHERE shop_id = %s", "the last entries are missing: 0 of 5 stand"),
    ],
)
def test_change_by_a_superuser_is_seen(log: Log, attack: str, fault: str) -> None:
    log.mark("A", "B", "C")
    assert log.fault == ""
    log.attack(attack)
    assert log.fault == fault


def test_deeds_in_another_order_are_seen(log: Log) -> None:
    log.mark("A", "B", "C")
    for statement in (
        "ALTER TABLE audit_log DROP CONSTRAINT audit_log_pkey",
        "UPDATE audit_log SET seq = 7 - seq WHERE seq IN (3, 4)",
    ):
        with psycopg.connect(log.url, autocommit=True) as connection:
            connection.execute(statement.encode())
    assert log.fault == "entry 3 or the one before it was changed"


def test_chain_that_was_computed_anew_is_seen_against_a_noted_head(log: Log) -> None:
    log.mark("A", "B")
    found = check_chain(log.books.database, log.books.shop)
    noted = (found.entries, found.hash)
    log.mark("C")
    assert check_chain(log.books.database, log.books.shop, noted).fault == ""
    log.attack("DELETE FROM audit_log WHERE shop_id = %s")
    log.attack("DELETE FROM audit_heads WHERE shop_id = %s")
    assert log.fault == ""
    assert (
        check_chain(log.books.database, log.books.shop, noted).fault
        == "entry 4, which was recorded elsewhere, is missing"
    )


def test_deeds_at_once_make_one_chain(log: Log) -> None:
    books = log.books
    for place in range(40):
        books.order(f"N{place}", "10.00")

    def work(first: int) -> None:
        log.mark(*(f"N{place}" for place in range(first, 40, 4)))

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = check_chain(books.database, books.shop)
    assert (found.entries, found.fault) == (42, "")


def test_undone_import_is_recorded(log: Log) -> None:
    books = log.books
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "nothing to go by")))
    (file,) = [row[0] for row in books.rows("SELECT id FROM imports WHERE shop_id = $1")]
    imports.undo_import(books.database, books.shop, file, books.now)
    assert log.entries[-1] == ("import-undone", file, '{"orders":[],"postings":1}', None)
