"""Refund runs: what is due, covered and known goes into one file per account, each refund once (D-3 to D-5)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from paymatch.domain.money import Currency
from paymatch.domain.refunds.refunds import HoldReason, RefundRefused
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from paymatch.store.sealing import REFUND_PAYEE
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.matching import assigning
from paymatch.usecases.refunds import refund_runs
from paymatch.usecases.refunds.transfer_files import write_out
from tests.contract.bank import book, entry, pay
from tests.formats.corpus_files import corpus_folder
from tests.keys import KEYRING
from tests.languages import WANTED
from tests.usecases.refunds.refund_world import ACCOUNT, ERIKA, PAYER, RefundWorld, texts

SECOND = "DE53677979049691425502"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


def test_due_refunds_of_an_account_go_into_one_file(world: RefundWorld) -> None:
    world.paid("SO-70101")
    world.paid("SO-70102", 5000, amount=50, name="Jürgen Groß", account=ERIKA)
    first, second = world.file("SO-70101", 30), world.file("SO-70102", 50)
    world.pass_days(1)
    run = world.run()
    assert run.held == ()
    assert [(f.account, f.currency, f.transfers, f.total_minor, f.version) for f in run.files] == [
        (ACCOUNT, "EUR", 2, 8000, "pain.001.001.09")
    ]
    assert run.files[0].execution_date == date(2026, 3, 3)
    (content,) = world.contents()
    assert texts(content, "CdtTrfTxInf/PmtId/EndToEndId") == [world.end_to_end(first), world.end_to_end(second)]
    assert world.end_to_end(first) == world.refund(first)["referenceNumber"]
    assert texts(content, "CdtTrfTxInf/Amt/InstdAmt") == ["30.00", "50.00"]
    assert texts(content, "CdtTrfTxInf/Cdtr/Nm") == ["Eva Muster", "Jürgen Groß"]
    assert texts(content, "CdtTrfTxInf/CdtrAcct/Id/IBAN") == [PAYER, ERIKA]
    assert texts(content, "CdtTrfTxInf/RmtInf/Ustrd") == [
        "Erstattung SO-70101 R-SO-70101",
        "Erstattung SO-70102 R-SO-70102",
    ]
    assert texts(content, "NbOfTxs") == ["2", "2"]
    assert texts(content, "CtrlSum") == ["80.00", "80.00"]
    assert texts(content, "Dbtr/Nm") == ["Contract shop"]
    assert texts(content, "BtchBookg") == ["false"]
    for refund in (first, second):
        assert (world.status(refund), world.refund(refund)["executionDate"]) == ("IN_PROCESS", None)
    assert world.client.status("SO-70101") == "PAID"
    world.check()


def test_second_run_finds_nothing_left(world: RefundWorld) -> None:
    world.paid("SO-70201")
    world.file("SO-70201", 30)
    world.pass_days(1)
    assert len(world.run().files) == 1
    assert world.run() == refund_runs.Run((), ())
    assert len(world.contents()) == 1


def test_runs_at_the_same_time_make_one_file(world: RefundWorld) -> None:
    for place in range(6):
        world.paid(f"SO-7030{place}")
        world.file(f"SO-7030{place}", 10)
    world.pass_days(1)
    runs: list[refund_runs.Run] = []
    start = threading.Barrier(3)

    def work() -> None:
        start.wait()
        runs.append(world.run())

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(run.files) for run in runs) == [0, 0, 1]
    assert len(texts(world.contents()[0], "CdtTrfTxInf/PmtId/EndToEndId")) == 6
    world.check()


class Stopped(BaseException):
    """The process dies here."""


@pytest.mark.parametrize("place", ["before commit", "after commit"])
def test_hard_stop_leaves_all_or_nothing(world: RefundWorld, module_url: str, tmp_path: Path, place: str) -> None:
    world.paid("SO-70401")
    refund = world.file("SO-70401", 30)
    world.pass_days(1)

    def stop(boundary: str) -> None:
        if boundary == place:
            raise Stopped

    dying = Database(module_url, size=1, at_boundary=stop, keyring=KEYRING)
    with pytest.raises(Stopped):
        refund_runs.run(dying, world.client.shop, world.clock.now)
    dying.close()
    was_stored = place == "after commit"
    assert world.status(refund) == ("IN_PROCESS" if was_stored else "NEW")
    assert len(world.contents()) == was_stored
    world.run()
    written = write_out(world.database, world.client.shop, tmp_path / "out", world.clock.now)
    assert len(written) == 1
    assert [path.read_bytes() for path in (tmp_path / "out").iterdir()] == world.contents()
    world.check()


def test_file_is_written_once_unless_it_is_asked_for_again(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-70501")
    world.file("SO-70501", 30)
    world.pass_days(1)
    world.run()
    folder = tmp_path / "out"
    shop, now = world.client.shop, world.clock.now
    (written,) = write_out(world.database, shop, folder, now)
    assert written.path.name == f"{written.file.message_id}.xml"
    assert written.path.stat().st_mode & 0o777 == 0o600
    written.path.unlink()  # taken to the bank: a file that comes back by itself would be taken there twice
    assert write_out(world.database, shop, folder, now) == []
    assert [each.path for each in write_out(world.database, shop, folder, now, missing_too=True)] == [written.path]
    assert write_out(world.database, shop, folder, now, missing_too=True) == []


def test_hard_stop_while_writing_is_made_good_by_the_next_run(world: RefundWorld, tmp_path: Path) -> None:
    world.paid("SO-70601")
    world.file("SO-70601", 30)
    world.pass_days(1)
    world.run()
    blocked = tmp_path / "blocked"
    blocked.write_text("no folder")
    with pytest.raises(OSError, match="blocked"):
        write_out(world.database, world.client.shop, blocked, world.clock.now)
    assert len(write_out(world.database, world.client.shop, tmp_path / "out", world.clock.now)) == 1


@pytest.mark.parametrize(
    ("planned", "today", "execution"),
    [
        ("03-03-2026", date(2026, 3, 2), None),  # not yet
        ("03-03-2026", date(2026, 3, 3), date(2026, 3, 3)),
        ("07-03-2026", date(2026, 3, 7), date(2026, 3, 9)),  # Saturday: Monday
        ("03-04-2026", date(2026, 4, 3), date(2026, 4, 7)),  # Good Friday: behind Easter Monday
        ("01-05-2026", date(2026, 5, 1), date(2026, 5, 4)),
        ("25-12-2026", date(2026, 12, 25), date(2026, 12, 28)),
    ],
)
def test_bank_days(world: RefundWorld, planned: str, today: date, execution: date | None) -> None:
    world.paid("SO-70701")
    refund = world.file("SO-70701", 30, plannedDate=planned)
    run = world.run(day=today)
    assert [file.execution_date for file in run.files] == ([execution] if execution else [])
    assert world.status(refund) == ("IN_PROCESS" if execution else "NEW")
    assert run.held == ()


def test_planned_date_is_a_day_of_the_shop(world: RefundWorld) -> None:
    world.paid("SO-70801")
    world.file("SO-70801", 30)
    world.clock.pass_time(hours=14)  # 23:30 in UTC on 2 March, 00:30 on 3 March in Berlin
    assert len(world.run().files) == 1


def test_uncovered_refund_stays_new_and_says_why(world: RefundWorld) -> None:
    world.client.submit("SO-70901", amount=100)
    book(world.client, entry("Bestellung SO-70901", 2999))
    refund = world.file("SO-70901", 30)
    world.pass_days(1)
    run = world.run()
    assert run.files == ()
    assert [(held.refund_id, held.order_number, held.reason) for held in run.held] == [
        (refund, "SO-70901", "the order's payments do not cover it")
    ]
    assert (world.status(refund), world.refund(refund)["reason"]) == ("NEW", HoldReason.NOT_COVERED)
    book(world.client, entry("Bestellung SO-70901", 1, booking_date=date(2026, 3, 3)))
    assert len(world.run().files) == 1
    assert "reason" not in world.refund(refund)


def test_refund_of_an_order_paid_by_hand_only_stays(world: RefundWorld) -> None:  # D-3: no money has come in
    world.client.submit("SO-70902", amount=100)
    world.client.post("order/SO-70902/setpaid")
    refund = world.file("SO-70902", 30)
    world.set_iban(refund)
    world.pass_days(1)
    assert [held.reason for held in world.run().held] == [HoldReason.NOT_COVERED]


def test_pending_refunds_reserve_the_money_in_the_order_of_their_creation(world: RefundWorld) -> None:
    world.paid("SO-70903")
    later = world.file("SO-70903", 60, "first, later", plannedDate="10-03-2026")
    too_much = world.file("SO-70903", 50, "second")
    fits = world.file("SO-70903", 40, "third")
    world.pass_days(1)
    run = world.run()
    assert [held.refund_id for held in run.held] == [too_much]
    assert [world.status(refund) for refund in (later, too_much, fits)] == ["NEW", "NEW", "IN_PROCESS"]
    world.cancel(later)
    assert [file.total_minor for file in world.run().files] == [5000]
    world.check()


def test_overpayment_is_refunded_and_the_order_stays_paid(world: RefundWorld) -> None:
    world.client.submit("SO-70904", amount=100)
    book(world.client, entry("Bestellung SO-70904", 12000))
    (posting,) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1")[0]
    assigning.match(world.database, world.client.shop, posting, [assigning.Part("SO-70904")], world.clock.now)
    assert world.client.status("SO-70904") == "PAID"
    refund = world.file("SO-70904", 20)
    world.pass_days(1)
    world.run()
    world.debit(2000, world.end_to_end(refund))
    assert (world.status(refund), world.client.status("SO-70904")) == ("PROCESSED", "PAID")
    assert world.client.read("SO-70904")["amountPaid"] == "100.00"
    assert world.events("SO-70904") == [("UNPAID", "PAID")]
    world.check()


def test_bank_details_that_became_known_move_the_refund_to_new(world: RefundWorld) -> None:
    world.client.submit("SO-71001", amount=100)
    refund = world.file("SO-71001", 30)
    assert world.status(refund) == "BANKDETAILS_MISSING"
    world.pass_days(1)
    run = world.run()
    assert (run.files, run.held, world.status(refund)) == ((), (), "BANKDETAILS_MISSING")
    book(world.client, entry("Bestellung SO-71001", 10_000, booking_date=date(2026, 3, 3)))
    assert len(world.run().files) == 1
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [PAYER]


def test_bank_details_known_before_the_planned_date_wait_for_it(world: RefundWorld) -> None:
    world.client.submit("SO-71002", amount=100)
    refund = world.file("SO-71002", 30, plannedDate="10-03-2026")
    book(world.client, entry("Bestellung SO-71002", 10_000))
    assert world.run().files == ()
    assert world.status(refund) == "NEW"


def test_account_of_a_payment_that_was_taken_off_the_order_is_not_used(world: RefundWorld) -> None:
    world.paid("SO-71003")
    refund = world.file("SO-71003", 30)
    (wrong,) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1")[0]
    shop, now = world.client.shop, world.clock.now
    assigning.unmatch(world.database, shop, wrong, now)
    book(world.client, entry("Bestellung SO-71003", 10_000, name="Karl Richtig", account=ERIKA))
    assert world.client.status("SO-71003") == "PAID"
    world.pass_days(1)
    world.run()
    assert world.status(refund) == "IN_PROCESS"
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [ERIKA]
    assert texts(world.contents()[0], "Cdtr/Nm") == ["Karl Richtig"]


def test_account_that_the_customer_gave_goes_before_the_payers(world: RefundWorld) -> None:
    world.paid("SO-71004")
    refund = world.file("SO-71004", 30)
    world.set_iban(refund, "AT61 1904 3002 3457 3201", "Erika Müller")
    world.release(refund)
    world.pass_days(1)
    world.run()
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [ERIKA]
    assert texts(world.contents()[0], "Cdtr/Nm") == ["Erika Müller"]


def test_account_that_a_refund_came_back_from_is_no_payers_account(world: RefundWorld) -> None:
    world.paid("SO-71005")
    refund = world.file("SO-71005", 30)
    world.set_iban(refund)
    world.release(refund)
    world.pass_days(1)
    world.run()
    world.debit(3000, world.end_to_end(refund))
    world.pass_days(1)
    back = {"is_return": True, "return_reason": "AC04", "original_end_to_end_id": world.end_to_end(refund)}
    world.camt(WrittenEntry((world.posting(3000, counterparty_iban=ERIKA, counterparty_name="Erika Müller", **back),)))
    assert world.status(refund) == "RETURNED"
    again = world.file("SO-71005", 20, "R-2", plannedDate="10-03-2026")
    ((stored,),) = world.client.rows("SELECT iban FROM refunds WHERE shop_id = $1 AND id = $2", again)
    assert world.client.vault.open(REFUND_PAYEE, stored) == PAYER


@pytest.mark.parametrize("iban", ["DE75512108001245126198", "", "x" * 40, "DE75 5121 0800 1245 1261"])
def test_wrong_iban_is_refused(world: RefundWorld, iban: str) -> None:
    world.client.submit("SO-71005")
    refund = world.file("SO-71005", 5)
    with pytest.raises(RefundRefused, match="is not a valid IBAN"):
        world.set_iban(refund, iban)
    assert world.status(refund) == "BANKDETAILS_MISSING"


def test_payee_outside_sepa_stays(world: RefundWorld) -> None:
    world.paid("SO-71006")
    refund = world.file("SO-71006", 5)
    world.set_iban(refund, "TR330006100519786457841326", "Ayşe Yılmaz")
    world.pass_days(1)
    assert [held.reason for held in world.run().held] == [HoldReason.NOT_SEPA]


def test_payee_without_a_name_is_who_ordered(world: RefundWorld) -> None:
    billing = {"firstName": "Zoë", "lastName": "Çelik", "countryCode": "DE"}
    world.client.submit("SO-71007", amount=100, billing=billing)
    book(world.client, entry("Bestellung SO-71007", 10_000, name=""))
    world.file("SO-71007", 5)
    world.pass_days(1)
    world.run()
    assert texts(world.contents()[0], "Cdtr/Nm") == ["Zoe Celik"]


def test_shop_without_a_confirmed_account_sends_nothing(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(database, tmp_path, ibans=())
    world.paid("SO-71008")  # its account is added by the import, for a person to confirm
    world.file("SO-71008", 5)
    world.pass_days(1)
    assert [held.reason for held in world.run().held] == [HoldReason.NO_ACCOUNT]


SWISS_SHOP: dict[str, Any] = {"ibans": ("CH9300762011623852957",), "currency": "CHF", "country": "CH"}


def test_swiss_francs_go_by_the_swiss_rules(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(database, tmp_path, **SWISS_SHOP)
    world.client.submit("SO-71009", amount=100, currency="CHF")
    paid = entry("Bestellung SO-71009", 10_000, account="CH5604835012345678009")
    book(world.client, paid, account="CH9300762011623852957", currency=Currency("CHF"))
    refund = world.file("SO-71009", 5, currency="CHF")
    with database.of_shop(world.client.shop) as tx:
        shop_store.change(tx, {"postcode": "3011", "city": "Bern"})
    world.pass_days(1)
    (file,) = world.run().files
    (content,) = world.contents()
    assert (file.currency, file.total_minor, world.status(refund)) == ("CHF", 500, "IN_PROCESS")
    assert [texts(content, path) for path in ("SvcLvl/Cd", "ChrgBr", "ClrSysId/Cd", "ClrSysMmbId/MmbId")] == [
        [], [], ["CHBCC"], ["762"],
    ]  # fmt: skip
    assert [each.get("Ccy") for each in etree.fromstring(content).iter("{*}InstdAmt")] == ["CHF"]
    assert [part.text for part in etree.fromstring(content).iterfind(".//{*}Dbtr/{*}PstlAdr/*")] == [
        "3011",
        "Bern",
        "CH",
    ]
    world.check()


def test_what_a_foreign_transfer_lacks_is_said_with_an_alert(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(database, tmp_path, **SWISS_SHOP)
    world.client.submit("SO-71010", amount=100, currency="CHF")
    paid = entry("Bestellung SO-71010", 10_000, bic="")
    book(world.client, paid, account="CH9300762011623852957", currency=Currency("CHF"))
    world.file("SO-71010", 5, currency="CHF")
    world.pass_days(1)
    assert [held.reason for held in world.run().held] == [HoldReason.NO_BANK]
    rows = world.client.rows("SELECT kind FROM alerts WHERE shop_id = $1 AND resolved_at IS NULL")
    assert ("refund-held",) in rows


def test_money_leaves_the_account_that_it_came_to(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(database, tmp_path, ibans=(ACCOUNT, SECOND))
    world.paid("SO-71101")
    world.client.submit("SO-71102", amount=50)
    book(world.client, entry("Bestellung SO-71102", 5000), account=SECOND)
    world.file("SO-71101", 10)
    world.file("SO-71102", 20)
    world.pass_days(1)
    assert [(file.account, file.transfers, file.total_minor) for file in world.run().files] == [
        (SECOND, 1, 2000),
        (ACCOUNT, 1, 1000),
    ]


@pytest.mark.parametrize("status", ["paused", "deleted"])
def test_shop_that_is_not_active_sends_nothing(world: RefundWorld, status: str) -> None:
    world.paid("SO-71103")
    refund = world.file("SO-71103", 10)
    world.pass_days(1)
    world.client.change(status=status)
    with pytest.raises(RefundRefused, match="Shop not active"):
        world.run()
    world.client.change(status="active")
    assert world.status(refund) == "NEW"


@pytest.mark.corpus
@pytest.mark.parametrize("version", ["09", "03"])
def test_file_is_valid_by_the_schema_of_the_chosen_version(world: RefundWorld, version: str) -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus")
    world.client.change(transfer_version=version)
    for place in range(3):
        world.paid(
            f"SO-7120{place}", name='Łukasz & "Ötzi" <Größe>', account=[PAYER, ERIKA, "CH9300762011623852957"][place]
        )
        world.file(f"SO-7120{place}", 33.33, f"RMA/{place} äß€ " + "x" * 100)
    world.pass_days(1)
    (file,) = world.run().files
    assert file.version == f"pain.001.001.{version}"
    schema = etree.XMLSchema(etree.parse(folder / "xsd" / f"pain.001.001.{version}.xsd"))
    content = world.contents()[0]
    schema.assertValid(etree.fromstring(content))
    assert texts(content, "CtrlSum") == ["99.99", "99.99"]


@pytest.mark.parametrize(
    ("characters", "name"), [("", "Müller & Groß"), ("sepa", "Muller + Gross"), ("umlauts", "Müller & Groß")]
)
def test_the_shop_says_which_characters_its_bank_takes(world: RefundWorld, characters: str, name: str) -> None:
    world.client.change(transfer_characters=characters)
    world.paid("SO-71300", name="Müller & Groß", account=PAYER)
    world.file("SO-71300", 33.33, "RMA-1")
    world.pass_days(1)
    assert len(world.run().files) == 1
    assert texts(world.contents()[0], "Cdtr/Nm") == [name]


@pytest.mark.parametrize("name", ["李雷", "..."])
def test_a_payee_without_a_letter_that_banks_take_is_held(world: RefundWorld, name: str) -> None:
    """No bank could compare the name with the account's, so no transfer is written without a person."""
    world.client.submit("SO-471190", amount=100, billing={"lastName": name, "countryCode": "DE"})
    pay(world.client, "SO-471190", 10_000)
    refund = world.file("SO-471190", 40)
    world.set_iban(refund, holder=name)
    world.pass_days(2)
    run = world.run()
    assert [(held.refund_id, held.reason) for held in run.held] == [(refund, HoldReason.NO_HOLDER)]
    assert world.contents() == []


def test_a_transfer_is_worded_in_the_language_of_its_customer(world: RefundWorld) -> None:
    for place, language in enumerate(WANTED):
        world.paid(f"L-{place}")
        world.client.submit(f"L-{place}", language=language or None)
        world.file(f"L-{place}", 30)
    world.pass_days(1)
    assert world.run().held == ()
    (content,) = world.contents()
    worded = {
        "de": "Erstattung", "en": "Refund", "fr": "Remboursement", "it": "Rimborso", "nl": "Terugbetaling",
        "pl": "Zwrot", "es": "Reembolso",
    }  # fmt: skip
    assert texts(content, "CdtTrfTxInf/RmtInf/Ustrd") == [
        f"{worded[meant]} L-{place} R-L-{place}" for place, meant in enumerate(WANTED.values())
    ]


@pytest.mark.parametrize("holder", ["王小明商店", "👗", "///", "متجر"])
def test_a_shop_whose_name_no_bank_takes_waits_and_says_why(world: RefundWorld, holder: str) -> None:
    """No file can be written for it: each refund waits with the reason, and the run does not fail."""
    world.client.run("UPDATE bank_accounts SET holder = $2 WHERE shop_id = $1", holder)
    world.client.run("UPDATE shops SET holder = $2, name = $2 WHERE shop_id = $1", holder)
    world.paid("SO-81990")
    refund = world.file("SO-81990", 30)
    world.pass_days(1)
    run = world.run()
    assert (run.files, [held.reason for held in run.held]) == ((), [HoldReason.NO_SHOP_NAME])
    world.client.run("UPDATE bank_accounts SET holder = 'Wang Xiaoming' WHERE shop_id = $1")
    assert len(world.run().files) == 1
    assert (world.status(refund), texts(world.contents()[0], "Dbtr/Nm")) == ("IN_PROCESS", ["Wang Xiaoming"])


@pytest.mark.parametrize("holder", ["Магазин Одежды", "Müller & Söhne", "王小明 Trading GmbH"])
def test_a_name_with_letters_that_banks_take_is_sent(world: RefundWorld, holder: str) -> None:
    world.client.run("UPDATE bank_accounts SET holder = $2 WHERE shop_id = $1", holder)
    world.paid("SO-81991")
    world.file("SO-81991", 30)
    world.pass_days(1)
    assert len(world.run().files) == 1
