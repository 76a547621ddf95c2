"""What decisions by hand teach the matching of a shop."""

from __future__ import annotations

from typing import Any

from paymatch.formats.camt_writer import Message
from paymatch.store.database import ShopId
from paymatch.usecases import assigning, learning
from tests.usecases.conftest import Books, camt, paid


def shifts(books: Books) -> dict[str, Any]:
    with books.database.transaction(ShopId(books.shop.id)) as tx:
        found: dict[str, Any] = learning.visible(tx, books.shop)["shifts"]
    return found


def test_evidence_of_an_undone_match_weighs_less_until_it_is_confirmed(books: Books) -> None:
    books.order("SO-471101", "19.90")
    books.bring(camt(Message.STATEMENT, paid(1990, "Bestellung SO-471101")))
    ((posting_id, decision),) = books.rows("SELECT id, status FROM postings WHERE shop_id = $1")
    assert (decision, shifts(books)) == ("matched", {})
    assigning.unmatch(books.database, books.shop, posting_id, books.now)
    undone = shifts(books)
    assert undone["number-order-full"] == -0.25
    assert set(undone.values()) == {-0.25}
    parts = assigning.first_suggestion(books.database, books.shop, posting_id)
    assert [part.order_number for part in parts] == ["SO-471101"]
    assigning.match(books.database, books.shop, posting_id, parts, books.now)
    assert shifts(books)["number-order-full"] == -0.2
    assigning.unmatch(books.database, books.shop, posting_id, books.now)
    assert shifts(books)["number-order-full"] == -0.2  # what a person did says nothing of the evidence
    books.sound()
