"""Orders that are set paid without money are booked, with account and reason, and taken back (D-98)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from paymatch.domain.orders.settlement import SetPaidAccount, set_paid_changes
from paymatch.domain.reports.asked import ask, report_of
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import orders
from paymatch.usecases.reports import journal, reports
from tests.usecases.conftest import Books, camt, paid

FIRST, LAST = date(2026, 3, 1), date(2026, 3, 31)


def set_paid(books: Books, account: SetPaidAccount, reason: str = "paid at the counter") -> None:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.set_paid(tx, "A-1", reason=reason, account=account)


def set_unpaid(books: Books) -> None:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.set_unpaid(tx, "A-1")


def booked(books: Books) -> list[tuple[str, str, int, str]]:
    with books.database.of_shop(books.shop) as tx:
        found = journal.bookings(tx, FIRST, LAST)
        return [(each.debit.number, each.credit.number, each.minor, each.text) for each in found]


def report(books: Books) -> list[tuple[Any, ...]]:
    wanted = report_of("set-paid")
    with books.database.of_shop(books.shop) as tx:
        rows = reports.rows(tx, wanted, ask(wanted, LAST, FIRST, LAST))
        return [(row["date"].day, row["account"], row["amount"], row["reason"]) for row in rows]


def test_what_the_order_owed_is_booked_to_the_account_that_was_chosen(books: Books) -> None:
    books.order("A-1", "50.00")
    set_paid(books, SetPaidAccount.CASH)
    assert booked(books) == [("1600", "10000", 5000, "paid at the counter")]
    assert report(books) == [(11, "CASH", 5000, "paid at the counter")]
    books.now += timedelta(days=1)
    set_unpaid(books)
    assert booked(books)[1:] == [("10000", "1600", 5000, "Muster")]
    set_paid(books, SetPaidAccount.VOUCHER, "voucher 7")
    assert booked(books)[1:] == [("10000", "1600", 5000, "Muster"), ("1370", "10000", 5000, "voucher 7")]
    books.sound()


def test_a_payment_that_comes_after_all_takes_it_back(books: Books) -> None:
    books.order("A-1", "50.00")
    set_paid(books, SetPaidAccount.OTHER)
    books.now += timedelta(days=1)
    books.bring(camt(CamtMessage.STATEMENT, paid(2000, "thanks")))
    ((posting,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.match(books.database, books.shop, posting, [Part("A-1", 2000)], books.now)
    assert [row[:3] for row in report(books)] == [(11, "OTHER", 5000), (12, "OTHER", -2000)]
    assert sorted(row[:3] for row in booked(books)) == [
        ("10000", "1370", 2000), ("1370", "10000", 5000), ("1800", "10000", 2000),
    ]  # fmt: skip
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.cancel(tx, "A-1")
    assert sum(row[2] for row in report(books)) == 0


def test_an_order_that_money_has_paid_has_nothing_to_book(books: Books) -> None:
    books.order("A-1", "50.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(5000, "thanks")))
    ((posting,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.match(books.database, books.shop, posting, [Part("A-1", 5000)], books.now)
    assert report(books) == []


def test_less_is_taken_back_where_something_is_booked() -> None:
    cash, other = SetPaidAccount.CASH, SetPaidAccount.OTHER
    assert set_paid_changes(50, {cash: 0}, cash) == {cash: 50}
    assert set_paid_changes(0, {cash: 30, other: 20}, other) == {cash: -30, other: -20}
    assert set_paid_changes(40, {cash: 30, other: 20}, other) == {cash: -10}
    assert set_paid_changes(50, {cash: 30, other: 20}, other) == {}
