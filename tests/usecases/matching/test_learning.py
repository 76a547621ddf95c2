"""What decisions by hand teach the matching of a shop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paymatch.domain.matching.model import Delay
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.statements import postings
from paymatch.store.transactions import ShopId
from paymatch.usecases.matching import aliases, assigning, learning
from tests.usecases.conftest import Books, camt, paid


def shifts(books: Books) -> dict[str, Any]:
    with books.database.of_shop(books.shop) as tx:
        found: dict[str, Any] = learning.visible(tx)["shifts"]
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
    with books.database.of_shop(ShopId(books.shop.id)) as tx:
        facts = learning.shop_facts(tx, ())
        tx.shop = replace(books.shop, learning=False)
        off = learning.shop_facts(tx, ())
    assert (len(facts.delays), set(facts.delays)) == (2, {Delay(9, -5), Delay(9, None)})
    assert off.delays == ()


AUNT = {"counterparty_name": "Rosa Anders", "counterparty_iban": "DE02120300000000202051"}


def taught(books: Books) -> str:
    """A posting of the aunt that a person has matched to a customer's order."""
    books.order("SO-471120", "19.90", customerNumber="K-77")
    books.bring(camt(CamtMessage.STATEMENT, paid(1990, "fuer meinen Neffen", **AUNT)))
    ((posting, status),) = books.rows("SELECT id, status FROM postings WHERE shop_id = $1")
    assert status != "matched"
    assigning.match(books.database, books.shop, posting, [assigning.Part("SO-471120")], books.now)
    return str(posting)


def known(books: Books, posting: str) -> dict[str, tuple[str, ...]]:
    """The engine's knowledge of this posting's accounts."""
    with books.database.of_shop(books.shop) as tx:
        return dict(learning.shop_facts(tx, postings.load(tx, [posting])).known_ibans)


def test_each_alias_is_shown_and_can_be_taken_back_alone(books: Books) -> None:  # D-80
    posting = taught(books)
    iban = AUNT["counterparty_iban"]
    assert known(books, posting) == {iban: ("K-77",)}
    with books.database.of_shop(books.shop, at=books.now) as tx:
        (shown,) = aliases.alias_rows(tx)
        assert shown["customer"] == "K-77" and iban not in str(shown)
        aliases.take_back(tx, shown["id"])
        assert aliases.alias_rows(tx) == []
        with pytest.raises(aliases.AliasUnknown):
            aliases.take_back(tx, shown["id"])
    assert known(books, posting) == {}
    assigning.unmatch(books.database, books.shop, posting, books.now)
    assert known(books, posting) == {}
    assigning.match(books.database, books.shop, posting, [assigning.Part("SO-471120")], books.now)
    with books.database.of_shop(books.shop) as tx:
        assert [each["customer"] for each in aliases.alias_rows(tx)] == ["K-77"]
    assert known(books, posting) == {iban: ("K-77",)}
    books.sound()


def test_what_was_matched_automatically_is_no_alias(books: Books) -> None:
    books.order("SO-471121", "19.90", customerNumber="K-78")
    books.bring(camt(CamtMessage.STATEMENT, paid(1990, "Bestellung SO-471121")))
    assert books.status("SO-471121") == "PAID"
    with books.database.of_shop(books.shop) as tx:
        assert aliases.alias_rows(tx) == []


def test_an_account_is_shown_with_what_came_of_it_and_tried_on_the_past(books: Books) -> None:
    taught(books)
    books.order("SO-471130", "29.90", customerNumber="K-77")
    books.bring(camt(CamtMessage.STATEMENT, paid(2990, "fuer SO-471130", **AUNT), opening=1990, number=2))
    with books.database.of_shop(books.shop, at=books.now) as tx:
        (shown,) = aliases.alias_rows(tx)
        (tried,) = aliases.try_rows(tx)
    matched = books.rows(
        "SELECT count(*) FROM postings WHERE shop_id = $1 AND NOT by_hand AND matched_by LIKE '%iban-known%'"
    )[0][0]
    assert (shown["matched"], shown["takenBack"], matched) == (1, 0, 1)
    assert (tried["what"], tried["customer"], tried["agrees"], tried["against"]) == ("account", "K-77", 2, 0)
    assert AUNT["counterparty_iban"] not in str((shown, tried))
    ((automatic,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND NOT by_hand")
    assigning.unmatch(books.database, books.shop, automatic, books.now)
    with books.database.of_shop(books.shop, at=books.now) as tx:
        assert aliases.alias_rows(tx) == []  # contradicted: it counts no more
    books.sound()
