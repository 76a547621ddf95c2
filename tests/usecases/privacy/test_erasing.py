"""Erasing a person: nothing of them is found any more, the books hold, and statements that come again book nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from paymatch.domain.money import EUR
from paymatch.domain.privacy.person import PersonRefused, Sought, sought
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.store.orders import invoices
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.store.privacy.places import by_class
from paymatch.usecases.audit import check_chain, last_entries
from paymatch.usecases.matching.assigning import Part, match, unmatch
from paymatch.usecases.privacy import erasing, exporting
from paymatch.usecases.privacy.erasing import StillNeeded
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.refunds import refund_runs, refunds
from paymatch.usecases.reports import closing
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, DAY, Books, camt, paid
from tests.usecases.privacy.searching import places_with

NAME, EMAIL, STREET, IBAN = "Änne Schmidt", "anne.schmidt@example.org", "Lindenweg 17", "DE75512108001245126199"
OTHER_IBAN = "DE02120300000000202051"
HERS = (NAME, "Aenne Schmidt", "SCHMIDT, ÄNNE", EMAIL, STREET, IBAN, "030 1234567")
ANNE = {
    "customerEmail": EMAIL, "customerNumber": "K-17",
    "billing": {"firstName": "Änne", "lastName": "Schmidt", "street": STREET, "postCode": "10115", "city": "Berlin",
                "countryCode": "DE", "phone": "030 1234567"},
}  # fmt: skip
BERND = {
    "customerEmail": "bernd@example.org",
    "billing": {"firstName": "Bernd", "lastName": "Beispiel", "street": "Eichenweg 3", "countryCode": "DE"},
}  # fmt: skip


@dataclass
class World:
    books: Books
    url: str
    folder: Path

    @property
    def folders(self) -> Folders:
        return Folders([self.folder / "drop"])

    @property
    def files(self) -> DirectoryFiles:
        return DirectoryFiles(self.folder / "files")

    def erase(self, asked: Sought | None = None, **more: Any) -> erasing.Erasure:
        who = asked or sought(email=EMAIL)
        now = self.books.now + timedelta(days=30)
        return erasing.erase(self.books.database, self.books.shop, who, self.files, self.folders, now, **more)

    def found(self, *wanted: str) -> set[str]:
        return places_with(self.url, *(wanted or HERS), folder=self.folder)

    def run(self, statement: str, *params: Any) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode(), params)


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[World]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    (tmp_path / "drop").mkdir()
    shop = shops.create(database, "Forgetful", Books.now - timedelta(days=60), ibans=[ACCOUNT]).shop
    yield World(Books(database, shop), migrated_url, tmp_path)
    database.close()


STATEMENT = camt(
    CamtMessage.STATEMENT,
    paid(1000, "order A-1 Änne Schmidt", counterparty_name="Aenne Schmidt", counterparty_iban=IBAN, end_to_end_id="E1"),
    paid(1000, "order B-1", counterparty_name="Bernd Beispiel", counterparty_iban=OTHER_IBAN),
    paid(700, "who knows", counterparty_name="Schmidt, Änne", counterparty_iban=IBAN),
)


def live(world: World) -> None:
    """Orders, payments, a refund with its transfer, decisions by hand, and what is noted beside them."""
    books = world.books
    books.order("A-1", "10.00", **ANNE, items=[{"number": "4", "name": f"Mug for {NAME}"}])
    books.order("A-2", "7.00", **ANNE)
    books.order("B-1", "10.00", **BERND)
    books.bring(STATEMENT)
    (posting,) = [row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 700")]
    for _ in range(2):
        match(books.database, books.shop, posting, [Part("A-2")], books.now)
        unmatch(books.database, books.shop, posting, books.now)
    match(books.database, books.shop, posting, [Part("A-2")], books.now)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        refunds.create(tx, "A-1", SubmittedRefund("R-1", 500, EUR, 2, DAY + timedelta(6)))
        key = world.files.put(f"%PDF {NAME}".encode(), "pdf")
        invoices.add(tx, InvoiceRow("A-1", "I-1", key, "application/pdf", 20, b"x"), books.now)
    refund_runs.run(books.database, books.shop, books.now, day=DAY + timedelta(6))
    _booked_refund(world)
    _noted(world)
    (world.folder / "drop" / "march.xml").write_bytes(STATEMENT)
    (world.folder / "drop" / "other.xml").write_bytes(b"<Document>nobody</Document>")


def _booked_refund(world: World) -> None:
    ((end_to_end_id,),) = world.books.rows("SELECT end_to_end_id FROM transfers WHERE shop_id = $1")
    debit = paid(-500, "Refund R-1", counterparty_name="Änne Schmidt", counterparty_iban=IBAN,
                 end_to_end_id=end_to_end_id, booking_date=DAY + timedelta(7))  # fmt: skip
    world.books.bring(camt(CamtMessage.STATEMENT, debit, number=2, days=(DAY + timedelta(7),), opening=2700))


def _noted(world: World) -> None:
    """What clerks, receivers and requests leave behind."""
    shop, vault = world.books.shop.id, KEYRING.vault(world.books.shop.id)
    world.run("INSERT INTO order_comments VALUES (%s, 'A-1', 1, 'Cora', %s, now())", shop, f"{NAME} called")
    world.run("INSERT INTO order_comments VALUES (%s, 'B-1', 1, 'Cora', %s, now())", shop, f"not {NAME}, but Bernd")
    world.run("INSERT INTO alerts (shop_id, id, kind, subject, text, created_at, code, named)"
              " VALUES (%s, 'al_1', 'mail-refused', 'm', '', now(), 'x', %s)", shop,
              json.dumps({"address": EMAIL}))  # fmt: skip
    world.run("INSERT INTO order_changes VALUES (%s, 'A-1', 1, now(), 'key', 'k', %s)", shop,
              json.dumps({"customerNumber": ["", NAME]}))  # fmt: skip
    body = json.dumps([{"number": "X", **ANNE}], ensure_ascii=False)
    world.run("INSERT INTO api_requests VALUES (%s, now(), 'r1', 'k', 'POST', '/orders', '', '', 400, 1, %s, '')", shop,
              vault.seal("api_requests.sent", body))  # fmt: skip
    world.run("INSERT INTO api_requests VALUES (%s, now(), 'r2', 'k', 'GET', '/orders', %s, '', 200, 1, '', '')", shop,
              "q=%C3%84nne+Schmidt")  # fmt: skip
    world.run("INSERT INTO mails (shop_id, id, order_number, dunning_level, status, message_id, recipient, subject,"
              " content, fee_minor, created_at, finished_at) VALUES (%s, 'm1', 'A-1', 0, 'SENT', 'x', %s, 's', %s, 0,"
              " now(), now())", shop, EMAIL, f"Dear {NAME}".encode())  # fmt: skip
    world.run("UPDATE orders SET payment_info_at = now() WHERE number = 'A-1'")
    world.run("INSERT INTO import_errors (shop_id, import_id, position, line, reason, raw, resolved_by, statement_id)"
              " VALUES (%s, 'imp', 1, 1, 'torn', %s, '', '')", shop,
              vault.seal("import_errors.raw", f"<Nm>{NAME}</Nm>"))  # fmt: skip
    world.run("INSERT INTO payer_rules (shop_id, id, action, name, author, made_at)"
              " VALUES (%s, 'rule', 'set-aside', 'SCHMIDT AENNE', 'Cora', now())", shop)  # fmt: skip
    world.run("UPDATE postings SET aside_reason = %s WHERE shop_id = %s AND amount_minor = -500", f"for {NAME}", shop)


def books_of(world: World) -> tuple[Any, ...]:
    """All that a bookkeeper knows: amounts, days, states, who was credited what."""
    rows = world.books.rows
    return (
        world.books.postings(),
        rows("SELECT posting_id, order_number, amount_minor, kind FROM allocations WHERE shop_id = $1 ORDER BY 1, 2"),
        rows("SELECT number, status, amount_minor, postings_minor, refunded_minor FROM orders WHERE shop_id = $1"
             " ORDER BY 1"),
        rows("SELECT reference, amount_minor, status FROM refunds WHERE shop_id = $1"),
        rows("SELECT count(*) FROM statement_lines WHERE shop_id = $1"),
    )  # fmt: skip


def test_nothing_of_the_person_is_found_and_the_books_hold(world: World) -> None:
    live(world)
    before = books_of(world)
    assert {"orders.doc", "orders.billed_to", "statement_lines.facts", "refunds.iban", "transfer_files.content",
            "shops.learnt", "mails.content", "api_requests.sent", "import_errors.raw"} <= world.found()  # fmt: skip
    done = world.erase()
    assert world.found() == set()
    assert books_of(world) == before
    world.books.sound()
    assert (len(done.person.target.orders), len(done.person.target.postings)) == (2, 3)
    assert done.files == {"invoices": 1, "files redacted": 1}
    assert (world.folder / "drop" / "other.xml").read_bytes() == b"<Document>nobody</Document>"
    assert list((world.folder / "files").rglob("*.pdf")) == []


def test_others_keep_what_is_theirs(world: World) -> None:
    live(world)
    world.erase()
    for text in ("Bernd Beispiel", "bernd@example.org", "Eichenweg 3", OTHER_IBAN):
        assert world.found(text), text
    rows = world.books.rows("SELECT order_number, said FROM order_comments WHERE shop_id = $1")
    assert rows == [("B-1", "not [erased], but Bernd")]


def test_statements_that_come_again_book_nothing(world: World) -> None:
    live(world)
    before = books_of(world)[:4]
    world.erase()
    again = world.books.bring(STATEMENT.replace(b"<MsgId>", b"<MsgId>x"))
    more = world.books.bring(
        camt(CamtMessage.NOTIFICATION, paid(1000, "order A-1 Änne Schmidt", counterparty_name="AENNE SCHMIDT",
                                        counterparty_iban=IBAN, end_to_end_id="E1"))
    )  # fmt: skip
    assert (again.new, more.new) == (0, 0)
    assert books_of(world)[:4] == before
    assert world.found() == set(), "what comes again is kept forgotten"
    world.books.sound()
    twin = world.books.bring(camt(CamtMessage.STATEMENT, paid(1000, "order A-1 Änne Schmidt", counterparty_iban=IBAN,
                             booking_date=DAY + timedelta(1)), number=9, days=(DAY + timedelta(1),)))  # fmt: skip
    assert twin.new == 1, "another day is another payment"


def test_deed_says_nothing_of_the_person_and_the_chain_stands(world: World) -> None:
    live(world)
    done = world.erase()
    chain = check_chain(world.books.database, world.books.shop)
    assert (chain.fault, chain.links_only) == ("", 0)
    assert chain.erased == done.rows["audit_log"] > 0
    (entry,) = last_entries(world.books.database, world.books.shop, done.id, 5)
    assert entry["action"] == "person-erased"
    assert json.loads(bytes(entry["after"]))["rows"] == by_class(done.rows)


def test_preview_changes_nothing(world: World) -> None:
    live(world)
    places = world.found()
    planned = erasing.preview(
        world.books.database, world.books.shop, sought(email=EMAIL), world.folders, world.books.now
    )
    assert world.found() == places
    done = world.erase()
    assert dict(planned.rows) == dict(done.rows)
    assert planned.person.names == done.person.names


@pytest.mark.parametrize(
    "asked", [sought(email=EMAIL.upper()), sought(name="schmidt  änne"), sought(customer="K-17"), sought(iban=IBAN)]
)
def test_person_is_found_by_each_of_their_marks(world: World, asked: Sought) -> None:
    world.books.order("A-1", "10.00", **ANNE)
    world.books.order("B-1", "10.00", **BERND)
    world.books.bring(STATEMENT)
    done = world.erase(asked, although_open=True)
    assert done.person.target.orders == ("A-1",)
    assert world.found() == set()


def test_open_orders_are_refused(world: World) -> None:
    world.books.order("A-1", "10.00", **ANNE)
    with pytest.raises(StillNeeded, match="Something is still open: order A-1 is UNPAID"):
        world.erase()
    assert world.found() == {"orders.doc", "orders.billed_to", "order_search.words"}
    with pytest.raises(PersonRefused, match="No one was found"):
        world.erase(sought(email="nobody@example.org"))
    with pytest.raises(PersonRefused, match="Name the person"):
        sought()


def test_namesakes_keep_their_name(world: World) -> None:
    world.books.order("A-1", "10.00", **ANNE)
    world.books.order("C-1", "10.00", customerEmail="other@example.org",
                      billing={"firstName": "Änne", "lastName": "Schmidt", "countryCode": "DE"})  # fmt: skip
    done = world.erase(although_open=True)
    assert done.shown()["sharedWithOthers"] == ["name"]
    assert world.found(EMAIL, STREET) == set()
    assert world.found(NAME) == {"orders.doc", "orders.billed_to"}


def test_order_that_is_submitted_again_is_new_data(world: World) -> None:
    live(world)
    world.erase()
    world.books.order("A-1", "10.00", **ANNE)
    assert world.found(EMAIL) == {"orders.doc"}
    assert world.books.status("A-1") == "REFUNDED_PARTIAL"


def test_export_is_complete_and_of_that_person_only(world: World) -> None:
    live(world)
    data = exporting.export(world.books.database, world.books.shop, sought(customer="K-17"), world.books.now)
    text = json.dumps(data, ensure_ascii=False, default=str)
    for own in ("A-1", "A-2", NAME, EMAIL, STREET, IBAN, f"Dear {NAME}", f"{NAME} called", f"not {NAME}", "who knows"):
        assert own in text, own
    for foreign in ("Bernd Beispiel", "bernd@example.org", OTHER_IBAN, "Eichenweg"):
        assert foreign not in text, foreign
    assert exporting.as_pdf(data).startswith(b"%PDF")


def test_closed_month_that_named_the_person_is_sealed_anew(world: World) -> None:
    live(world)
    late = world.books.now + timedelta(days=60)
    closing.close(world.books.database, world.books.shop, DAY.replace(day=1), late)
    with world.books.database.of_shop(world.books.shop) as tx:
        before = closing.list_closed_months(tx)
    done = world.erase()
    with world.books.database.of_shop(world.books.shop) as tx:
        (month,) = closing.list_closed_months(tx)
    assert (month["seal"], month["changes"]) == ("holds", 0)
    assert done.resealed == {"2026-03": month["hash"]}
    assert before[0]["hash"] != month["hash"]
    assert world.found() == set()


def test_account_that_pays_for_others_stays_theirs(world: World) -> None:
    world.books.order("A-1", "10.00", **ANNE)
    world.books.order("B-1", "10.00", **BERND)
    his = {"counterparty_name": "Bernd Beispiel", "counterparty_iban": OTHER_IBAN}
    world.books.bring(camt(CamtMessage.STATEMENT, paid(1000, "one", **his), paid(1000, "two", **his)))
    for number, row in zip(("A-1", "B-1"), world.books.rows("SELECT id FROM postings WHERE shop_id = $1"), strict=True):
        match(world.books.database, world.books.shop, row[0], [Part(number)], world.books.now)
    with pytest.raises(PersonRefused, match="The account has paid for several customers"):
        world.erase(sought(iban=OTHER_IBAN))
    done = world.erase()
    assert (len(done.person.target.postings), done.person.target.ibans) == (1, ())
    assert "postings.counterparty_iban" in world.found(OTHER_IBAN)
