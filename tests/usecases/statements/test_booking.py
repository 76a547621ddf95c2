"""A payment is booked once: twins, overlaps, batches and announcements, one story each."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from itertools import permutations
from pathlib import Path

import pytest

from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.mt940.writer import StatementToWrite, entry_of, write_mt940
from paymatch.formats.statement import FileRefused
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.work.check import check_shop
from tests.usecases.conftest import ACCOUNT, DAY, Books, batch, camt, paid
from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).parents[3]
FINAL, EARLY, NEWS = CamtMessage.STATEMENT, CamtMessage.INTRADAY, CamtMessage.NOTIFICATION


def test_twins_stay_twins_and_the_same_file_adds_nothing(books: Books) -> None:
    file = camt(FINAL, paid(1990, "Danke"), paid(1990, "Danke"), paid(1990, "Danke"))
    first, again = books.bring(file), books.bring(file)
    assert (first.new, first.known, again.new, again.known) == (3, 0, 0, 3)
    overlap = books.bring(camt(FINAL, *[paid(1990, "Danke")] * 4, number=2))
    assert (overlap.new, overlap.known) == (1, 3)
    assert len(books.postings()) == 4


def test_twins_over_the_boundary_of_a_chunk(books: Books) -> None:
    entries = [paid(100 + number % 7, "Spende") for number in range(2100)]
    assert books.bring(camt(FINAL, *entries), dry_run=True).new == 2100
    assert books.bring(camt(FINAL, *entries[:1990])).new == 1990
    report = books.bring(camt(FINAL, *entries, number=2))
    assert (report.new, report.known) == (110, 1990)


def test_days_of_one_sum_over_the_boundary_of_a_chunk(books: Books) -> None:
    """What a lot of the same file has booked on other days of a sum stays when the next lot is folded."""
    days = (DAY, DAY + timedelta(days=1))
    entries = [paid(1000, f"Spende {number}", booking_date=DAY) for number in range(1000)]
    entries += [paid(1990, f"Danke {number}", booking_date=DAY) for number in range(1001)]
    entries += [paid(1990, f"Merci {number}", booking_date=days[1]) for number in range(3)]
    entries += [paid(2990, "Gruß", booking_date=day) for day in days]
    file = camt(FINAL, *entries, days=days)
    first = books.bring(file)
    assert (first.new, first.known) == (2006, 0)
    assert books.rows("SELECT count(*)::integer FROM postings WHERE shop_id = $1") == [(2006,)]
    again = books.bring(file + b"\n")
    assert (again.new, again.known) == (0, 2006)
    assert books.rows("SELECT count(*)::integer FROM postings WHERE shop_id = $1") == [(2006,)]
    books.sound()


def test_a_posting_that_is_missing_is_told_of_and_booked_again(books: Books) -> None:
    file = camt(FINAL, paid(1990, "SO-1"), paid(1990, "SO-2"))
    books.bring(file)
    ((lost,),) = books.rows("DELETE FROM postings WHERE shop_id = $1 AND remittance = 'SO-2' RETURNING id")
    broken, wrong_sum = check_shop(books.database, books.shop)
    assert broken.rule == "every line of a statement stands for a posting"
    assert broken.text == f"entry 1 of 2026-03-10 stands for {lost}, which is not booked"
    assert wrong_sum.rule == "postings between two balances = their difference"
    assert wrong_sum.text.endswith("the postings do not add up: 19.90 EUR differ")
    again = books.bring(file + b"\n")
    assert (again.new, again.known) == (0, 2)
    assert [row[:2] for row in books.postings()] == [("2026-03-10", 1990)] * 2
    books.sound()


def test_overlapping_statements_within_one_file(books: Books) -> None:
    one = camt(FINAL, paid(500, "A"), paid(700, "B")).decode()
    statement = one[one.index("<Stmt>") : one.index("</Stmt>") + 7]
    three = one.replace(statement, statement * 3)
    report = books.bring(three.encode())
    assert (report.statements, report.new, report.known) == (3, 2, 4)


def test_pages_of_one_statement_are_no_overlap(books: Books) -> None:
    def page(number: int) -> StatementToWrite:
        return StatementToWrite(ACCOUNT, "EUR", 0, DAY, DAY, 7, (entry_of(paid(1990, "Danke")),), page=number)  # type: ignore[arg-type]

    assert books.bring(write_mt940([page(1)])).new == 1
    assert books.bring(write_mt940([page(2)])).new == 1
    assert books.bring(write_mt940([page(1), page(2)])).new == 0
    assert len(books.postings()) == 2


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_announced_and_final_in_any_order(books: Books, order: tuple[int, int, int]) -> None:
    books.order("SO-4711", "19.90")
    moved = paid(1990, "SO-4711", bank_reference="REF1", booking_date=DAY - timedelta(days=3))
    files = [camt(EARLY, moved), camt(NEWS, moved), camt(FINAL, paid(1990, "SO-4711", bank_reference="REF1"))]
    for place in order:
        books.bring(files[place])
    assert books.postings() == [("2026-03-10", 1990, "FINAL", "matched")]
    assert books.events("SO-4711") == ["PAID"]
    assert books.rows("SELECT last_posting_date::text FROM orders WHERE shop_id = $1") == [("2026-03-10",)]
    books.sound()


def test_a_day_of_two_formats(books: Books) -> None:
    payments = [paid(1990, "Rechnung 4711 für Müller"), paid(1990, "Rechnung 4712"), paid(-500, "Gebühr")]
    swift = write_mt940([StatementToWrite(ACCOUNT, "EUR", 0, DAY, DAY, 1, tuple(map(entry_of, payments)))])  # type: ignore[arg-type]
    assert books.bring(swift).new == 3
    report = books.bring(camt(FINAL, *payments))
    assert (report.new, report.known) == (0, 3)
    assert {row[0] for row in books.rows("SELECT format FROM postings WHERE shop_id = $1")} == {"camt"}


@pytest.mark.parametrize("details_first", [True, False])
def test_details_divide_a_batch(books: Books, *, details_first: bool) -> None:
    books.order("SO-471101", "10.00")
    books.order("SO-471102", "20.00")
    parts = batch("B1", paid(1000, "SO-471101"), paid(2000, "SO-471102"))
    files = [camt(NEWS, parts), camt(FINAL, parts, divided=False)]
    for file in files if details_first else files[::-1]:
        books.bring(file)
    assert [row[1:] for row in books.postings()] == [(1000, "FINAL", "matched"), (2000, "FINAL", "matched")]
    assert (books.status("SO-471101"), books.status("SO-471102")) == ("PAID", "PAID")
    assert books.bring(camt(FINAL, parts, divided=False, number=2)).new == 0
    assert books.bring(camt(FINAL, parts, number=3)).new == 0
    books.sound()


def test_a_batch_without_any_reference(books: Books) -> None:
    parts = batch("", paid(1000, "A"), paid(2000, "B"))
    books.bring(camt(FINAL, parts))
    assert books.bring(camt(FINAL, parts, divided=False, number=2)).new == 0
    assert [row[1] for row in books.postings()] == [1000, 2000]


def test_a_batch_is_never_booked_before_it_is_announced(books: Books) -> None:
    """Two batches of one sum, two days apart: the announcement of the later one leaves the earlier one alone."""
    before = DAY - timedelta(days=2)
    earlier = batch("B1", paid(1000, "A", booking_date=before), paid(2000, "B", booking_date=before))
    later = batch("", paid(1300, "C"), paid(1700, "D"))
    books.bring(camt(NEWS, later))
    report = books.bring(camt(FINAL, earlier, later, divided=False, days=(before, DAY)))
    assert (report.new, report.known) == (1, 1)
    assert [row[:2] for row in books.postings()] == [("2026-03-08", 3000), ("2026-03-10", 1300), ("2026-03-10", 1700)]
    assert books.bring(camt(FINAL, earlier, later, days=(before, DAY), number=2)).new == 0
    assert [row[1:3] for row in books.postings()] == [(each, "FINAL") for each in (1000, 2000, 1300, 1700)]


def days_lent() -> list[bytes]:
    """Two batches of one sum, announced early; the table names neither, so it lends the one the other's day."""
    first, second = DAY - timedelta(days=1), DAY

    def on(day: date, *parts: Posting) -> tuple[Posting, ...]:
        return tuple(replace(part, booking_date=day, value_date=day) for part in parts)

    one = batch("260309000001X", paid(1000, "SO-471101"), paid(2000, "SO-471102"))
    two = batch("260310000002X", paid(1300, "SO-471103"), paid(1700, "SO-471104"))
    table = "Auftragskonto;Buchungstag;Kundenreferenz (End-to-End);Sammlerreferenz;Betrag;Waehrung\n" + "".join(
        f"{ACCOUNT};{day:%d.%m.%Y};;;30,00;EUR\n" for day in (first, second)
    )
    return [
        camt(NEWS, on(DAY - timedelta(days=2), *two)),
        table.encode(),
        camt(NEWS, on(DAY - timedelta(days=4), *one), number=2),
        camt(FINAL, on(first, *one), on(second, *two), days=(first, second), opening=500),
        camt(FINAL, on(first, *one), on(second, *two), days=(first, second), opening=500, divided=False, number=2),
    ]


BOTH_BATCHES = [
    ("2026-03-09", 1000, "FINAL"), ("2026-03-09", 2000, "FINAL"),
    ("2026-03-10", 1300, "FINAL"), ("2026-03-10", 1700, "FINAL"),
]  # fmt: skip


@pytest.mark.parametrize("order", list(permutations(range(5)))[::6])
def test_a_day_that_was_lent_goes_back(books: Books, order: tuple[int, ...]) -> None:
    files = days_lent()
    for place in order:
        books.bring(files[place])
    assert [row[:3] for row in books.postings()] == BOTH_BATCHES
    books.sound()


def test_lines_that_changed_hands_are_undone_with_their_import(books: Books) -> None:
    files = days_lent()
    imports = [books.bring(file).import_id for file in files]
    undo_import(books.database, books.shop, imports[1], books.now)
    assert [row[:3] for row in books.postings()] == BOTH_BATCHES
    for place in (4, 3, 2):
        undo_import(books.database, books.shop, imports[place], books.now)
    assert [row[:3] for row in books.postings()] == [
        ("2026-03-08", 1300, "NOTIFICATION"), ("2026-03-08", 1700, "NOTIFICATION"),
    ]  # fmt: skip
    books.sound()


@pytest.mark.parametrize("dollars_first", [True, False])
def test_sums_of_two_currencies_are_two(books: Books, *, dollars_first: bool) -> None:
    """One account in euros and dollars: the sum in the one is not the batch of the other."""
    parts = batch("", paid(1000, "A"), paid(2000, "B"))
    dollars = camt(NEWS, parts).replace(b'Ccy="EUR"', b'Ccy="USD"').replace(b"<Ccy>EUR</Ccy>", b"<Ccy>USD</Ccy>")
    files = [dollars, camt(FINAL, parts, divided=False)]
    reports = [books.bring(file) for file in (files if dollars_first else files[::-1])]
    assert [(report.new, report.known) for report in reports] == (
        [(2, 0), (1, 0)] if dollars_first else [(1, 0), (2, 0)]
    )
    found = books.rows("SELECT currency, amount_minor FROM postings WHERE shop_id = $1 ORDER BY 1, 2")
    assert found == [("EUR", 3000), ("USD", 1000), ("USD", 2000)]


@pytest.mark.parametrize("place", [0, 1])
def test_a_statement_of_two_currencies(books: Books, place: int) -> None:
    """One of two entries is in dollars, for the same amount, day and text as the other, which is booked already."""
    books.bring(camt(FINAL, paid(1990, "A")))
    head, *entries = camt(FINAL, paid(1990, "A"), paid(1990, "A"), number=2).split(b"<Ntry>")
    entries[place] = entries[place].replace(b'Ccy="EUR"', b'Ccy="USD"')
    report = books.bring(b"<Ntry>".join((head, *entries)))
    assert (report.new, report.known, report.errors) == (1, 1, 0)
    found = books.rows("SELECT currency, amount_minor FROM postings WHERE shop_id = $1 ORDER BY 1")
    assert found == [("EUR", 1990), ("USD", 1990)]


def test_a_batch_that_was_matched_automatically_is_divided(books: Books) -> None:
    books.order("SO-471130", "30.00")
    parts = batch("SO-471130", paid(1000, "SO-471101"), paid(2000, "SO-471102"))
    books.bring(camt(FINAL, replace(parts[0], amount_minor=3000, remittance_lines=("SO-471130",), counterparty_iban="",
                                    entry_reference="", bank_reference="SO-471130", counterparty_name="")))  # fmt: skip
    assert books.events("SO-471130") == ["PAID"]
    books.bring(camt(NEWS, parts))
    assert [row[1] for row in books.postings()] == [1000, 2000]
    assert books.events("SO-471130")[:2] == ["PAID", "UNPAID"]
    books.sound()


def test_a_batch_that_was_matched_by_hand_stays(books: Books) -> None:
    books.order("SO-471130", "30.00")
    parts = batch("B1", paid(1000, "SO-471101"), paid(2000, "SO-471102"))
    books.bring(camt(FINAL, parts, divided=False))
    posting_id = books.rows("SELECT id FROM postings WHERE shop_id = $1")[0][0]
    assigning.match(books.database, books.shop, posting_id, [Part("SO-471130")], books.now)
    report = books.bring(camt(NEWS, parts))
    assert (report.new, report.known) == (0, 2)
    assert report.notes == [f"details of posting {posting_id} were left aside: it was assigned by hand"]
    assert books.postings() == [("2026-03-10", 3000, "FINAL", "matched")]
    books.sound()


def test_several_importers_at_once(books: Books) -> None:
    payments = [paid(1000 + number % 5, "Danke", bank_reference=f"R{number}") for number in range(60)]
    before = [sum(payment.amount_minor for payment in payments[:first]) for first in range(31)]
    files = [
        camt(FINAL, *payments[first : first + 30], number=first, opening=before[first]) for first in (0, 10, 20, 30)
    ]
    files += [camt(NEWS, *payments[:45]), files[0]]
    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(books.bring, files))
    assert sum(report.new for report in reports) == 60
    assert len(books.postings()) == 60
    books.sound()


def test_a_broken_file_books_nothing(books: Books) -> None:
    whole = camt(FINAL, *[paid(100 + number, "A") for number in range(2500)])
    with pytest.raises(FileRefused):
        books.bring(whole[:-300])
    assert books.postings() == []
    for table in ("imports", "statements", "statement_lines", "import_errors"):
        assert books.rows(f"SELECT * FROM {table} WHERE shop_id = $1") == []


def test_undo_leaves_what_others_say(books: Books) -> None:
    books.order("SO-471101", "19.90")
    one, two = paid(1990, "SO-471101", bank_reference="R1"), paid(700, "B", bank_reference="R2")
    early = books.bring(camt(EARLY, replace(one, booking_date=DAY - timedelta(days=1))))
    before = books.rows("SELECT facts, source, booking_date FROM postings WHERE shop_id = $1")
    final = books.bring(camt(FINAL, one, two))
    assert [row[2] for row in books.postings()] == ["FINAL", "FINAL"]
    undo_import(books.database, books.shop, final.import_id, books.now)
    assert books.rows("SELECT facts, source, booking_date FROM postings WHERE shop_id = $1") == before
    assert (books.status("SO-471101"), books.postings()) == ("PAID", [("2026-03-09", 1990, "INTRADAY", "matched")])
    undo_import(books.database, books.shop, early.import_id, books.now)
    assert (books.status("SO-471101"), books.postings()) == ("UNPAID", [])
    assert books.events("SO-471101") == ["PAID", "UNPAID"]
    books.sound()
    again = books.bring(camt(FINAL, one, two))
    assert (again.new, books.status("SO-471101")) == (2, "PAID")


def test_undo_is_refused_once_a_person_has_decided(books: Books) -> None:
    books.order("SO-471101", "7.00")
    report = books.bring(camt(FINAL, paid(700, "B"), paid(900, "C")))
    first = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 700")[0][0]
    assigning.match(books.database, books.shop, first, [Part("SO-471101")], books.now)
    with pytest.raises(AssignmentRefused, match="1 posting of the import was decided by hand"):
        undo_import(books.database, books.shop, report.import_id, books.now)
    assert len(books.postings()) == 2


def test_a_returned_payment_takes_paid_back(books: Books) -> None:
    books.order("SO-471101", "19.90")
    payment = paid(1990, "SO-471101", bank_reference="R1", end_to_end_id="E2E1")
    books.bring(camt(FINAL, payment))
    later = DAY + timedelta(days=2)
    back = paid(
        -2240, "SO-471101 Rückgabe", bank_reference="R2", booking_date=later, is_return=True, return_reason="AC04",
        original_end_to_end_id="E2E1", original_amount_minor=1990, charges_minor=250,
    )  # fmt: skip
    books.bring(camt(FINAL, back, opening=1990, number=2, days=(later, later)))
    assert books.events("SO-471101") == ["PAID", "UNPAID"]
    kinds = books.rows("SELECT kind, amount_minor, order_amount_minor FROM allocations WHERE shop_id = $1 ORDER BY 1")
    assert kinds[0][0] == "payment"
    assert (kinds[1][0], kinds[1][2]) == ("return", -1990)
    books.sound()


def test_a_returned_payment_is_found_among_many_of_its_amount(books: Books) -> None:
    """A hundred later payments of this amount, half of them from this account, do not hide what is given back."""
    books.order("SO-471101", "19.90")
    books.bring(camt(FINAL, paid(1990, "SO-471101", end_to_end_id="E2E1")))
    later = DAY + timedelta(days=2)
    others = [{"counterparty_name": "Max Beispiel", "counterparty_iban": "DE02120300000000202051"}, {}]
    more = [paid(1990, "Danke", booking_date=later, **others[place % 2]) for place in range(140)]
    books.bring(camt(FINAL, *more, opening=1990, number=2, days=(later, later)))
    last = DAY + timedelta(days=3)
    back = paid(
        -1990, "Rückgabe", booking_date=last, is_return=True, return_reason="AC04", original_end_to_end_id="E2E1"
    )
    books.bring(camt(FINAL, back, opening=141 * 1990, number=3, days=(last, last)))
    assert books.events("SO-471101") == ["PAID", "UNPAID"]
    books.sound()


def test_importers_in_processes_of_their_own(books: Books, module_url: str, tmp_path: Path) -> None:
    payments = [paid(1000, "Danke") for _ in range(20)]
    code = (
        "import sys; from uuid import UUID; from datetime import UTC, datetime; from pathlib import Path\n"
        "from paymatch.store.database import Database; from paymatch.store.transactions import ShopId\n"
        "from paymatch.store.shops import shops\n"
        "from paymatch.domain.statement_channels import StatementChannel\n"
        "from paymatch.usecases.statements.statements import import_file\n"
        "database = Database(sys.argv[1], size=2); shop_id = ShopId(UUID(sys.argv[2]))\n"
        "with database.of_shop(shop_id) as tx: shop = shops.load(tx)\n"
        "now = datetime(2026, 3, 11, tzinfo=UTC)\n"
        "with open(sys.argv[3], 'rb') as file: import_file(database, shop, file, 'x', now,"
        " channel=StatementChannel.COMMAND_LINE)\n"
        "database.close()"
    )
    running = []
    for number in range(3):
        path = tmp_path / f"{number}.xml"
        path.write_bytes(camt(FINAL, *payments[: 10 + 5 * number], number=number))
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
        command = [sys.executable, "-c", code, module_url, str(books.shop.id), str(path)]
        running.append(subprocess.Popen(command, env=environment))
    assert [process.wait(PATIENCE_SECONDS) for process in running] == [0, 0, 0]
    assert len(books.postings()) == 20


def test_the_payments_of_a_batch_that_do_not_add_up_are_shown_as_its_text(books: Books) -> None:
    def detail(amount: str, text: str) -> str:
        return f'<TxDtls><Amt Ccy="EUR">{amount}</Amt><RmtInf><Ustrd>{text}</Ustrd></RmtInf></TxDtls>'

    entry = (
        '<Ntry><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt>'
        "<Dt>2026-03-10</Dt></BookgDt><NtryDtls><Btch><NbOfTxs>3</NbOfTxs></Btch>"
        f"{detail('40.00', 'T-21')}{detail('50.00', 'T-22')}</NtryDtls></Ntry>"
    )
    statement = f"<Stmt><Id>S</Id><Acct><Id><IBAN>{ACCOUNT}</IBAN></Id><Ccy>EUR</Ccy></Acct>{entry}</Stmt>"
    books.bring(f"<Document><BkToCstmrStmt>{statement}</BkToCstmrStmt></Document>".encode())
    assert books.rows("SELECT amount_minor, remittance FROM postings WHERE shop_id = $1") == [(10000, "T-21 T-22")]


def test_balances_in_two_currencies_prove_nothing(books: Books) -> None:
    file = (
        f":20:X\r\n:25:{ACCOUNT}\r\n:28C:1\r\n:60F:C260309EUR10,00\r\n:61:2603100310C5,00NTRFNONREF\r\n"
        ":62F:C260310{0}15,00\r\n-\r\n"
    )
    report = books.bring(file.format("USD").encode())
    assert (report.new, report.balances_right, report.balances_wrong) == (1, 0, 1)
    assert report.notes == ["statement X: opening + booked <> closing"]
    report = books.bring(file.format("EUR").encode())
    assert (report.known, report.balances_right, report.balances_wrong) == (1, 1, 0)


def test_a_booking_more_than_ten_days_ahead_is_an_error_row(books: Books) -> None:
    books.order("SU-14001", "19.90")
    near, far = date(2026, 3, 21), date(2026, 3, 22)  # the day is 11 March
    content = camt(
        CamtMessage.STATEMENT, paid(500, "announced", booking_date=near), paid(1990, "SU-14001", booking_date=far),
        days=(DAY, far),
    )  # fmt: skip
    report = books.bring(content)
    assert [row[:2] for row in books.postings()] == [("2026-03-21", 500)]
    assert (report.errors, report.balance, books.status("SU-14001")) == (1, "mismatch", "UNPAID")
    assert "booked on 2026-03-22, more than 10 days ahead" in " ".join(report.notes)
