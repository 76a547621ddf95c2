"""Postings and orders in different currencies: what is proposed, what a person can confirm, what is refused (D-35)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from paymatch.domain.orders.split import AssignmentRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.statements.posting_report import report
from paymatch.usecases.matching import assigning, matching
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.statements import accounts
from tests.usecases.conftest import Books, camt, paid

NO_RATE = (
    "the posting is in EUR, the order in USD, and no rate is known:"
    " submit the order again with exchangeRate, or set the order as paid and set the posting aside"
)


def bring(books: Books, minor: int, text: str, **more: Any) -> str:
    """The id of a posting in EUR that was imported."""
    books.bring(camt(CamtMessage.STATEMENT, paid(minor, text, **more)))
    return str(books.rows("SELECT id FROM postings WHERE shop_id = $1")[0][0])


def shown(books: Books) -> dict[str, Any]:
    """The posting as `paymatch postings --json` prints it."""
    with books.database.of_shop(books.shop) as tx:
        (row,) = report(tx)
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(row))
    return found


def allocations(books: Books) -> list[tuple[Any, ...]]:
    return books.rows("SELECT order_number, amount_minor, order_amount_minor FROM allocations WHERE shop_id = $1")


def test_without_a_rate_the_order_is_proposed_and_cannot_be_confirmed(books: Books) -> None:
    books.order("SO-471201", "54.00", currency="USD")
    posting = bring(books, 5400, "Bestellung SO-471201")
    found = shown(books)
    assert (found["status"], found["heldBack"]) == ("suggested", NO_RATE)
    (suggestion,) = found["suggestions"]
    assert suggestion["allocations"] == [
        {"orderNumber": "SO-471201", "amount": "54.00", "orderAmount": None, "orderCurrency": "USD"}
    ]
    assert 0.9 < suggestion["probability"] <= 1.0
    words = "the posting is in EUR, the order in USD, and no rate is known; the figure is the same"
    assert words in [reason["words"] for reason in suggestion["evidence"]]
    confirmed = assigning.suggested_parts(books.database, books.shop, posting)
    for parts in (confirmed, [Part("SO-471201")], [Part("SO-471201", 100)]):
        with pytest.raises(AssignmentRefused) as refused:
            assigning.match(books.database, books.shop, posting, parts, books.now)
        assert str(refused.value) == f"Order 'SO-471201': {NO_RATE}"
    assert allocations(books) == []
    assert (shown(books)["status"], books.status("SO-471201"), books.events("SO-471201")) == ("suggested", "UNPAID", [])
    books.sound()


def test_an_exchange_rate_that_is_submitted_later_books_the_posting(books: Books) -> None:
    books.order("SO-471202", "54.00", currency="USD")
    bring(books, 5000, "Bestellung SO-471202")
    assert shown(books)["status"] == "suggested"
    books.order("SO-471202", "54.00", currency="USD", exchangeRate=1.08)
    assert matching.match_due(books.database, books.shop, books.now).matched == 1
    assert allocations(books) == [("SO-471202", 5000, 5400)]
    assert books.status("SO-471202") == "PAID"
    books.sound()


def test_what_the_bank_says_was_instructed_is_booked(books: Books) -> None:
    books.order("SO-471203", "54.00", currency="USD")
    bring(books, 4870, "Bestellung SO-471203", instructed_amount_minor=5400, instructed_currency="USD")
    assert shown(books)["status"] == "matched"
    assert allocations(books) == [("SO-471203", 4870, 5400)]
    assert books.status("SO-471203") == "PAID"
    books.sound()


def test_a_suggestion_with_a_rate_is_confirmed_in_the_orders_currency(books: Books) -> None:
    books.order("SO-471204", "54.00", currency="USD")
    posting = bring(
        books,
        2000,
        "Bestellung SO-471204",
        instructed_amount_minor=2160,
        instructed_currency="USD",
        exchange_rate="1.08",
    )
    (suggestion,) = shown(books)["suggestions"]
    assert suggestion["allocations"] == [
        {"orderNumber": "SO-471204", "amount": "20.00", "orderAmount": "21.60", "orderCurrency": "USD"}
    ]
    parts = assigning.suggested_parts(books.database, books.shop, posting)
    assert assigning.match(books.database, books.shop, posting, parts, books.now) == ["SO-471204"]
    assert allocations(books) == [("SO-471204", 2000, 2160)]
    assert books.status("SO-471204") == "PAID_PARTIAL"
    assigning.unmatch(books.database, books.shop, posting, books.now)
    assert (allocations(books), books.status("SO-471204")) == ([], "UNPAID")
    books.sound()


def test_by_hand_an_order_with_a_rate_takes_a_part_of_a_posting(books: Books) -> None:
    books.order("SO-471205", "54.00", currency="USD", exchangeRate="1.08")
    books.order("SO-471206", "10.00")
    posting = bring(books, 3500, "Danke", counterparty_name="Karl Fremd")
    parts = [Part("SO-471205", 2500), Part("SO-471206")]
    assigning.match(books.database, books.shop, posting, parts, books.now)
    assert sorted(allocations(books)) == [("SO-471205", 2500, 2700), ("SO-471206", 1000, 1000)]
    assert (books.status("SO-471205"), books.status("SO-471206")) == ("PAID_PARTIAL", "PAID")
    books.sound()


def test_a_rate_decides_nothing_where_the_order_is_asked_for_in_its_own_currency(books: Books) -> None:  # D-85
    books.order("SO-471230", "54.00", currency="USD", exchangeRate=1.08)
    accounts.add(books.database, books.shop, "1-2-3", "USD", books.now)
    posting = bring(books, 5000, "Bestellung SO-471230")
    found = shown(books)
    assert (found["status"], found["heldBack"]) == (
        "suggested",
        "order SO-471230 has an exchange rate, but its customer is asked for USD, and the posting is in EUR",
    )
    assert allocations(books) == []
    parts = assigning.suggested_parts(books.database, books.shop, posting)
    assigning.match(books.database, books.shop, posting, parts, books.now)
    assert (allocations(books), books.status("SO-471230")) == ([("SO-471230", 5000, 5400)], "PAID")
    books.sound()


def test_what_the_bank_says_was_instructed_counts_whatever_is_asked_for(books: Books) -> None:
    books.order("SO-471231", "54.00", currency="USD", exchangeRate=1.08)
    accounts.add(books.database, books.shop, "1-2-3", "USD", books.now)
    bring(books, 4870, "Bestellung SO-471231", instructed_amount_minor=5400, instructed_currency="USD")
    assert (shown(books)["status"], books.status("SO-471231")) == ("matched", "PAID")
