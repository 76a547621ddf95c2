"""Postings that are matched again: what their suggestions name has changed, or a person took a match back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import date

import msgspec
import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching import assigning, learning, matching
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.conftest import Books, camt, paid

FINAL = CamtMessage.STATEMENT
ANNA = {
    "billing": {"firstName": "Anna", "lastName": "Beispiel", "countryCode": "DE"},
    "customerNumber": "K881234",
}
OF_ANNA = {"counterparty_name": "Anna Beispiel", "counterparty_iban": "DE02120300000000202051"}


def call(books: Books, action: Callable[[ShopTx, str], None], number: str) -> None:
    """A call of the API on an order."""
    with books.database.of_shop(books.shop, at=books.now) as tx:
        action(tx, number)


def twins(books: Books) -> str:
    """Two open orders of one customer with one amount, and a payment that may be for either; the posting's id."""
    for number in ("A-70001", "A-70002"):
        books.order(number, "19.90", **ANNA)
    books.bring(camt(FINAL, paid(1990, "Kundennummer K881234", **OF_ANNA)))
    (posting,) = books.rows("SELECT id FROM postings WHERE shop_id = $1")[0]
    return str(posting)


def stands(books: Books, posting: str) -> tuple[str, list[str]]:
    """(status, first order of each suggestion)."""
    return next(
        (
            status,
            [each["allocations"][0]["orderNumber"] for each in msgspec.json.decode(decision).get("suggestions", [])],
        )
        for found, status, decision in books.rows("SELECT id, status, decision FROM postings WHERE shop_id = $1")
        if found == posting
    )


def due(books: Books) -> list[str]:
    return [
        row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL ORDER BY 1")
    ]


def again(books: Books) -> int:
    """Matches what is due; the number of decisions that this took."""
    return matching.match_due(books.database, books.shop, books.now).seen


def paid_by(books: Books, posting: str) -> list[str]:
    found = books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1 ORDER BY 2")
    return [row[1] for row in found if row[0] == posting]


@pytest.mark.parametrize("action", [orders.set_paid, orders.cancel, orders.remove])
def test_suggestion_goes_with_its_order_and_the_other_one_stays(
    books: Books, action: Callable[[ShopTx, str], None]
) -> None:
    posting = twins(books)
    status, firsts = stands(books, posting)
    assert (status, sorted(firsts)[:2]) == ("suggested", ["A-70001", "A-70002"])
    call(books, action, "A-70001")
    assert due(books) == [posting]
    assert again(books) == 1
    assert stands(books, posting) == ("suggested", ["A-70002"])
    assert assigning.suggested_parts(books.database, books.shop, posting) == [Part("A-70002", 1990)]
    assert (due(books), again(books)) == ([], 0)
    books.sound()


def test_payment_of_somebody_else_settles_what_was_suggested(books: Books) -> None:
    posting = twins(books)
    books.bring(camt(FINAL, paid(1990, "Bestellung A-70001", counterparty_name="Karl Fremd"), opening=1990, number=2))
    assert books.status("A-70001") == "PAID"
    assert (stands(books, posting)[0], paid_by(books, posting)) == ("matched", ["A-70002"])
    assert (due(books), again(books)) == ([], 0)
    books.sound()


def test_match_by_hand_settles_what_was_suggested(books: Books) -> None:
    first = twins(books)
    books.bring(camt(FINAL, paid(1990, "Merci", **OF_ANNA), opening=1990, number=2))
    second = next(row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1") if row[0] != first)
    assigning.match(books.database, books.shop, second, [Part("A-70002")], books.now)
    assert due(books) == [first]
    assert again(books) == 1
    assert paid_by(books, first) == ["A-70001"]
    books.sound()


def test_only_postings_whose_suggestions_name_the_order_are_looked_at(books: Books) -> None:
    posting = twins(books)
    for number in ("A-70003", "A-70004"):
        books.order(number, "5.00", billing={"firstName": "Bo", "lastName": "Anders", "countryCode": "DE"})
    books.bring(camt(FINAL, paid(500, "Danke", counterparty_name="Bo Anders"), number=2))
    call(books, orders.cancel, "A-70001")
    assert due(books) == [posting]
    call(books, orders.cancel, "A-70002")
    assert due(books) == [posting]
    assert again(books) == 1
    assert (stands(books, posting)[0], books.status("A-70002")) == ("suggested", "CANCELLED")
    assert (due(books), again(books)) == ([], 0)


def test_order_that_is_open_again_is_found(books: Books) -> None:
    books.order("A-70005", "31.00", **ANNA)
    call(books, orders.set_paid, "A-70005")
    books.bring(camt(FINAL, paid(3100, "Danke", **OF_ANNA)))
    (posting,) = (row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1"))
    assert paid_by(books, posting) == []
    call(books, orders.set_unpaid, "A-70005")
    again(books)
    assert paid_by(books, posting) == ["A-70005"]
    assert (due(books), again(books)) == ([], 0)


def test_match_that_is_taken_back_is_suggested_and_never_made_again(books: Books) -> None:
    books.order("A-70006", "44.00", **ANNA)
    books.bring(camt(FINAL, paid(4400, "Bestellung A-70006", **OF_ANNA)))
    (posting,) = (row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1"))
    assert paid_by(books, posting) == ["A-70006"]
    assert assigning.unmatch(books.database, books.shop, posting, books.now) == ["A-70006"]
    assert stands(books, posting) == ("suggested", ["A-70006"])
    books.order("A-70006", "44.00", **ANNA, customerEmail="anna@example.com")
    call(books, orders.set_paid, "A-70006")
    call(books, orders.set_unpaid, "A-70006")
    again(books)
    assert (stands(books, posting), books.status("A-70006")) == (("suggested", ["A-70006"]), "UNPAID")
    assert (due(books), again(books)) == ([], 0)
    assert assigning.suggested_parts(books.database, books.shop, posting) == [Part("A-70006", 4400)]
    books.sound()


def test_what_was_taken_back_is_suggested_last_and_a_new_order_first(books: Books) -> None:
    books.order("A-70007", "44.00", **ANNA)
    books.bring(camt(FINAL, paid(4400, "Danke", **OF_ANNA)))
    (posting,) = (row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1"))
    assigning.unmatch(books.database, books.shop, posting, books.now)
    books.order("A-70008", "44.00", **ANNA)
    again(books)
    assert stands(books, posting) == ("suggested", ["A-70008", "A-70007"])
    assigning.match(books.database, books.shop, posting, [Part("A-70008")], books.now)
    assert (books.status("A-70007"), books.status("A-70008")) == ("UNPAID", "PAID")
    assigning.unmatch(books.database, books.shop, posting, books.now)
    call(books, orders.cancel, "A-70008")
    again(books)
    assert stands(books, posting)[1] == ["A-70007"]
    books.sound()


def test_order_that_is_free_again_goes_to_the_payment_that_waited_for_it(books: Books) -> None:
    books.order("A-70009", "44.00", **ANNA)
    wrong = paid(4400, "Bestellung A-70009", counterparty_name="Karl Fremd")
    books.bring(camt(FINAL, wrong))
    (first,) = (row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1"))
    books.bring(camt(FINAL, paid(4400, "Danke", **OF_ANNA), opening=4400, number=2))
    second = next(row[0] for row in books.rows("SELECT id FROM postings WHERE shop_id = $1") if row[0] != first)
    assert (paid_by(books, first), paid_by(books, second)) == (["A-70009"], [])
    assigning.unmatch(books.database, books.shop, first, books.now)
    again(books)
    assert (paid_by(books, first), paid_by(books, second)) == ([], ["A-70009"])
    assert (due(books), again(books)) == ([], 0)
    books.sound()


@pytest.mark.parametrize("decide", [assigning.ignore, assigning.set_aside])
def test_posting_that_a_person_put_away_is_left_alone(books: Books, decide: Callable[..., None]) -> None:
    posting = twins(books)
    decide(books.database, books.shop, posting, "is my aunt's", books.now)
    call(books, orders.cancel, "A-70001")
    books.order("A-70010", "19.90", **ANNA)
    assert due(books) == []
    assert paid_by(books, posting) == []


def test_rules_and_settings_that_change_are_tried_on_what_waits(books: Books) -> None:
    posting = twins(books)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        learning.reset(tx)
    assert due(books) == [posting]
    assert (again(books), due(books), again(books)) == (1, [], 0)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        shops.reconsider(tx, {"name", "callback-url"})
    assert due(books) == []
    call(books, orders.cancel, "A-70001")
    again(books)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        shops.change(tx, {"caution": "bold"})
        shops.reconsider(tx, {"caution": "bold"})
        changed = shop_store.load(tx)
    assert changed is not None
    books.shop = changed
    assert (again(books), paid_by(books, posting)) == (1, ["A-70002"])


def test_order_that_is_submitted_while_its_payment_is_decided(books: Books, module_url: str) -> None:
    submitted: list[str] = []

    def submit(_: str) -> None:
        unmatched = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL")
        if unmatched and not submitted:  # the posting is booked; what decides it has not committed yet
            submitted.append("A-70011")
            books.order("A-70011", "52.00", **ANNA)

    slow = Database(module_url, size=2, at_boundary=submit, keyring=KEYRING)
    try:
        Books(slow, books.shop).bring(camt(FINAL, paid(5200, "Bestellung A-70011", **OF_ANNA)))
    finally:
        slow.close()
    assert (submitted, books.status("A-70011")) == (["A-70011"], "PAID")
    assert due(books) == []
    books.sound()


def test_order_that_is_settled_while_it_is_suggested(books: Books, module_url: str) -> None:
    """The call waits for the decision, and the decision is looked at again after the call."""
    calls: list[threading.Thread] = []

    def set_paid(_: str) -> None:
        if not calls and books.rows("SELECT 1 FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL"):
            calls.append(threading.Thread(target=call, args=(books, orders.set_paid, "A-70001")))
            calls[0].start()

    slow = Database(module_url, size=2, at_boundary=set_paid, keyring=KEYRING)
    try:
        posting = twins(Books(slow, books.shop))
    finally:
        slow.close()
    calls[0].join()
    again(books)
    assert (books.status("A-70001"), stands(books, posting)) == ("PAID", ("suggested", ["A-70002"]))
    assert (due(books), again(books)) == ([], 0)
    books.sound()


def test_a_return_waits_for_the_statement_with_its_payment(books: Books) -> None:
    """A couple has one account: her payment is not given back by the return of his, whose statement comes late."""
    account = "DE02120300000000202051"
    hers = {"counterparty_name": "Maren Beispiel", "counterparty_iban": account}
    his = {"counterparty_name": "Jörg Beispiel", "counterparty_iban": account}
    for number, first in (("A-70001", "Maren"), ("A-70002", "Jörg")):
        books.order(number, "19.90", billing={"firstName": first, "lastName": "Beispiel", "countryCode": "DE"})
    days = [date(2026, 3, day) for day in (6, 9, 10)]
    debit = paid(1990, "Zahlung zu A-70002", **his, booking_date=days[1], end_to_end_id="E-933")
    back = paid(
        -1990, "Zahlung zu A-70002", **his, booking_date=days[2], is_return=True, return_reason="MD06",
        original_end_to_end_id="E-933",
    )  # fmt: skip
    books.bring(camt(FINAL, paid(1990, "A-70001", **hers, booking_date=days[0]), days=days[:1]))
    books.bring(camt(FINAL, back, opening=3980, number=3, days=days[2:]))
    assert {number: books.status(number) for number in ("A-70001", "A-70002")} == {
        "A-70001": "PAID", "A-70002": "UNPAID",
    }  # fmt: skip
    books.bring(camt(FINAL, debit, opening=1990, number=2, days=days[1:2]))
    while again(books):
        pass
    assert {number: books.events(number) for number in ("A-70001", "A-70002")} == {
        "A-70001": ["PAID"], "A-70002": ["PAID", "UNPAID"],
    }  # fmt: skip
    books.sound()
