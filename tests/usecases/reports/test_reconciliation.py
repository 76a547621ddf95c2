"""Debtors of the journal = open - overpaid + each named item, difference 0.00 (D-107); receivables by booking date."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Final

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.reports.asked import ReportBy, ask, report_of
from paymatch.domain.reports.ledger import AccountRole
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import orders
from paymatch.usecases.reports import closing, journal, reports
from paymatch.usecases.settlement import credits
from paymatch.usecases.shops import shops
from tests.usecases.conftest import Books, camt, paid

LAST: Final = date(2026, 3, 31)


def rows(books: Books, name: str, day: date, *, by: ReportBy = ReportBy.MONTH) -> list[dict[str, Any]]:
    report = report_of(name)
    with books.database.of_shop(books.shop) as tx:
        asked = ask(report, books.shop.today(books.now), as_of=day, by=by)
        return [dict(row) for row in reports.rows(tx, report, asked)]


def reconciled(books: Books, day: date) -> dict[str, int]:
    found = rows(books, "reconciliation", day)
    assert {row["currency"] for row in found} == {"EUR"}
    items = {row["item"]: row["amount"] for row in found}
    debtors, difference = items.pop("debtors of the journal"), items.pop("difference")
    assert (debtors, difference) == (sum(items.values()), 0)
    return {"debtors": debtors} | {item: minor for item, minor in items.items() if minor}


def come(books: Books, *payments: tuple[int, str, int], number: int) -> None:
    """A statement of payments (amount, text, day of March), each matched to the order of its text."""
    made = [
        paid(minor, text, booking_date=date(2026, 3, day), end_to_end_id=f"E{number}-{place}")
        for place, (minor, text, day) in enumerate(payments)
    ]
    days = sorted({date(2026, 3, day) for _, _, day in payments})
    books.bring(camt(CamtMessage.STATEMENT, *made, number=number, days=(days[0], days[-1])))
    for minor, text, _ in payments:
        found = books.rows(
            "SELECT id FROM postings WHERE shop_id = $1 AND status IN ('unmatched', 'suggested')"
            f" AND amount_minor = {minor} AND remittance = '{text}'"
        )
        for (posting,) in found:
            part = Part(text.split()[-1], minor)
            if text == "payout":
                part = Part("A-0004", minor, 300, FeeKind.COMMISSION)
            assigning.match(books.database, books.shop, posting, [part], books.now)


def a_month(books: Books) -> None:
    """Ten orders: paid, in part, too much, less a fee, late, set paid, a bit short, cancelled, removed, new."""
    with books.database.of_shop(books.shop) as tx:
        shops.change(tx, {"tolerance": "0.50"})
    books.shop = replace(books.shop, tolerance_minor=50)
    for place, amount in enumerate((50, 80, 30, 100, 40, 25, 60, 70, 20, 90), start=1):
        books.order(f"A-{place:04}", f"{amount}.00", customerNumber=f"K-{place % 3}", dueDate="10-03-2026")
    come(
        books, (5000, "order A-0001", 11), (2000, "order A-0002", 11), (3700, "order A-0003", 11),
        (9700, "payout", 11), (5970, "order A-0007", 11), (7000, "order A-0008", 11), (2000, "order A-0009", 11),
        number=1,
    )  # fmt: skip
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.set_paid(tx, "A-0006", reason="paid at the counter")
        orders.cancel(tx, "A-0008")
        orders.remove(tx, "A-0009")


def test_a_month_reckoned_in_plain_integers(books: Books) -> None:
    a_month(books)
    books.now = datetime(2026, 4, 2, 9, tzinfo=UTC)
    come(books, (4000, "order A-0005", 30), number=2)
    # What the debtors owe on 31 March: sales of what is neither cancelled nor removed, less what came, all in cents.
    sold = 5000 + 8000 + 3000 + 10000 + 4000 + 2500 + 6000 + 9000
    came = 5000 + 2000 + 3700 + (9700 + 300) + 5970 + 7000 + 2000 + 4000
    set_paid = 2500
    debtors = sold - came - set_paid
    known_open = (8000 - 2000) + 4000 + 9000  # A-0005 was not known to be paid
    overpaid = (3700 - 3000) + 7000
    assert reconciled(books, LAST) == {
        "debtors": debtors, "open orders": known_open, "overpaid orders": -overpaid, "payments known later": -4000,
        "paid within the tolerance": 30, "removed orders": -2000,
    }  # fmt: skip
    with books.database.of_shop(books.shop) as tx:
        booked = list(journal.bookings(tx, date(2026, 1, 1), LAST, sales=True))
    in_journal = sum(
        each.minor * ((each.debit.role is AccountRole.DEBTORS) - (each.credit.role is AccountRole.DEBTORS))
        for each in booked
    )
    assert in_journal == debtors
    assert reconciled(books, date(2026, 4, 2))["open orders"] == known_open - 4000
    books.sound()


def test_receivables_by_booking_date_and_by_customer(books: Books) -> None:
    a_month(books)
    books.now = datetime(2026, 4, 2, 9, tzinfo=UTC)
    come(books, (4000, "order A-0005", 30), (1000, "order A-0002", 30), number=2)
    books.order("A-0011", "15.00", date="31-03-2026", customerNumber="K-1")

    def listed(day: date, by: ReportBy) -> dict[str, int]:
        return {row["number"]: row["open"] for row in rows(books, "open", day, by=by)}

    assert listed(LAST, ReportBy.KNOWN) == {"A-0002": 6000, "A-0005": 4000, "A-0010": 9000}
    assert listed(LAST, ReportBy.BOOKED) == {"A-0002": 5000, "A-0010": 9000, "A-0011": 1500}
    assert listed(date(2026, 3, 29), ReportBy.BOOKED) == {"A-0002": 6000, "A-0005": 4000, "A-0010": 9000}
    assert listed(date(2026, 4, 2), ReportBy.BOOKED) == listed(date(2026, 4, 2), ReportBy.KNOWN)
    found = rows(books, "customers", LAST, by=ReportBy.BOOKED)
    assert [(row["customerNumber"], row["orders"], row["open"], row["overdue"]) for row in found] == [
        ("K-1", 2, 10500, 9000), ("K-2", 1, 5000, 5000),
    ]  # fmt: skip
    assert reconciled(books, LAST)["orders known on another day"] == 1500


def test_a_correction_of_a_month_that_has_left_is_an_item_until_its_own_month(books: Books) -> None:
    a_month(books)
    books.now = datetime(2026, 4, 2, 9, tzinfo=UTC)
    closing.close(books.database, books.shop, date(2026, 3, 1), books.now)
    ((posting,),) = books.rows("SELECT posting_id FROM allocations WHERE shop_id = $1 AND order_number = 'A-0001'")
    assigning.unmatch(books.database, books.shop, posting, books.now)
    march = reconciled(books, LAST)
    assert (march["payments known later"], march["corrections booked in a later month"]) == (5000, -5000)
    assert "corrections booked in a later month" not in reconciled(books, date(2026, 4, 2))


def test_a_refund_without_credit_note_is_named(books: Books) -> None:
    books.order("A-0001", "50.00")
    come(books, (5000, "order A-0001", 10), number=1)
    come(books, (-5000, "back A-0001", 11), number=2)
    assert books.status("A-0001") == "REFUNDED"
    assert reconciled(books, date(2026, 3, 11)) == {"debtors": 5000, "refunds without credit note": 5000}


def test_a_cancelled_order_that_paid_out_more_than_came_in_is_named(books: Books) -> None:
    """Its payment was refunded, and then found to be another order's."""
    books.order("A-0001", "50.00")
    come(books, (5000, "order A-0001", 10), number=1)
    come(books, (-5000, "back A-0001", 11), number=2)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.cancel(tx, "A-0001")
    ((posting,),) = books.rows("SELECT posting_id FROM allocations WHERE shop_id = $1 AND amount_minor > 0")
    assigning.unmatch(books.database, books.shop, posting, books.now)
    found = reconciled(books, date(2026, 3, 11))
    assert found == {"debtors": 5000, "cancelled orders with more paid out than paid in": 5000}
    with books.database.of_shop(books.shop, at=books.now) as tx:
        credits.note_loss(tx, "A-0001")
    assert reconciled(books, date(2026, 3, 11)) == {"debtors": 0}
