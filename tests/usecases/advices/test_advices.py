"""Remittance advices end to end: orders paid by a sum that names nothing, and whose word counts."""

from __future__ import annotations

import json
from datetime import date
from io import BytesIO
from itertools import permutations

import pytest

from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.usecases.advices.advices import import_advice, list_advices, show_advice, undo_advice
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.work.check import check_shop
from tests.usecases.conftest import Books, camt, paid

CARRIER = """Auftraggeber: Kurier Blitz GmbH
Bestellnummer;Betrag;Gebühr;Auszahlung
SW-1001;100,00;2,00;98,00
SW-1002;50,00;1,00;49,00
Summe;150,00;3,00;147,00
"""
FORGED = CARRIER.replace("SW-1001", "SW-1002X").replace("SW-1002;", "SW-1003;").replace("SW-1002X", "SW-1004")


def orders(books: Books) -> None:
    for number, amount in (("SW-1001", "100.00"), ("SW-1002", "50.00"), ("SW-1003", "50.00"), ("SW-1004", "100.00")):
        books.order(number, amount)


def bank(books: Books, minor: int = 147_00, name: str = "Kurier Blitz GmbH", text: str = "Sammelauszahlung") -> None:
    books.bring(camt(CamtMessage.STATEMENT, paid(minor, text, counterparty_name=name)))
    match_due(books.database, books.shop, books.now)


def advise(books: Books, text: str = CARRIER, channel: StatementChannel = StatementChannel.COMMAND_LINE) -> str:
    found = import_advice(books.database, books.shop, BytesIO(text.encode()), "avis.csv", books.now, channel)
    return str(found[0]["id"])


@pytest.mark.parametrize("advice_first", [True, False])
def test_the_carriers_true_advice_pays_its_orders_in_either_order(books: Books, advice_first: bool) -> None:
    orders(books)
    if advice_first:
        advise(books)
        bank(books)
    else:
        bank(books)
        advise(books)
    assert [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)] == ["PAID", "PAID", "UNPAID", "UNPAID"]
    (shown,) = list_advices(books.database, books.shop)
    assert (shown["state"], shown["amount"], shown["sender"]) == ("matched", "147.00", "Kurier Blitz GmbH")
    assert check_shop(books.database, books.shop) == []


def test_undo_gives_the_state_before(books: Books) -> None:
    orders(books)
    bank(books)
    before = [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)]
    undo_advice(books.database, books.shop, advise(books), books.now)
    match_due(books.database, books.shop, books.now)
    assert [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)] == before == ["UNPAID"] * 4
    assert list_advices(books.database, books.shop) == []


def test_an_advice_that_came_by_the_key_is_a_suggestion_only(books: Books) -> None:
    orders(books)
    bank(books)
    advise(books, FORGED, StatementChannel.API)
    assert [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)] == ["UNPAID"] * 4
    (shown,) = list_advices(books.database, books.shop)
    assert shown["state"] == "suggested"
    advise(books)
    assert [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)] == ["PAID", "PAID", "UNPAID", "UNPAID"]


def test_a_strangers_advice_takes_no_certain_payment_from_its_order(books: Books) -> None:
    orders(books)
    advise(books, FORGED.replace("Kurier Blitz GmbH", "Eva Post"), StatementChannel.API)
    books.order("SW-2001", "147.00")
    bank(books, name="Eva Post", text="SW-2001")
    assert (books.status("SW-2001"), books.status("SW-1004")) == ("PAID", "UNPAID")


def test_a_cent_less_than_the_advice_is_not_explained(books: Books) -> None:
    orders(books)
    advise(books)
    bank(books, 146_99)
    assert [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)] == ["UNPAID"] * 4


def test_an_order_that_comes_later_is_paid_when_it_comes(books: Books) -> None:
    books.order("SW-1001", "100.00")
    advise(books)
    bank(books)
    assert books.status("SW-1001") == "UNPAID"
    books.order("SW-1002", "50.00")
    match_due(books.database, books.shop, books.now)
    assert [books.status(f"SW-100{n}") for n in (1, 2)] == ["PAID", "PAID"]


def test_a_file_that_fails_keeps_nothing_and_one_without_headings_is_shown(books: Books) -> None:
    with pytest.raises(FileRefused, match="row 3"):
        advise(books, CARRIER.replace("98,00", "x"))
    assert list_advices(books.database, books.shop) == []
    found = show_advice(books.database, books.shop, advise(books, "Hello,\nwe pay you soon: SW-1001\n"))
    assert (found["state"], "SW-1001" in found["text"]) == ("unreadable", True)


def test_the_evidence_names_the_sender(books: Books) -> None:
    orders(books)
    bank(books)
    advise(books)
    with books.database.of_shop(books.shop) as tx:
        assert "advice of Kurier Blitz GmbH" in str(
            tx.value("SELECT decision FROM postings WHERE shop_id = $1", books.shop.id)
        )


TWIN = CARRIER.replace("SW-1001", "SW-1004").replace("SW-1002", "SW-1003")


def suggested(books: Books) -> list[list[set[str]]]:
    """The orders of each suggestion of each posting that waits."""
    with books.database.of_shop(books.shop) as tx:
        found = tx.rows(
            "SELECT decision FROM postings WHERE shop_id = $1 AND status = 'suggested' ORDER BY id", tx.shop_id
        )
    return [
        [{part["orderNumber"] for part in one["allocations"]} for one in json.loads(decision)["suggestions"]]
        for (decision,) in found
    ]


def pay_twice(books: Books, count: int = 2) -> None:
    """Equal payments of the carrier that nothing tells apart."""
    twice = [paid(147_00, f"Sammelauszahlung {n}", counterparty_name="Kurier Blitz GmbH") for n in range(1, count + 1)]
    books.bring(camt(CamtMessage.STATEMENT, *twice))


def settle(books: Books) -> list[str]:
    """The status of each order once nothing is due."""
    for _ in range(3):
        match_due(books.database, books.shop, books.now)
    assert check_shop(books.database, books.shop) == []
    return [books.status(f"SW-100{n}") for n in (1, 2, 3, 4)]


ONE, OTHER = ["SW-1001", "SW-1002"], ["SW-1003", "SW-1004"]
OPEN, DONE = ["UNPAID"] * 4, ["PAID"] * 4


@pytest.mark.parametrize("steps", list(permutations(["bank", CARRIER, TWIN])))
def test_as_many_equal_payments_as_advices_pay_all_their_orders_in_any_order(
    books: Books, steps: tuple[str, ...]
) -> None:
    orders(books)
    for step in steps:
        pay_twice(books) if step == "bank" else advise(books, step)
        settle(books)
    assert (settle(books), suggested(books)) == (DONE, [])


def test_one_of_two_equal_payments_is_a_choice_until_the_other_comes(books: Books) -> None:
    orders(books)
    advise(books)
    advise(books, TWIN)
    bank(books)
    assert settle(books) == OPEN
    assert [sorted(map(sorted, each)) for each in suggested(books)] == [[ONE, OTHER]]
    again = paid(147_00, "Sammelauszahlung 2", counterparty_name="Kurier Blitz GmbH", booking_date=date(2026, 3, 10))
    books.bring(camt(CamtMessage.STATEMENT, again, opening=147_00, number=2, days=(date(2026, 3, 10),)))
    assert (settle(books), suggested(books)) == (DONE, [])


def test_one_payment_more_than_advices_is_a_choice_of_all(books: Books) -> None:
    orders(books)
    pay_twice(books, 3)
    advise(books)
    advise(books, TWIN)
    assert settle(books) == OPEN
    assert [sorted(map(sorted, each)) for each in suggested(books)] == [[ONE, OTHER]] * 3


def test_what_a_person_chooses_leaves_the_rest_to_the_others(books: Books) -> None:
    orders(books)
    pay_twice(books, 3)
    advise(books)
    advise(books, TWIN)
    assert settle(books) == OPEN
    posting = books.rows("SELECT id FROM postings WHERE shop_id = $1 ORDER BY id")[0][0]
    parts = assigning.suggested_parts(books.database, books.shop, posting)
    assigning.match(books.database, books.shop, posting, parts, books.now)
    assert settle(books) == DONE
    assert len(suggested(books)) == 1, "the third payment has no order left"


def test_a_payer_who_pays_once_more_undoes_nothing_and_its_money_waits(books: Books) -> None:
    orders(books)
    pay_twice(books)
    advise(books)
    advise(books, TWIN)
    assert settle(books) == DONE
    before = events(books)
    again = paid(147_00, "Sammelauszahlung 3", counterparty_name="Kurier Blitz GmbH", booking_date=date(2026, 3, 10))
    books.bring(camt(CamtMessage.STATEMENT, again, opening=294_00, number=2, days=(date(2026, 3, 10),)))
    assert (settle(books), events(books)) == (DONE, before)
    assert len(suggested(books)) == 1


def test_an_undone_advice_opens_the_orders_of_that_advice_alone(books: Books) -> None:
    orders(books)
    pay_twice(books)
    undone = advise(books)
    advise(books, TWIN)
    assert settle(books) == DONE
    undo_advice(books.database, books.shop, undone, books.now)
    assert settle(books) == ["UNPAID", "UNPAID", "PAID", "PAID"]
    advise(books)
    assert (settle(books), suggested(books)) == (DONE, [])


def test_equal_payments_of_two_payers_stay_a_choice(books: Books) -> None:
    """The second account only has the carrier's name."""
    orders(books)
    accounts = ("DE75512108001245126199", "DE02120300000000202051")
    both = [
        paid(147_00, "Auszahlung", counterparty_name="Kurier Blitz GmbH", counterparty_iban=each) for each in accounts
    ]
    books.bring(camt(CamtMessage.STATEMENT, *both))
    advise(books)
    advise(books, TWIN)
    assert settle(books) == OPEN
    assert [sorted(map(sorted, each)) for each in suggested(books)] == [[ONE, OTHER]] * 2


def test_advices_that_anyone_may_have_sent_stay_a_choice(books: Books) -> None:
    orders(books)
    pay_twice(books)
    advise(books, channel=StatementChannel.API)
    advise(books, TWIN, channel=StatementChannel.API)
    assert settle(books) == OPEN
    assert [sorted(map(sorted, each)) for each in suggested(books)] == [[ONE, OTHER]] * 2


def test_a_second_pair_takes_no_match_back(books: Books) -> None:
    """The first payment keeps its advice: no shop is notified that its order is unpaid."""
    orders(books)
    bank(books)
    advise(books)
    assert settle(books) == ["PAID", "PAID", "UNPAID", "UNPAID"]
    advise(books, TWIN)
    again = paid(147_00, "Sammelauszahlung 2", counterparty_name="Kurier Blitz GmbH", booking_date=date(2026, 3, 11))
    books.bring(camt(CamtMessage.STATEMENT, again, opening=147_00, number=2, days=(date(2026, 3, 11),)))
    assert (settle(books), suggested(books)) == (DONE, [])
    assert events(books) == [(f"SW-100{n}", "UNPAID", "PAID") for n in (1, 2, 3, 4)]


def events(books: Books) -> list[tuple[str, str, str]]:
    """All changes of status."""
    rows = books.rows("SELECT order_number, from_status, to_status FROM events WHERE shop_id = $1 ORDER BY 1, 2")
    return [tuple(row) for row in rows]
