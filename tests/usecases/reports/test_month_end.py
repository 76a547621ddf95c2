"""The end of a month: what is known until when, what is unfinished, and figures of closed months that stay."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.reports.asked import PeriodQuery, ask, report_of
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.collection import cases
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import orders
from paymatch.usecases.reports import closing, exports, figures, reports
from paymatch.usecases.reports.unfinished import unfinished_work
from paymatch.usecases.shops import shops
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

MARCH = date(2026, 3, 1)


def report(books: Books, name: str, first: date, last: date) -> list[dict[str, Any]]:
    wanted = report_of(name)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        return [dict(row) for row in reports.rows(tx, wanted, ask(wanted, tx.today, first, last))]


def test_cash_says_until_when_it_is_known(books: Books) -> None:
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "x"), opening=500, days=(date(2026, 3, 9), date(2026, 3, 27))))
    books.now = datetime(2026, 5, 4, 9, tzinfo=UTC)
    march, april = report(books, "cash", date(2026, 2, 1), date(2026, 4, 30))  # none before the first statement
    keys = ("month", "opening", "in", "missing", "closing", "knownTo")
    assert [march[key] for key in keys] == [MARCH, 500, 1000, None, 1500, date(2026, 3, 27)]
    assert [april[key] for key in keys] == [date(2026, 4, 1), 1500, 0, None, 1500, date(2026, 3, 27)]
    books.bring(camt(CamtMessage.STATEMENT, opening=1400, number=2, days=(date(2026, 3, 28), date(2026, 3, 31))))
    march, april = report(books, "cash", date(2026, 2, 1), date(2026, 4, 30))
    assert (march["missing"], march["closing"], march["knownTo"]) == (-100, 1400, date(2026, 3, 31))
    assert april["missing"] is None
    [row] = report(books, "dso", MARCH, date(2026, 3, 31))
    assert row["knownTo"] == date(2026, 3, 31)


def test_sales_and_dso_of_a_closed_month_stay(books: Books) -> None:
    books.order("A-1", "100.00")
    books.order("A-2", "50.00")
    books.now = datetime(2026, 4, 7, 9, tzinfo=UTC)

    def dso() -> list[tuple[Any, ...]]:
        rows = report(books, "dso", MARCH, date(2026, 4, 30))
        return [(row["month"].month, row["sales"], row["open"], row["dso"]) for row in rows]

    assert dso()[0] == (3, 15000, 15000, Decimal("31.0"))
    closing.close(books.database, books.shop, MARCH, books.now)
    books.now = datetime(2026, 4, 8, 9, tzinfo=UTC)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.cancel(tx, "A-2")
    books.order("A-3", "30.00", date="30-03-2026")
    books.order("A-4", "20.00", date="08-04-2026")
    assert dso() == [(3, 15000, 15000, Decimal("31.0")), (4, 0, 15000, None)]


def test_days_until_paid_of_a_closed_month_are_those_of_its_closing(books: Books) -> None:
    """A match that is undone, a late statement and a refund change what is known, and not the closed month."""
    for number, day in (("A-1", "01-03-2026"), ("A-2", "05-03-2026"), ("A-3", "06-03-2026")):
        books.order(number, "100.00", date=day)
    both = [paid(10000, "x", bank_reference="r1"), paid(10000, "y", bank_reference="r2")]
    books.bring(camt(CamtMessage.STATEMENT, *both))
    ids = [row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1 ORDER BY bank_reference")]
    for posting, number in zip(ids, ("A-1", "A-2"), strict=True):
        assigning.match(books.database, books.shop, posting, [Part(number, 10000)], books.now)
    books.now = datetime(2026, 4, 7, 9, tzinfo=UTC)
    books.order("A-9", "7.00", date="31-03-2026")  # on the day of the closing, before it

    def march() -> tuple[Any, ...]:
        [row] = report(books, "dso", MARCH, date(2026, 3, 31))
        with books.database.of_shop(books.shop, at=books.now) as tx:
            shown = figures.days_until_paid(tx, PeriodQuery(MARCH, date(2026, 3, 31), date(2026, 3, 31)))
        days = (row["paidOrders"], row["meanDays"], row["medianDays"], row["knownTo"])
        return *days, row["sales"], row["open"], row["dso"], shown

    closed = march()
    assert closed[:3] == (2, Decimal("7.0"), Decimal("7.0")) and closed[4] == 30700
    closing.close(books.database, books.shop, MARCH, books.now)
    assert march() == closed
    assigning.unmatch(books.database, books.shop, ids[0], books.now)
    late = (date(2026, 3, 11), date(2026, 3, 31))
    books.bring(camt(CamtMessage.STATEMENT, paid(10000, "z", booking_date=late[1]), opening=20000, number=2, days=late))
    ((third,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND booking_date = '2026-03-31'")
    assigning.match(books.database, books.shop, third, [Part("A-3", 10000)], books.now)
    assert march() == closed
    [row] = report(books, "dso", date(2026, 4, 1), date(2026, 4, 30))
    assert (row["sales"], row["open"]) == (0, 10700)


def test_closing_lists_what_is_unfinished(books: Books) -> None:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        shops.change(tx, {"exports": "postings", "export-every": "month"})
    books.order("A-1", "10.00")
    first = camt(CamtMessage.STATEMENT, paid(4711, "x"), paid(289, "y"), days=(date(2026, 3, 9), date(2026, 3, 12)))
    books.bring(first)
    books.bring(camt(CamtMessage.STATEMENT, opening=9000, number=3, days=(date(2026, 3, 16), date(2026, 3, 27))))
    books.now = datetime(2026, 4, 2, 9, tzinfo=UTC)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        found = [str(each) for each in unfinished_work(tx, MARCH)]
    assert found[0] == "2 postings are not explained: 50.00 EUR together"
    assert any("a statement is missing" in each for each in found), found
    assert found[-2:] == [
        f"Account {ACCOUNT} EUR: its statements end on 2026-03-27",
        "The exports of 2026-03-01 to 2026-03-31 wait for statements, until 2026-04-05 at the latest",
    ]
    with books.database.of_shop(books.shop, at=books.now) as tx:
        assert unfinished_work(tx, date(2026, 1, 1)) == []


def test_bookings_of_what_waits_name_payer_and_purpose(books: Books) -> None:
    books.bring(
        camt(CamtMessage.STATEMENT, paid(1000, "danke", bank_reference="r1"), paid(-490, "", bank_reference="r2"))
    )
    ((fee,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor < 0")
    assigning.ignore(books.database, books.shop, fee, "", books.now)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        rows = list(exports.rows(tx, "journal", MARCH, date(2026, 3, 31)))
    assert sorted(row["text"] for row in rows) == [
        "Eva Muster: danke", "Eva Muster: keine Zahlung zu einer Bestellung",
    ]  # fmt: skip


def test_matched_says_by_which_evidence_together(books: Books) -> None:
    for number in ("WT-1001", "WT-1002"):
        books.order(number, "10.00", billing={"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"})
    payments = [paid(1000, f"order WT-100{n}", bank_reference=f"r{n}") for n in (1, 2)]
    books.bring(camt(CamtMessage.STATEMENT, *payments, paid(77, "?", bank_reference="r3", counterparty_name="N N")))
    found = {row["by"]: row["postings"] for row in report(books, "matched", MARCH, date(2026, 3, 31))}
    assert found == {"order number + account or name + amount": 2, "not matched yet": 1}


def test_what_an_agency_keeps_is_its_fee(books: Books) -> None:
    books.order("A-1", "149.90")
    with books.database.of_shop(books.shop, at=books.now) as tx:
        cases.set_agency(tx, {"name": "Agency Ltd", "channel": "folder"})
        cases.hand_over(tx, "A-1")
    books.bring(camt(CamtMessage.STATEMENT, paid(13490, "Auszahlung", counterparty_name="Agency Ltd")))
    ((posting,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.match(books.database, books.shop, posting, [Part("A-1", 13490, 1500)], books.now)
    [fee] = report(books, "fees", MARCH, date(2026, 3, 31))
    assert (fee["kind"], fee["fee"]) == (FeeKind.COMMISSION, 1500)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        cases.keep_up(tx)
        [case] = cases.list_cases(tx)
    ((said,),) = books.rows(
        "SELECT description FROM collection_events WHERE shop_id = $1 ORDER BY position DESC LIMIT 1"
    )
    assert said == "Payment 149.90 EUR, open 0.00 EUR, of which the agency has kept 15.00 EUR as its fee"
    assert case["status"] == "PAID"
