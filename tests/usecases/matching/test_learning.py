"""What decisions by hand teach the matching of a shop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from paymatch.domain.matching.model import Delay
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import ShopId
from paymatch.usecases.matching import assigning, learning
from tests.usecases.conftest import Books, camt, paid


def shifts(books: Books) -> dict[str, Any]:
    with books.database.transaction(ShopId(books.shop.id)) as tx:
        found: dict[str, Any] = learning.visible(tx, books.shop)["shifts"]
    return found


def test_evidence_of_an_undone_match_weighs_less_until_it_is_confirmed(books: Books) -> None:
    books.order("SO-471101", "19.90")
    books.bring(camt(CamtMessage.STATEMENT, paid(1990, "Bestellung SO-471101")))
    ((posting_id, decision),) = books.rows("SELECT id, status FROM postings WHERE shop_id = $1")
    assert (decision, shifts(books)) == ("matched", {})
    assigning.unmatch(books.database, books.shop, posting_id, books.now)
    undone = shifts(books)
    assert undone["number-order-full"] == -0.25
    assert set(undone.values()) == {-0.25}
    parts = assigning.suggested_parts(books.database, books.shop, posting_id)
    assert [part.order_number for part in parts] == ["SO-471101"]
    assigning.match(books.database, books.shop, posting_id, parts, books.now)
    assert shifts(books)["number-order-full"] == -0.2
    assigning.unmatch(books.database, books.shop, posting_id, books.now)
    assert shifts(books)["number-order-full"] == -0.2  # what a person did says nothing of the evidence
    books.sound()


def test_the_delays_of_the_last_payments_are_known_while_the_shop_learns(books: Books) -> None:
    books.order("SO-471111", "19.90")
    books.order("SO-471112", "29.90", dueDate="15-03-2026")
    books.order("SO-471113", "39.90")
    books.bring(camt(CamtMessage.STATEMENT, paid(1990, "SO-471111"), paid(2990, "SO-471112"), paid(1000, "SO-471113")))
    with books.database.transaction(ShopId(books.shop.id)) as tx:
        facts = learning.shop_facts(tx, books.shop, ())
        off = learning.shop_facts(tx, replace(books.shop, learning=False), ())
    assert (len(facts.delays), set(facts.delays)) == (2, {Delay(9, -5), Delay(9, None)})
    assert off.delays == ()
