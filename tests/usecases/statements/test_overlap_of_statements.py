"""Equal payments of statements that follow each other are all booked, in any order of files (D-81)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.reminders.reminders import covered_until
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.completeness import KeptGaps, check_statements
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.work import alerts
from paymatch.usecases.work.check import check_shop
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

DAY = date(2026, 3, 10)


@dataclass(frozen=True)
class Page:
    """A statement or page of a day; every booking looks the same but for its amount."""

    opening: int
    amounts: Sequence[int]
    number: str = "0"
    reference: str = "STARTUMS"
    booked: int = 0  # days after the day
    opened: int = -1
    closed: int = 0

    def mt940(self) -> str:
        closing, day = self.opening + sum(self.amounts), DAY + timedelta(days=self.booked)
        opened, closed = DAY + timedelta(days=self.opened), DAY + timedelta(days=self.closed)
        lines = [
            f":20:{self.reference}",
            f":25:{ACCOUNT}",
            f":28C:{self.number}",
            f":60F:{_balance(opened, self.opening)}",
        ]
        for amount in self.amounts:
            mark = "C" if amount > 0 else "D"
            lines.append(f":61:{day:%y%m%d%m%d}{mark}{_units(amount)}NTRFNONREF")
            lines.append(":86:166?00GUTSCHRIFT?20SVWZ+Seminar?31DE75512108001245126199?32Karin Sommer")
        return "\r\n".join([*lines, f":62F:{_balance(closed, closing)}", "-", ""])


def _units(minor: int) -> str:
    return f"{abs(minor) // 100},{abs(minor) % 100:02d}"


def _balance(day: date, minor: int) -> str:
    return f"C{day:%y%m%d}EUR{_units(minor)}"


def file(*pages: Page) -> bytes:
    return "".join(page.mt940() for page in pages).encode()


FIRST, SECOND, THIRD = (
    Page(2500 * place, [2500], f"{place + 11}/1", f"R{place}", opened=0 if place else -1) for place in range(3)
)
THERE = Page(0, [2500], "21/1")
BACK = Page(2500, [-2500], "22/1", opened=0)
AGAIN = Page(0, [2500], "23/1", opened=0)
CASES = {
    "two statements of a day": ([file(FIRST, SECOND)], [2500, 2500]),
    "three files": ([file(FIRST), file(SECOND), file(THIRD)], [2500] * 3),
    "the first one once more": ([file(FIRST), file(SECOND), file(Page(0, [2500], "11/1", "X"), SECOND)], [2500, 2500]),
    "no numbers": ([file(Page(0, [2500]), Page(2500, [2500]), Page(5000, [2500]))], [2500] * 3),
    "pages": ([file(Page(0, [2500], "11/1", "A")), file(Page(2500, [2500], "11/2", "B", opened=0))], [2500, 2500]),
    "charges": ([file(Page(900, [-300], "1/1"), Page(600, [-300], "2/1", opened=0))], [-300, -300]),
    "there and back": ([file(THERE), file(BACK), file(AGAIN)], [2500, 2500, -2500]),
    "booked late": ([file(FIRST), file(Page(2500, [2500], "12/1", opened=0, closed=1))], [2500, 2500]),
    "a day that grew": ([file(Page(0, [2500], "11/1")), file(Page(0, [2500, 2500], "12/1"))], [2500, 2500]),
    "downloaded twice": ([file(Page(0, [2500], "11/1")), file(Page(0, [2500], "11/1", "LATER"))], [2500]),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_payments_in_any_order_of_files(books: Books, name: str) -> None:
    files, wanted = CASES[name]
    for order in itertools.permutations(files):
        shop = shops.create(books.database, name, books.now - timedelta(days=90), ibans=[ACCOUNT]).shop
        own = Books(books.database, shop, books.now)
        reports = [own.bring(content) for content in order]
        assert {report.balance for report in reports} == {"ok"}
        assert Counter(row[1] for row in own.postings()) == Counter(wanted)
        assert {row[0] for row in own.postings()} == {"2026-03-10"}
        own.sound()


def test_undoing_a_statement_leaves_the_books_without_it(books: Books) -> None:
    for content in (file(THERE), file(AGAIN)):
        books.bring(content)
    before = books.rows("SELECT facts, source, statement_id FROM postings WHERE shop_id = $1")
    between = books.bring(file(BACK))
    assert Counter(row[1] for row in books.postings()) == {2500: 2, -2500: 1}
    undo_import(books.database, books.shop, between.import_id, books.now)
    assert books.rows("SELECT facts, source, statement_id FROM postings WHERE shop_id = $1") == before
    books.bring(file(BACK))
    assert Counter(row[1] for row in books.postings()) == {2500: 2, -2500: 1}
    books.sound()


def _open_alerts(books: Books) -> list[Any]:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        alerts.keep_alerts(tx)
    return [(row["kind"], row["text"]) for row in alerts.list_alerts(books.database, books.shop)]


def test_postings_that_miss_the_balances_are_an_alert_and_stop_reminders(books: Books) -> None:
    """The second wall: whatever lost the payment, the balances on both sides of it say so."""
    books.bring(file(FIRST, SECOND))
    assert (_open_alerts(books), check_shop(books.database, books.shop)) == ([], [])
    books.rows("DELETE FROM postings WHERE shop_id = $1 AND id = (SELECT min(id) FROM postings) RETURNING id")
    text = "between the balances of MT940 11 and MT940 12 the postings do not add up: 25.00 EUR differ"
    assert _open_alerts(books) == [("balance-mismatch", f"Account {ACCOUNT}: {text}")]
    (found,) = [each for each in check_shop(books.database, books.shop) if "balances" in each.rule]
    assert (found.subject, found.text) == (f"{ACCOUNT} EUR", text)
    (account,) = check_statements(books.database, books.shop)
    assert (account["complete"], [gap["kind"] for gap in account["gaps"]]) == (False, ["sum"])
    with books.database.of_shop(books.shop) as tx:
        assert KeptGaps().incomplete_days(tx) == {"EUR": {DAY}}


OUT, HOME = Page(0, [2500]), Page(2500, [-2500], opened=0)


@pytest.mark.parametrize(
    ("files", "is_told"),
    [
        ([file(OUT, HOME, OUT)], True),
        ([file(OUT), file(HOME), file(OUT, Page(2500, [700], opened=0))], True),
        ([file(OUT, HOME, OUT, HOME)], True),
        ([file(THERE), file(AGAIN)], True),
        # honest twins
        ([file(OUT, HOME)], False),
        ([file(OUT, HOME), file(OUT, HOME, Page(0, [700], opened=0, closed=1, booked=1))], False),
        ([file(OUT), file(replace(OUT, reference="AGAIN"))], False),
        ([file(THERE), file(replace(THERE, number="22/1"))], False),
        ([file(THERE), file(BACK), file(AGAIN)], False),
    ],
)
def test_a_way_back_that_nothing_counts_is_an_alert(books: Books, files: Sequence[bytes], *, is_told: bool) -> None:
    """Without numbers a balance that returns looks like a repetition: a person is asked, and reminders wait."""
    for content in files:
        books.bring(content)
    assert [(kind, "may be two" in text) for kind, text in _open_alerts(books)] == [
        ("balance-mismatch", True)
    ] * is_told
    with books.database.of_shop(books.shop) as tx:
        assert KeptGaps().incomplete_days(tx) == ({"EUR": {DAY}} if is_told else {})


def test_kept_gaps_follow_each_import_and_each_undo(books: Books) -> None:
    kept, found = KeptGaps(), []

    def look() -> None:
        with books.database.of_shop(books.shop) as tx:
            found.append(kept.incomplete_days(tx))

    look()
    books.bring(file(THERE))
    look()
    again = books.bring(file(AGAIN))
    look()
    undo_import(books.database, books.shop, again.import_id, books.now)
    look()
    assert found == [{}, {}, {"EUR": {DAY}}, {}]


def test_a_chain_of_two_formats_keeps_an_equal_payment(books: Books) -> None:
    """The first and the last of three statements of a day differ in format; the one between them proves both."""
    payment = paid(2500, "Seminar", counterparty_name="Karin Sommer")
    seven, eight = (camt(CamtMessage.STATEMENT, payment, opening=place * 2500, number=7 + place) for place in range(2))
    nine = file(Page(5000, [2500], "9/1", opened=0))
    for order in itertools.permutations([seven, eight, nine]):
        shop = shops.create(books.database, "Mixed", books.now - timedelta(days=90), ibans=[ACCOUNT]).shop
        own = Books(books.database, shop, books.now)
        for content in order:
            assert own.bring(content).balance == "ok"
        assert [row[1] for row in own.postings()] == [2500] * 3
        own.sound()
        assert _open_alerts(own) == []


def test_a_payment_that_only_a_table_shows_breaks_what_the_balances_prove(books: Books) -> None:
    books.bring(file(FIRST, SECOND))
    table = (
        f"Buchungstag;Name;Verwendungszweck;Betrag;Währung;Auftragskonto\r\n10.03.2026;Otto;Kurs;7,00;EUR;{ACCOUNT}\r\n"
    )
    books.confirm_layout(table.encode())
    report = books.bring(table.encode(), "umsaetze.csv", account=ACCOUNT)
    assert report.new == 1
    assert [kind for kind, _ in _open_alerts(books)] == ["balance-mismatch"]


def test_the_last_day_of_a_statement_is_that_of_its_closing_balance(books: Books) -> None:
    """An account on which little happens is known up to the day of its balance, not only to its last booking."""
    books.bring(file(Page(0, [2500], "11/1", closed=6)))
    ((last,),) = books.rows("SELECT last_date FROM statements WHERE shop_id = $1")
    assert last == DAY + timedelta(days=6)
    with books.database.of_shop(books.shop) as tx:
        assert covered_until(tx) == ({"EUR": last}, False)
    books.bring(file(Page(2500, [100], "12/1", booked=7, opened=6, closed=7)))
    books.sound()
    assert check_statements(books.database, books.shop)[0]["complete"] is True
