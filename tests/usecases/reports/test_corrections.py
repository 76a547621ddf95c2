"""Exported months stay byte for byte; what changes later goes into the first open month (D-86)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from paymatch.domain.refusal import Refused
from paymatch.domain.reports.asked import month_end, months_between
from paymatch.domain.reports.ledger import LedgerBooking
from paymatch.domain.words.message import Message
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.reports import closing, export_files, exports, journal
from paymatch.usecases.reports.export_files import ExportRequest
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.imports import undo_import
from tests.formats.accounting import datev_reader
from tests.length import some
from tests.usecases.conftest import ACCOUNT, Books, camt, paid
from tests.usecases.reports.test_random_books import BEGIN, Life

MARCH, APRIL, MAY = date(2026, 3, 1), date(2026, 4, 1), date(2026, 5, 1)
NAMES: Final = ("journal", "datev", "beancount")


def request(name: str, month: date, *, sales: bool = True) -> ExportRequest:
    return ExportRequest(name, month, month_end(month), sales=sales)


def export(books: Books, wanted: ExportRequest) -> bytes:
    with books.database.of_shop(books.shop) as tx:
        export_files.prepare(tx, wanted, books.now)
    with books.database.of_shop(books.shop) as tx:
        return b"".join(export_files.chunks(tx, wanted, books.now, None))


def moved(bookings: Iterable[LedgerBooking]) -> Counter[tuple[str, str, str]]:
    """(account, document, currency) -> debit less credit."""
    found: Counter[tuple[str, str, str]] = Counter()
    for each in bookings:
        found[each.debit.number, each.document, each.currency] += each.minor
        found[each.credit.number, each.document, each.currency] -= each.minor
    return Counter({key: minor for key, minor in found.items() if minor})


def shown(books: Books, month: date) -> list[tuple[str, str, int, str, str]]:
    with books.database.of_shop(books.shop) as tx:
        rows = exports.rows(tx, "journal", month, month_end(month))
        return [(row["debit"], row["credit"], row["amount"], row["document"], f"{row['date']}") for row in rows]


def number(books: Books) -> None:
    with books.database.of_shop(books.shop) as tx:
        shops.change(tx, {"datev-consultant": "29098", "datev-client": "55003"})


@pytest.fixture
def march(books: Books) -> Books:
    """A payment of March that names nothing, and an order; it is April."""
    number(books)
    books.order("A-1", "50.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(5000, "thank you", bank_reference="r1")))
    books.now = datetime(2026, 4, 7, 9, tzinfo=UTC)
    return books


def the_posting(books: Books) -> str:
    ((found,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1")
    return str(found)


@pytest.mark.parametrize("how", ["exported", "closed"])
def test_a_match_after_its_month_has_left_is_booked_in_the_first_open_month(march: Books, how: str) -> None:
    books, posting = march, the_posting(march)
    if how == "closed":
        closing.close(books.database, books.shop, MARCH, books.now)
    before = {name: export(books, request(name, MARCH, sales=False)) for name in NAMES}
    assigning.match(books.database, books.shop, posting, [Part("A-1", 5000)], books.now)
    books.now += timedelta(days=1)
    assert {name: export(books, request(name, MARCH, sales=False)) for name in NAMES} == before
    assert shown(books, MARCH) == [("1800", "1370", 5000, posting, "2026-03-10")]
    assert shown(books, APRIL) == [
        ("1370", "1800", 5000, posting, "2026-04-01"),
        ("1800", "10000", 5000, "A-1", "2026-04-01"),
    ]
    batch = datev_reader.read(export(books, request("datev", APRIL, sales=False)))
    assert [(each.debit, each.credit) for each in batch.bookings] == [("1370", "1800"), ("1800", "10000")]
    books.now = datetime(2026, 5, 7, 9, tzinfo=UTC)
    april = export(books, request("datev", APRIL, sales=False))
    assigning.unmatch(books.database, books.shop, posting, books.now)
    assert [row[:4] for row in shown(books, MAY)] == [
        ("10000", "1800", 5000, "A-1"),
        ("1800", "1370", 5000, posting),
    ]
    assert export(books, request("datev", APRIL, sales=False)) == april


def test_an_unfinished_month_has_not_left_and_a_filtered_journal_neither(march: Books) -> None:
    books, posting = march, the_posting(march)
    export(books, ExportRequest("journal", MARCH, date(2026, 3, 20)))
    export(
        books, ExportRequest("journal", MARCH, month_end(MARCH), only=export_files.only("journal", ["amount>1"], ""))
    )
    assigning.match(books.database, books.shop, posting, [Part("A-1", 5000)], books.now)
    assert shown(books, MARCH) == [("1800", "10000", 5000, "A-1", "2026-03-10")]
    assert shown(books, APRIL) == []


def test_settings_and_names_of_later_change_nothing_that_has_left(march: Books) -> None:
    before = {name: export(march, request(name, MARCH)) for name in NAMES}
    march.now += timedelta(days=2)
    with march.database.of_shop(march.shop) as tx:
        shops.change(tx, {"ledger-bank": "1810", "datev-client": "1", "name": "New name"})
    assert {name: export(march, request(name, MARCH)) for name in NAMES} == before


def test_an_order_that_is_submitted_late_is_a_sale_of_the_first_open_month(march: Books) -> None:
    before = export(march, request("journal", MARCH))
    march.order("LATE-1", "30.00")
    assert export(march, request("journal", MARCH)) == before
    with march.database.of_shop(march.shop) as tx:
        late = list(journal.bookings(tx, APRIL, month_end(APRIL), sales=True))
    assert [(each.document, each.minor, each.date) for each in late] == [("LATE-1", 3000, APRIL)]


def test_a_statement_that_is_undone_is_reversed(march: Books) -> None:
    export(march, request("journal", MARCH))
    ((statement,),) = march.rows("SELECT id FROM imports WHERE shop_id = $1")
    undo_import(march.database, march.shop, statement, march.now)
    assert [row[:3] for row in shown(march, APRIL)] == [("1370", "1800", 5000)]


DONE = frozenset({"leave", "take_back", "undo", "late_order", "change_order", "statement"})
"""What every life does at least once."""
DAYS, LONGEST_DAYS = 110, 400


class ExportingLife(Life):
    """Months leave on any day, in any order, some by being closed; what has left is kept.

    Ids are drawn by the service, so a seed does not fix a life: it goes on until all of DONE has happened.
    """

    def __init__(self, books: Books, seed: int, folder: Path) -> None:
        super().__init__(books, seed, folder)
        self.left: dict[tuple[str, date], bytes] = {}

    def live(self) -> None:
        for day in range(LONGEST_DAYS):
            if day >= DAYS and self.did.keys() >= DONE:
                return
            for _ in range(self.chance.choice((1, 2, 3))):
                action = self.chance.choice(self.actions())
                try:
                    action()
                except Refused:
                    continue
                self.did[action.__name__] += 1
            self.books.now += timedelta(days=1)

    def actions(self) -> list[Callable[[], None]]:
        return [each for each in super().actions() if each.__name__ != "erase"] + [
            self.leave,
            self.close,
            self.late_order,
        ]

    def a_month(self) -> date:
        over = [month for month in months_between(BEGIN, self.today) if month_end(month) < self.today]
        if not over or self.chance.random() < 0.5:
            raise Refused(Message("text", value="none is over"))
        return self.chance.choice(over)

    def leave(self) -> None:
        month = self.a_month()
        name = self.chance.choice(NAMES)
        content = export(self.books, request(name, month))
        assert self.left.setdefault((name, month), content) == content, (name, month)

    def close(self) -> None:
        closing.close(self.books.database, self.books.shop, self.a_month(), self.books.now)

    def late_order(self) -> None:
        self.people += 1
        day = self.today - timedelta(days=self.chance.choice((0, 9, 40)))
        self.books.order(f"N-{1000 + self.people}", f"{self.chance.randrange(10, 90)}.00", date=f"{day:%d-%m-%Y}")


@pytest.mark.parametrize("seed", some([1, 2, 3], 1))
def test_the_sum_over_all_months_is_the_state_of_the_books(database: Database, seed: int, tmp_path: Path) -> None:
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    shop = shops.create(database, f"Corrections {seed}", now - timedelta(days=9), ibans=[ACCOUNT]).shop
    life = ExportingLife(Books(database, shop, now), seed, tmp_path)
    number(life.books)
    with database.of_shop(shop) as tx:
        shops.change(tx, {"datev-rates": "USD:1.2500"})
    life.live()
    for (name, month), content in life.left.items():
        assert export(life.books, request(name, month)) == content, (name, month)
    first, last = date(2026, 1, 1), month_end(life.today)
    with database.of_shop(shop) as tx:
        months = [
            list(journal.bookings(tx, month, month_end(month), sales=True)) for month in months_between(first, last)
        ]
        whole = list(journal.bookings(tx, first, last, sales=True))
        now_booked = list(journal.current_bookings(tx, first, last, sales=True))
    assert moved(each for month in months for each in month) == moved(now_booked) == moved(whole)
    assert life.did.keys() >= DONE
    assert sum(len(month) for month in months) > len(now_booked), "something was corrected"
