"""The return of a payment stays with what it reverses: undone and moved with it, so that no order owes twice."""

from __future__ import annotations

from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import assigning, matching
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.statements.imports import undo_import
from tests.usecases.conftest import Books, camt, paid

TEXT = "order SO-71003"


def returned(books: Books) -> list[str]:
    """Two orders of 60.00; a payment of the first and its return. The ids of both postings."""
    for number in ("SO-71003", "SO-82004"):
        books.order(number, "60.00", billing={"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"})
    books.bring(camt(CamtMessage.STATEMENT, paid(6_000, TEXT, bank_reference="in")))
    assert books.status("SO-71003") == "PAID"
    back = paid(-6_000, TEXT, bank_reference="back", is_return=True, return_reason="MD06")
    books.bring(camt(CamtMessage.STATEMENT, back, opening=6_000, number=2))
    assert paid_minor(books, "SO-71003") == 0
    rows = dict(books.rows("SELECT bank_reference, id FROM postings WHERE shop_id = $1"))
    return [rows["in"], rows["back"]]


def paid_minor(books: Books, number: str) -> int:
    return int(dict(books.rows("SELECT number, postings_minor FROM orders WHERE shop_id = $1"))[number])


def allocated(books: Books) -> list[tuple[str, int, str]]:
    return sorted(
        tuple(row) for row in books.rows("SELECT order_number, amount_minor, kind FROM allocations WHERE shop_id = $1")
    )


def test_an_undone_match_takes_the_return_along(books: Books) -> None:
    """The order did not receive the money, so it did not lose it either: it owes 60.00, not 120.00."""
    payment, _ = returned(books)
    assigning.unmatch(books.database, books.shop, payment, books.now)
    matching.match_due(books.database, books.shop, books.now)
    assert (paid_minor(books, "SO-71003"), allocated(books)) == (0, [])
    assert books.status("SO-71003") == "UNPAID"
    books.sound()


def test_a_payment_that_moves_takes_its_return_along(books: Books) -> None:
    payment, _ = returned(books)
    assigning.match(books.database, books.shop, payment, [Part("SO-82004")], books.now)
    matching.match_due(books.database, books.shop, books.now)
    assert allocated(books) == [("SO-82004", -6_000, "return"), ("SO-82004", 6_000, "payment")]
    assert (paid_minor(books, "SO-71003"), paid_minor(books, "SO-82004")) == (0, 0)
    assigning.unmatch(books.database, books.shop, payment, books.now)
    assigning.match(books.database, books.shop, payment, [Part("SO-71003")], books.now)
    matching.match_due(books.database, books.shop, books.now)
    assert allocated(books) == [("SO-71003", -6_000, "return"), ("SO-71003", 6_000, "payment")]
    books.sound()


def test_a_payment_whose_statement_is_undone_takes_its_return_along(books: Books) -> None:
    payment, _ = returned(books)
    [(first,)] = books.rows(f"SELECT import_id FROM postings WHERE shop_id = $1 AND id = '{payment}'")
    undo_import(books.database, books.shop, first, books.now)
    matching.match_due(books.database, books.shop, books.now)
    assert (paid_minor(books, "SO-71003"), allocated(books)) == (0, [])


def test_a_return_that_a_person_has_matched_stays(books: Books) -> None:
    """The twin: what a person has decided is not undone by matching."""
    payment, back = returned(books)
    assigning.match(books.database, books.shop, back, [Part("SO-71003", -6_000)], books.now)
    assigning.unmatch(books.database, books.shop, payment, books.now)
    assert allocated(books) == [("SO-71003", -6_000, "return")]
    books.sound()


def test_another_payment_of_the_order_leaves_the_return_where_it_is(books: Books) -> None:
    returned(books)
    again = paid(6_000, TEXT, bank_reference="again", counterparty_iban="DE02120300000000202051")
    books.bring(camt(CamtMessage.STATEMENT, again, opening=0, number=3))
    rows = dict(books.rows("SELECT bank_reference, id FROM postings WHERE shop_id = $1"))
    assert books.status("SO-71003") == "PAID"
    assigning.unmatch(books.database, books.shop, rows["again"], books.now)
    matching.match_due(books.database, books.shop, books.now)
    assert allocated(books) == [("SO-71003", -6_000, "return"), ("SO-71003", 6_000, "payment")]
    books.sound()


def test_a_payment_that_is_matched_after_its_return_came_is_lost_at_once(books: Books) -> None:
    """A clerk matches a payment that names nothing; its return waits, and the order never counts as paid."""
    books.order("SO-71003", "60.00", billing={"firstName": "Ida", "lastName": "Kowalski", "countryCode": "DE"})
    books.bring(camt(CamtMessage.STATEMENT, paid(6_000, "danke", bank_reference="in")))
    back = paid(-6_000, "danke", bank_reference="back", is_return=True, return_reason="MD06")
    books.bring(camt(CamtMessage.STATEMENT, back, opening=6_000, number=2))
    assert allocated(books) == []
    [(payment,)] = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor > 0")
    assigning.match(books.database, books.shop, payment, [Part("SO-71003")], books.now)
    matching.match_due(books.database, books.shop, books.now)
    assert allocated(books) == [("SO-71003", -6_000, "return"), ("SO-71003", 6_000, "payment")]
    assert books.status("SO-71003") == "UNPAID"
    books.sound()
