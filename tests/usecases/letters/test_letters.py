"""Letters from decision to post: exactly one per cause, none to whom has paid, whatever happens on the way (D-52)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from paymatch.domain.money import Currency, Money
from paymatch.domain.reminders.letters import LetterKind, LetterStatus, PostalAddress
from paymatch.domain.shops.colours import READABLE, WHITE, colour_of, contrast
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.codes.swiss_qr import swiss_text
from paymatch.outbound.files import DirectoryFiles
from paymatch.outbound.letters import LetterNotSent, LetterReport, NullLetters, OutgoingLetter, Posted
from paymatch.store.database import Database
from paymatch.store.letters import letters as store
from paymatch.store.letters.letters import LetterRow
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.store.shops.shops import AccountRow
from paymatch.store.statements import statements
from paymatch.usecases.letters import letter_lists, printing
from paymatch.usecases.letters.content import draft
from paymatch.usecases.letters.printing import RunRefused, RunUnknown
from paymatch.usecases.letters.writing import LetterGateways, locked_order, work_due
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import invoices, orders
from paymatch.usecases.orders.images import payment_code
from paymatch.usecases.work.check import check_shop
from tests.contract.test_invoices_and_images import PDF, png
from tests.keys import KEYRING
from tests.languages import WANTED
from tests.usecases.reminders.mail_world import MailWorld, new_world

ADDRESS = {
    "firstName": "Erika", "lastName": "Mustermann", "street": "Heidestr. 17", "postCode": "51147", "city": "Köln",
    "countryCode": "DE",
}  # fmt: skip


@dataclass
class Provider:
    """Takes letters, or fails as `failure` says."""

    delivers: bool = True
    reports: bool = True
    failure: LetterNotSent | None = None
    said: LetterReport = field(default_factory=lambda: LetterReport(Posted.ACCEPTED))
    sent: list[OutgoingLetter] = field(default_factory=list)

    def send(self, letter: OutgoingLetter) -> str:
        if self.failure is not None:
            raise self.failure
        self.sent.append(letter)
        return "P-1"

    def report(self, shop: str, letter_id: str) -> LetterReport:
        return self.said

    def close(self) -> None:
        """Nothing to let go of."""


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[MailWorld]:
    database = Database(migrated_url, size=8, keyring=KEYRING)
    world = new_world(database, letters="on", street="Beispielweg", house_number="12", postcode="10115", city="Berlin")
    world.files = DirectoryFiles(tmp_path)  # type: ignore[attr-defined]
    yield world
    database.close()


BASE = "https://shop.example"


def work(world: MailWorld, door: Any = None) -> int:
    """Mails and letters that are due."""
    world.send()
    count = 0
    while done := work_due(world.database, world.shop, LetterGateways(door, world.files, BASE), world.now):  # type: ignore[attr-defined]
        count += done
    return count


def letters(world: MailWorld) -> list[tuple[Any, ...]]:
    """(order, kind, level, status) of all letters, in their order."""
    return world.rows("SELECT order_number, kind, dunning_level, status FROM letters WHERE shop_id = $1 ORDER BY 1")


def reminders(world: MailWorld) -> list[tuple[Any, ...]]:
    """(level, day, fee, by mail, by letter) of all reminders."""
    return world.rows(
        "SELECT dunning_level, sent_date, fee_minor, email, letter FROM reminders WHERE shop_id = $1 ORDER BY 1"
    )


def run(world: MailWorld) -> str | None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        return printing.begin_run(tx)


def printed(world: MailWorld, run_id: str) -> int:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        return printing.mark_printed(tx, run_id)


def first_invoice(world: MailWorld, number: str, invoice: str = "RE-1", content: bytes = PDF, media: str = "") -> None:
    key = world.files.put(content, "pdf")  # type: ignore[attr-defined]
    row = InvoiceRow(number, invoice, key, media or "application/pdf", len(content), b"")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        invoices.add(tx, row, 10**9)


def problems(world: MailWorld) -> list[tuple[str, str, str]]:
    return sorted((each.rule, each.subject, each.text) for each in check_shop(world.database, world.shop))


def test_from_mail_to_letter(world: MailWorld) -> None:
    """Level 1 by mail, level 2 by letter, which counts once it is printed."""
    world.plan(levels="7,+7:2.50", letters_from="2")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    assert (work(world), world.mails(), letters(world)) == (0, [("A-1", 1, "SENT")], [])
    world.statement(date(2026, 3, 20))
    world.go_to("2026-03-23 09:00")
    assert (work(world), letters(world)) == (1, [("A-1", "REMINDER", 2, "SPOOLED")])
    assert reminders(world) == [(1, date(2026, 3, 16), 0, True, False)]
    assert world.held("A-1") == "letter: a letter about it waits to be printed or sent"

    taken = run(world)
    assert taken is not None
    assert run(world) is None  # a letter is in one run
    with world.database.of_shop(world.shop) as tx:
        files = printing.run_files(tx, taken)
        assert files == printing.run_files(tx, taken)
    with pikepdf.open(io.BytesIO(files.pdf)) as pdf:
        assert (len(pdf.pages), files.letters, files.pages) == (1, 1, 1)
    (letter_id,) = world.rows("SELECT id FROM letters WHERE shop_id = $1")[0]
    assert files.index.decode("utf-8-sig").splitlines() == [
        "no,letter,order,kind,first page,pages,country,recipient",
        f'1,{letter_id},A-1,REMINDER,1,1,DE,"Erika Mustermann, Heidestr. 17, 51147 Köln"',
    ]
    world.go_to("2026-03-24 09:00")
    assert printed(world, taken) == 1
    assert reminders(world)[1:] == [(2, date(2026, 3, 24), 250, False, True)]
    assert letters(world) == [("A-1", "REMINDER", 2, "PRINTED")]
    with pytest.raises(RunRefused, match="is printed already"):
        printed(world, taken)
    assert (work(world), world.held("A-1")) == (0, "last-level: all 2 reminders of the plan were sent")
    assert problems(world) == []


def test_customers_whom_no_mail_reaches_get_letters(world: MailWorld) -> None:
    world.plan(letters_without_mail="on")
    world.set(payment_information="on")
    world.order("A-1", customerEmail=None, billing=ADDRESS)
    world.order("A-2", customerEmail=None, billing=ADDRESS | {"street": ""})
    work(world)
    assert letters(world) == [("A-1", "INFORMATION", 0, "SPOOLED")]
    assert world.held("A-2") == "no-address: the order has no customerEmail"
    taken = run(world)
    assert taken is not None
    printed(world, taken)
    assert world.rows("SELECT number FROM orders WHERE shop_id = $1 AND payment_info_at IS NOT NULL") == [("A-1",)]
    assert problems(world) == []


def test_a_letter_says_whom_to_ask_in_a_colour_that_can_be_read(world: MailWorld) -> None:
    """A customer without mail has nothing but the letter; the shop's yellow is a line on it, and no text."""
    world.plan(letters_from="1")
    world.set(accent="#f2c200", contact_phone="+49 30 901820", contact_email="help@shop.example")
    world.order("A-1", customerEmail=None, billing=ADDRESS)
    asked = LetterRow("lt_1", "A-1", LetterKind.INFORMATION, 0, LetterStatus.NEW, "", "DE", 0, 0, world.now)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        order = locked_order(tx, asked, world.now)
        letter = draft(tx, asked, order, store.settings(tx), "").letter
    assert letter is not None
    assert list(letter.details)[-2:] == [("Telefon", "+49 30 901820"), ("E-Mail", "help@shop.example")]
    assert letter.accent == "#f2c200"
    assert contrast(colour_of(letter.accent_text), WHITE) >= READABLE


def test_what_was_paid_meanwhile_is_not_printed(world: MailWorld) -> None:
    world.plan(letters_from="1")
    for number in ("A-1", "A-2", "A-3", "A-4"):
        world.order(number, billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    work(world)
    world.order("A-2", amount="39.90", billing=ADDRESS)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        orders.set_paid(tx, "A-1")
        orders.cancel(tx, "A-3")
    taken = run(world)
    assert letters(world) == [
        ("A-1", "REMINDER", 1, "WITHDRAWN"),
        ("A-2", "REMINDER", 1, "NEW"),  # what is open has changed: it is written anew
        ("A-3", "REMINDER", 1, "WITHDRAWN"),
        ("A-4", "REMINDER", 1, "PRINTING"),
    ]
    assert taken is not None
    work(world)
    assert letters(world)[1] == ("A-2", "REMINDER", 1, "SPOOLED")
    assert problems(world) == []


@pytest.mark.parametrize(("how", "pages"), [("cover", 2), ("as-is", 1), ("off", 0)])
def test_the_first_invoice_goes_by_letter_once(world: MailWorld, how: str, pages: int) -> None:
    world.set(invoice_letters=how)
    world.order("A-1", billing=ADDRESS, customerEmail=None)
    first_invoice(world, "A-1")
    first_invoice(world, "A-1", "RE-2")
    work(world)
    found = world.rows("SELECT kind, invoice_number, status, pages FROM letters WHERE shop_id = $1")
    assert found == ([("INVOICE", "RE-1", "SPOOLED", pages)] if pages else [])
    if pages:
        taken = run(world)
        assert taken is not None
        printed(world, taken)
        first_invoice(world, "A-1", "RE-3")
        assert (work(world), len(letters(world))) == (0, 1)
    assert reminders(world) == []
    assert problems(world) == []


def test_a_picture_of_an_invoice_is_a_page_behind_the_cover(world: MailWorld) -> None:
    world.order("A-1", billing=ADDRESS)
    first_invoice(world, "A-1", content=png(), media="image/png")
    work(world)
    assert world.rows("SELECT status, pages FROM letters WHERE shop_id = $1") == [("SPOOLED", 2)]


def test_an_invoice_without_address_or_readable_file_needs_a_person(world: MailWorld) -> None:
    world.order("A-1", billing=ADDRESS | {"city": ""})
    first_invoice(world, "A-1")
    world.order("A-2", billing=ADDRESS)
    first_invoice(world, "A-2", "RE-2", content=b"%PDF-1.4 broken")
    work(world)
    found = world.rows("SELECT order_number, status, error FROM letters WHERE shop_id = $1 ORDER BY 1")
    assert found == [
        ("A-1", "REFUSED", "the address has no city"),
        ("A-2", "REFUSED", "the invoice cannot be read"),
    ]
    world.order("A-1", billing=ADDRESS)
    (letter_id,) = world.rows("SELECT id FROM letters WHERE shop_id = $1 AND order_number = 'A-1'")[0]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        kinds = [(alert.kind, alert.text) for alert in letter_lists.letter_alerts(tx)]
        letter_lists.try_again(tx, letter_id)
    assert sorted(kinds)[0] == ("letter-refused", "Order A-1: the letter was not sent: the address has no city")
    work(world)
    assert letters(world)[0] == ("A-1", "INVOICE", 0, "SPOOLED")


def test_a_provider_gets_each_letter_once(world: MailWorld) -> None:
    """A process that dies between handing over and recording hands over the same letter under the same id."""
    world.set(letters_by="provider", letter_duplex="on")
    world.plan(letters_from="1", levels="7")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    door = Provider(failure=LetterNotSent("503 not now", permanent=False))
    work(world, door)
    assert world.rows("SELECT status, attempts, error FROM letters WHERE shop_id = $1") == [
        ("SPOOLED", 1, "503 not now")
    ]
    door.failure = None
    world.go_to("2026-03-16 09:30")

    class Killed(BaseException):
        pass

    class Dying(Provider):
        def send(self, letter: OutgoingLetter) -> str:
            door.send(letter)
            raise Killed

    with pytest.raises(Killed):
        work(world, Dying())
    assert (work(world, door), letters(world)) == (0, [("A-1", "REMINDER", 1, "SPOOLED")])  # another process has it
    world.expire_claims()
    assert work(world, door) == 1
    assert letters(world) == [("A-1", "REMINDER", 1, "SENT")]
    (first, second) = door.sent
    assert first == second
    assert (first.pages, first.country, first.duplex, first.colour) == (1, "DE", True, False)
    assert reminders(world) == [(1, date(2026, 3, 16), 0, False, True)]
    for report, status in (
        (LetterReport(Posted.POSTED), "POSTED"),
        (LetterReport(Posted.RETURNED, "unknown"), "RETURNED"),
    ):
        door.said = report
        world.go_to(f"2026-03-{17 if status == 'POSTED' else 18} 09:00")
        assert (work(world, door), letters(world)[0][3]) == (1, status)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        (alert,) = letter_lists.letter_alerts(tx)
    assert alert.text == "Order A-1: the letter was not delivered: unknown"
    assert (work(world, door), len(door.sent)) == (0, 2)
    assert problems(world) == []


def test_refused_for_good_goes_back_to_mail(world: MailWorld) -> None:
    world.set(letters_by="provider")
    world.plan(letters_from="1", levels="7")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    work(world, Provider(failure=LetterNotSent("422 bad address", permanent=True)))
    work(world, Provider())
    assert letters(world) == [("A-1", "REMINDER", 1, "REFUSED")]
    assert world.mails() == [("A-1", 1, "SENT")]
    assert problems(world) == []


def test_a_person_discards(world: MailWorld) -> None:
    world.plan(letters_from="1")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    work(world)
    (letter_id,) = world.rows("SELECT id FROM letters WHERE shop_id = $1")[0]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        letter_lists.discard(tx, letter_id)
    assert (work(world), run(world)) == (0, None)
    assert world.held("A-1") == "stopped: the reminders of this order were stopped by a person"
    with (
        world.database.of_shop(world.shop, at=world.now) as tx,
        pytest.raises(SettingRefused, match="this one is DISCARDED"),
    ):
        letter_lists.discard(tx, letter_id)
    with world.database.of_shop(world.shop) as tx, pytest.raises(RunUnknown):
        printing.run_files(tx, "run_x")


def test_letters_that_nobody_prints_raise_an_alert(world: MailWorld) -> None:
    world.plan(letters_from="1")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    work(world)
    taken = run(world)
    assert taken is not None
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert printing.undo_run(tx, taken) == 1
    assert letters(world) == [("A-1", "REMINDER", 1, "SPOOLED")]
    texts = []
    for day in (18, 20):
        world.go_to(f"2026-03-{day} 09:00")
        with world.database.of_shop(world.shop, at=world.now) as tx:
            texts.append([alert.text for alert in letter_lists.letter_alerts(tx)])
    assert texts == [[], ["1 letter has not been printed or sent for 3 days, the oldest is about order A-1"]]


def test_a_sandbox_shop_keeps_its_letters(world: MailWorld) -> None:
    world.plan(letters_from="1")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    world.rows("UPDATE shops SET sandbox = true, sandbox_now = $2, sandbox_stands = true WHERE shop_id = $1"
               " RETURNING 1", world.now)  # fmt: skip
    work(world, NullLetters())
    assert letters(world) == [("A-1", "REMINDER", 1, "KEPT")]
    assert reminders(world) == [(1, date(2026, 3, 16), 0, False, True)]


def test_damage_is_found(world: MailWorld) -> None:
    world.plan(letters_from="1", levels="7:2.50")
    world.order("A-1", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 09:00")
    work(world)
    taken = run(world)
    assert taken is not None
    (letter_id,) = world.rows("SELECT id FROM letters WHERE shop_id = $1")[0]
    damage(world, "UPDATE letter_runs SET undone_at = created_at WHERE shop_id = $1")
    lost = ("a letter that is to go out has its time or its person", letter_id, "order A-1 is PRINTING")
    assert problems(world) == [lost]
    damage(world, "UPDATE letter_runs SET undone_at = NULL WHERE shop_id = $1")
    printed(world, taken)
    damage(world, "UPDATE reminders SET fee_minor = 0 WHERE shop_id = $1")
    assert problems(world) == [("a reminder has the fee of its letter", "A-1", "level 1, fee 0, its letter 250")]
    damage(world, "UPDATE letters SET status = 'WITHDRAWN' WHERE shop_id = $1")
    backed = "a reminder by letter is a letter that went out, and the other way round"
    assert (backed, "A-1", "level 1: no letter") in problems(world)


def damage(world: MailWorld, statement: str) -> None:
    with world.database.of_shop(world.id) as tx:
        assert tx.run(statement, world.id) == 1


@pytest.mark.parametrize(("country", "named"), [("CH", True), ("XX", False)])
def test_the_swiss_slip_of_a_letter_names_its_payer(migrated_url: str, country: str, named: bool) -> None:
    """Where the address cannot be written, the field is left for a pen."""
    database = Database(migrated_url, size=2, keyring=KEYRING)
    shop = PostalAddress("", "Erika Mustermann", "Bahnhofstrasse 12", "8001", "Zürich", country)
    world = new_world(database, postcode="8000", city="Zürich", mail_name="Muster AG")
    account = AccountRow("CH5800791123000889012", "CHF", "", "", "Muster AG", confirmed=True)
    with database.of_shop(replace(world.shop, country="CH")) as tx:
        code = payment_code(
            tx,
            account,
            Money(1990, Currency("CHF")),
            "RF18539007547034",
            "A-1",
            country,
            shop,
        )
    assert code is not None and code.bill is not None
    payer = ["S", "Erika Mustermann", "Bahnhofstrasse 12", "", "8001", "Zürich", "CH"]
    assert swiss_text(code.bill).split("\r\n")[20:27] == (payer if named else [""] * 7)
    database.close()


def test_what_is_held_back_before_the_office_opens_is_looked_at_again_later(world: MailWorld) -> None:
    """At night the bank data of the evening before is asked for; what it says is not to be asked again at once."""
    world.set(letters_by="provider")
    world.plan(levels="7:2.50", letters_from="1")
    world.order("A-1001", billing=ADDRESS)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 10:00")
    work(world, Provider(failure=LetterNotSent("busy", permanent=False)))
    world.go_to("2026-03-19 04:00")  # 5:00 in Berlin; the statements reach to the 13th
    assert work_due(world.database, world.shop, LetterGateways(Provider(), world.files, BASE), world.now) == 1  # type: ignore[attr-defined]
    ((status, due_at),) = world.rows("SELECT status, due_at FROM letters WHERE shop_id = $1")
    assert (status, due_at) == ("SPOOLED", world.now.replace(hour=8))
    assert work_due(world.database, world.shop, LetterGateways(Provider(), world.files, BASE), world.now) == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("by", ["provider", "printer"])
@pytest.mark.parametrize("why", ["stale bank data", "a posting to decide", "an import under way"])
def test_a_written_reminder_waits_while_its_order_may_be_paid(world: MailWorld, by: str, why: str) -> None:
    """Days may lie between a letter's writing and its leaving; the first invoice goes out all the same."""
    world.set(letters_by=by)
    world.plan(levels="7:2.50", letters_from="1")
    world.order("A-1001", billing=ADDRESS)
    world.order("A-1002", billing=ADDRESS, dueDate="30-04-2026")
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 10:00")
    door = Provider(failure=LetterNotSent("busy", permanent=False))
    first_invoice(world, "A-1002")
    work(world, door)
    assert [row[3] for row in letters(world)] == ["SPOOLED", "SPOOLED"]

    world.go_to("2026-03-17 10:00" if why != "stale bank data" else "2026-03-19 10:00")
    door.failure = None
    with ExitStack() as stack:
        match why:
            case "a posting to decide":
                world.statement(date(2026, 3, 16), 0, (4000, "A-1001 Rechnung"))
                match_due(world.database, world.shop, world.now)
            case "an import under way":
                world.statement(date(2026, 3, 16))
                statements.lock_imports(stack.enter_context(world.database.of_shop(world.id)))
        leave(world, door)
        assert [row[3] for row in letters(world)] == ["SPOOLED", "SENT" if by == "provider" else "PRINTING"]
        assert reminders(world) == []
    ((error,),) = world.rows("SELECT error FROM letters WHERE shop_id = $1 AND order_number = 'A-1001'")
    assert error != "", "the list says why"

    match why:
        case "stale bank data":
            world.statement(date(2026, 3, 18))
        case "a posting to decide":
            ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1")
            assigning.ignore(world.database, world.shop, posting, "other", world.now)
    match_due(world.database, world.shop, world.now)
    world.now += timedelta(hours=2)
    leave(world, door)
    assert letters(world)[0][3] == ("SENT" if by == "provider" else "PRINTING")


def leave(world: MailWorld, door: Provider) -> None:
    """What waits goes to the provider, or into a print run."""
    work(world, door)
    run(world)


def test_a_letter_is_in_the_language_of_the_order(world: MailWorld) -> None:
    said = {}
    for place, language in enumerate(WANTED):
        number = f"L-{place}"
        world.order(number, customerEmail=None, billing=ADDRESS, language=language or None)
        asked = LetterRow(f"lt_{place}", number, LetterKind.INFORMATION, 0, LetterStatus.NEW, "", "DE", 0, 0, world.now)
        with world.database.of_shop(world.shop, at=world.now) as tx:
            order = locked_order(tx, asked, world.now)
            letter = draft(tx, asked, order, store.settings(tx), "").letter
        assert letter is not None
        said[language] = letter.language
    assert said == WANTED
