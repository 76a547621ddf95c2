"""Two payments for two equal orders: each order is proposed first for one of them, whenever the second one comes."""

from __future__ import annotations

from datetime import timedelta

from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import assigning
from tests.usecases.conftest import DAY, Books, camt, paid

FINAL = CamtMessage.STATEMENT
LATER = DAY + timedelta(days=1)


def first_suggestions(books: Books) -> dict[str, str]:
    """Booking day -> the order that its undecided posting is proposed for first."""
    statement = (
        "SELECT booking_date::text, decision::json -> 'suggestions' -> 0 -> 'allocations' -> 0 ->> 'orderNumber'"
        " FROM postings WHERE shop_id = $1 AND status = 'suggested'"
    )
    return dict(books.rows(statement))


def two_equal_orders(books: Books) -> None:
    customer = {"billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}, "customerNumber": "7001"}
    books.order("A1001", "19.90", **customer)
    books.order("A1002", "19.90", **customer | {"date": "05-03-2026"})


def test_the_second_payment_gives_the_first_the_older_order(books: Books) -> None:
    two_equal_orders(books)
    books.bring(camt(FINAL, paid(1990, "Danke")))
    assert first_suggestions(books) == {"2026-03-10": "A1002"}
    books.bring(camt(FINAL, paid(1990, "Einkauf", booking_date=LATER), number=2, opening=1990, days=(LATER, LATER)))
    assert first_suggestions(books) == {"2026-03-10": "A1001", "2026-03-11": "A1002"}
    assert books.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL") == [(0,)]
    books.sound()


def test_a_payment_that_is_decided_claims_nothing(books: Books) -> None:
    two_equal_orders(books)
    books.bring(camt(FINAL, paid(1990, "Danke")))
    ((posting, number),) = books.rows("SELECT posting_id, order_number FROM first_suggestions WHERE shop_id = $1")
    assert number == "A1002"
    assigning.ignore(books.database, books.shop, posting, "not ours", books.now)
    assert books.rows("SELECT count(*) FROM first_suggestions WHERE shop_id = $1") == [(0,)]


def test_paid_orders_of_a_namesake_do_not_hide_the_open_one_of_this_amount(books: Books) -> None:
    """The keys of a paid order's names are stored until they crowd; what they find is not all there is."""
    for number, name in (("A1001", "Ida"), ("A1002", "Ida"), ("A1003", "Uwe")):
        last = "Kern" if name == "Uwe" else "Meier"
        books.order(number, "19.90", billing={"firstName": name, "lastName": last, "countryCode": "DE"})
    books.bring(camt(FINAL, *(paid(1990, number, counterparty_name="Ida Meier") for number in ("A1001", "A1002"))))
    assert (books.status("A1001"), books.status("A1002")) == ("PAID", "PAID")
    someone = paid(1990, "Danke", counterparty_name="Meier", counterparty_iban="", booking_date=LATER)
    books.bring(camt(FINAL, someone, number=2, opening=3980, days=(LATER, LATER)))
    (found,) = books.rows(
        "SELECT decision::json -> 'suggestions' FROM postings WHERE shop_id = $1 AND status = 'suggested'"
    )
    assert "A1003" in {part["orderNumber"] for suggestion in found[0] for part in suggestion["allocations"]}
