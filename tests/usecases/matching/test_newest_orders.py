"""What the shop's latest orders and an account's payments so far are a reason for, in the database (D-148, D-149)."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.matching import recent
from paymatch.usecases.matching import matching
from tests.usecases.conftest import Books, camt, paid

FINAL = CamtMessage.STATEMENT
ANNA: dict[str, Any] = {
    "billing": {"firstName": "Anna", "lastName": "Beispiel", "postCode": "71769", "countryCode": "DE"},
    "customerNumber": "K881234",
    "customerEmail": "anna@example.org",
}
NAMESAKE: dict[str, Any] = {
    "billing": {"firstName": "Anna", "lastName": "Beispiel", "postCode": "10115", "countryCode": "DE"},
    "customerNumber": "K990001",
    "customerEmail": "a.b@example.com",
}
HERS, ANOTHERS = "DE02120300000000202051", "DE05290688558474297641"


def by(iban: str, text: str, amount: int = 1990) -> bytes:
    return camt(FINAL, paid(amount, text, counterparty_name="Anna Beispiel", counterparty_iban=iban))


def statuses(books: Books) -> list[tuple[str, str]]:
    rows = books.rows("SELECT remittance, status FROM postings WHERE shop_id = $1 ORDER BY booking_date, remittance")
    return [(text, status) for text, status in rows]


def allocated(books: Books) -> list[str]:
    return [
        row[1] for row in books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1 ORDER BY 2")
    ]


def series(books: Books) -> None:
    """Anna's order, and those of others that the shop has submitted since: three a day, one of them left out."""
    books.order("104853", "19.90", **ANNA)
    for place in range(1, 28):
        if place != 10:
            books.order(f"{104853 + place}", "55.00", date=f"{1 + place // 3:02d}-03-2026")


def test_a_payment_for_the_next_order_waits_for_it(books: Books) -> None:
    series(books)
    books.bring(by(HERS, "Bestellung 104883"))
    assert statuses(books) == [("Bestellung 104883", "suggested")]
    books.order("104883", "19.90", date="10-03-2026", **ANNA)
    assert matching.match_due(books.database, books.shop, books.now).matched == 1
    assert (allocated(books), books.status("104853"), books.status("104883")) == (["104883"], "UNPAID", "PAID")
    books.sound()


def test_a_wrong_digit_is_an_error_where_the_series_has_passed(books: Books) -> None:
    series(books)
    books.bring(by(HERS, "Bestellung 104863"))
    assert (statuses(books), allocated(books)) == ([("Bestellung 104863", "matched")], ["104853"])
    books.sound()


def test_the_latest_orders_are_those_up_to_the_day(books: Books) -> None:
    series(books)
    books.order("B-7/a", "5.00", date="11-03-2026")
    with books.database.of_shop(books.shop, at=books.now) as tx:
        newest = recent.newest_orders(tx, date(2026, 3, 10))
        assert newest[0] == (date(2026, 3, 10), "104880")
        assert newest[-1] == (date(2026, 3, 1), "104853")
        assert len(newest) == 27
        assert recent.newest_orders(tx, date(2026, 3, 11))[0] == (date(2026, 3, 11), "B7A")


@pytest.mark.parametrize(("iban", "status"), [(ANOTHERS, "suggested"), (HERS, "matched")])
def test_an_account_that_pays_for_a_namesake_is_asked_about(books: Books, iban: str, status: str) -> None:
    books.order("A-70001", "12.00", **NAMESAKE)
    books.bring(by(ANOTHERS, "A-70001", 1200))
    books.order("A-70002", "19.90", **ANNA)
    books.bring(
        camt(FINAL, paid(1990, "", counterparty_name="Anna Beispiel", counterparty_iban=iban), number=2, opening=1200)
    )
    assert statuses(books) == [("", status), ("A-70001", "matched")]
    assert books.status("A-70002") == ("PAID" if status == "matched" else "UNPAID")
    books.sound()


def test_a_customers_second_order_is_paid_from_the_same_account(books: Books) -> None:
    books.order("A-70001", "12.00", **{**ANNA, "customerNumber": "K990001"})  # a guest has a new number each time
    books.bring(by(HERS, "A-70001", 1200))
    books.order("A-70002", "19.90", **ANNA)
    books.bring(
        camt(FINAL, paid(1990, "", counterparty_name="Anna Beispiel", counterparty_iban=HERS), number=2, opening=1200)
    )
    assert statuses(books) == [("", "matched"), ("A-70001", "matched")]
    with books.database.of_shop(books.shop, at=books.now) as tx:
        assert [each.number for each in recent.paid_customers(tx, [HERS])[HERS]] == ["K881234", "K990001"]
        assert recent.paid_customers(tx, [ANOTHERS]) == {}
    books.sound()
