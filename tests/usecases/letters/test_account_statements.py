"""Statements of account: they add up to the cent, hold one customer only, and go out in the customer's language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import msgspec
import pypdfium2
import pytest

from paymatch.domain.privacy.person import sought
from paymatch.domain.reminders.account_statement import AccountStatementRefused
from paymatch.domain.reports.asked import ask, report_of
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.formats.letters.letter import write_letter
from paymatch.formats.mail.message import plain_text
from paymatch.outbound.files import DirectoryFiles
from paymatch.outbound.mail.outgoing import MailNotSent
from paymatch.store.database import Database
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import last_entries
from paymatch.usecases.customers import notices
from paymatch.usecases.letters import account_statements as statements
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.privacy import erasing
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.reports import reports
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world

ERIKA = statements.customer_of_number("K-17")


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    """K-17 owes 30.00 of A-1 after a part, a reminder fee of 2.50 for it, and 20.00 of A-2, which is not due yet."""
    found = new_world(database)
    found.plan(levels="7:2.50", grace_days="7")
    erika = {"customerNumber": "K-17", "customerEmail": "Erika@example.com", "language": "en"}
    found.order("A-1", "49.90", **erika)
    found.go_to("2026-03-16 10:00")
    pay(found, date(2026, 3, 13), 0, 1990, "A-1")
    found.send()
    found.order("A-2", "20.00", dueDate="09-05-2026", **(erika | {"customerEmail": "erika@EXAMPLE.com"}))
    return found


def pay(world: MailWorld, day: date, opening: int, minor: int, number: str) -> None:
    """A payment that a clerk matches to the order."""
    world.statement(day, opening, (minor, number))
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1 AND booking_date = $2", day)
    assigning.match(world.database, world.shop, posting, [Part(number, minor)], world.now)


def text_of(pdf: bytes) -> str:
    """All its text on one line."""
    found = " ".join(page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(pdf))
    return " ".join(found.split())


def pdf_of(tx: ShopTx, customer: str, day: date | None = None, address: str = "") -> str:
    found = statements.statement_of(tx, customer, day or tx.today, address)
    return text_of(write_letter(statements.letter_of(tx, found)).pdf)


def customers(tx: ShopTx) -> dict[str, tuple[str, int, int, int]]:
    """Key -> what the report has of the customer."""
    wanted = report_of("customers")
    return {
        row["_customer"]: (row["customerNumber"], row["orders"], row["overdue"], row["open"])
        for row in reports.rows(tx, wanted, ask(wanted, tx.today))
    }


def test_the_pdf_adds_up_to_the_cent_and_to_the_report(world: MailWorld) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        found = pdf_of(tx, ERIKA)
        assert customers(tx) == {ERIKA: ("K-17", 2, 3000, 5000)}
        assert statements.customer_of_order(tx, "A-2") == ERIKA
    assert "Statement of account of 16 March 2026" in found and "K-17" in found
    cents = [int(each.replace(".", "")) for each in re.findall(r"€(\d+\.\d\d)", found)]
    amounts = {"A-1": (4990, 1990, 3000), "A-2": (2000, 0, 2000)}
    assert cents[:6] == [*amounts["A-1"], *amounts["A-2"]]
    open_, overdue, fees, total, asked_for = cents[6:]
    assert (open_, overdue, fees, total) == (sum(row[2] for row in amounts.values()), 3000, 250, open_ + fees)
    assert asked_for == total
    assert "DE89 3704 0044 0532 0130 00" in found


def test_it_is_written_in_each_language_of_customers(world: MailWorld) -> None:
    titles = {
        "de": "Offene-Posten-Liste vom 16. März 2026", "en": "Statement of account of 16 March 2026",
        "es": "Extracto de cuenta del 16 de marzo de 2026", "fr": "Relevé de compte du 16 mars 2026",
        "it": "Estratto conto del 16 marzo 2026", "nl": "Rekeningoverzicht van 16 maart 2026",
        "pl": "Zestawienie należności z dnia 16 marca 2026",
    }  # fmt: skip
    assert titles.keys() == set(LANGUAGES)
    for place, (language, title) in enumerate(titles.items()):
        world.order(f"L-{language}", "10.00", customerNumber=f"L{place}", language=language)
        with world.database.of_shop(world.shop, at=world.now) as tx:
            assert title in pdf_of(tx, statements.customer_of_number(f"L{place}"))


def test_it_is_mailed_in_the_customers_language_and_recorded(world: MailWorld) -> None:
    before = len(world.door.sent)
    sent = statements.mail_statement(world.database, world.shop, world.door, ERIKA, world.now)
    (mail,) = world.door.sent[before:]
    assert (mail.recipient, sent.delivered) == ("erika@example.com", True)
    message = message_from_bytes(mail.content, policy=policy.default)
    assert message["Subject"] == sent.subject == "Mail: your statement of account of 16 March 2026"
    assert message["Content-Language"] == "en"
    assert re.search(r"Total to pay: +€52.50", plain_text(mail.content))
    (attached,) = message.iter_attachments()
    assert attached.get_filename() == "statement-2026-03-16.pdf"
    assert "€52.50" in text_of(attached.get_content())
    entry = last_entries(world.database, world.shop, ERIKA, 1)[0]
    assert entry["action"] == "account-statement-sent"
    assert msgspec.json.decode(entry["after"]) == {
        "to": "erika@example.com", "day": "2026-03-16", "orders": ["A-1", "A-2"], "open": ["50.00 EUR"],
        "total": ["52.50 EUR"],
    }  # fmt: skip
    again = statements.mail_statement(world.database, world.shop, world.door, ERIKA, world.now)
    assert again.message_id == sent.message_id


def test_what_cannot_be_mailed_is_refused_and_not_recorded(world: MailWorld) -> None:
    def refused(customer: str = ERIKA) -> str:
        count = len(last_entries(world.database, world.shop, customer, 9)), len(world.door.sent)
        with pytest.raises(AccountStatementRefused) as error:
            statements.mail_statement(world.database, world.shop, world.door, customer, world.now)
        assert (len(last_entries(world.database, world.shop, customer, 9)), len(world.door.sent)) == count
        return str(error.value)

    assert refused("0" * 32) == "This customer has no open order on that day"
    world.door.failure = MailNotSent("full", permanent=False)
    assert refused() == "The mail was not sent: full"
    world.door.failure = None
    with world.database.of_shop(world.shop, at=world.now) as tx:
        notices.say_wrong_person(tx, "A-2")
    assert refused() == "The recipient at erika@example.com said that the orders are not theirs"


def test_a_number_that_several_people_share_shows_none_of_them_the_others_orders(world: MailWorld) -> None:
    """Guests have the number 0, and an order is forged with the number of another customer."""
    guests = statements.customer_of_number("0")
    for number, email in (("G-1", "eve@example.com"), ("G-2", "adam@example.com"), ("G-3", "Adam@example.com")):
        world.order(number, "10.00", customerNumber="0", customerEmail=email, language="en")
    world.order("F-1", "1.00", customerNumber="K-17", customerEmail="mallory@example.com")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        for customer in (guests, ERIKA):
            with pytest.raises(AccountStatementRefused) as refused:
                statements.statement_of(tx, customer, tx.today)
            assert len(refused.value.allowed) == 2
        assert statements.statement_of(tx, guests, tx.today, "adam@example.com").numbers == ["G-2", "G-3"]
        assert statements.statement_of(tx, ERIKA, tx.today, "mallory@example.com").numbers == ["F-1"]
        assert statements.statement_of(tx, ERIKA, tx.today, "erika@example.com").numbers == ["A-1", "A-2"]
        with pytest.raises(AccountStatementRefused):
            statements.statement_of(tx, ERIKA, tx.today, "eve@example.com")


def test_an_order_without_an_e_mail_address_is_shown_where_its_postal_address_is(world: MailWorld) -> None:
    """Guests share the number 0; a regular customer has ordered once by telephone."""
    home = {"lastName": "Muster", "street": "Weg 1", "postCode": "10115", "city": "Berlin", "countryCode": "DE"}
    other = home | {"lastName": "Fremd", "street": "Gasse 9"}
    for number, guest, email, billing in (
        ("P-1", "K-1", "eve@example.com", home), ("P-2", "K-1", "", home),
        ("G-1", "0", "eve@example.com", home), ("G-2", "0", "", other),
    ):  # fmt: skip
        world.order(number, "10.00", customerNumber=guest, customerEmail=email or None, billing=billing)
    regular, guests = statements.customer_of_number("K-1"), statements.customer_of_number("0")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert statements.statement_of(tx, regular, tx.today).numbers == ["P-1", "P-2"]
        with pytest.raises(AccountStatementRefused) as refused:
            statements.statement_of(tx, guests, tx.today)
        assert list(refused.value.allowed) == ["eve@example.com"]
        assert statements.statement_of(tx, guests, tx.today, "eve@example.com").numbers == ["G-1"]


def test_an_address_on_paper_is_that_of_all_orders_or_none(world: MailWorld) -> None:
    """An order with the victim's e-mail address and another postal address leads no letter there."""
    home = {"lastName": "Muster", "street": "Weg 1", "postCode": "10115", "city": "Berlin", "countryCode": "DE"}
    world.order("M-1", "10.00", customerEmail="max@example.com", billing=home)
    world.order("M-2", "10.00", customerEmail="MAX@example.com", billing=home)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        max_ = statements.customer_of_order(tx, "M-1")
        assert "10115 Berlin" in pdf_of(tx, max_)
    world.order("M-3", "10.00", customerEmail="max@example.com", billing=home | {"street": "Gasse 9"})
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert statements.statement_of(tx, max_, tx.today).numbers == ["M-1", "M-2", "M-3"]
        assert "10115 Berlin" not in pdf_of(tx, max_)


def test_it_shows_a_past_day_as_it_was_known(world: MailWorld) -> None:
    world.now += timedelta(days=1)
    pay(world, world.now.date(), 1990, 2000, "A-2")
    world.now += timedelta(days=1)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert statements.statement_of(tx, ERIKA, tx.today).numbers == ["A-1"]
        assert statements.statement_of(tx, ERIKA, date(2026, 3, 16)).numbers == ["A-1", "A-2"]


def test_an_erased_customer_is_in_no_entry_and_has_no_statement(world: MailWorld, tmp_path: Path) -> None:
    statements.mail_statement(world.database, world.shop, world.door, ERIKA, world.now)
    erasing.erase(
        world.database, world.shop, sought(email="erika@example.com"), DirectoryFiles(tmp_path / "files"),
        Folders([tmp_path]), world.now, although_open=True,
    )  # fmt: skip
    entry = last_entries(world.database, world.shop, ERIKA, 1)[0]
    assert (entry["action"], entry["after"]) == ("account-statement-sent", None)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert ERIKA not in customers(tx)
        with pytest.raises(AccountStatementRefused):
            statements.statement_of(tx, ERIKA, tx.today)
