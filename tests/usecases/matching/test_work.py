"""A posting that cannot be decided within its limit of work is left to a person; its batch goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from time import process_time

from paymatch.domain.matching.lookup.batch import MAX_FOUND, TOO_MUCH
from paymatch.domain.matching.prepare import prepare
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.contract.bodies import check_order, decode_orders
from paymatch.store.matching import matching as store
from paymatch.usecases.matching.candidates import orders_to_lock
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import orders
from tests.domain.matching.test_work import SHARED_BY, invoice
from tests.domain.matching.world import posting
from tests.usecases.conftest import Books, camt, paid

INVOICES = 10


def submit(books: Books) -> None:
    """Ten invoice numbers, each of 64 orders."""
    billing = {"firstName": "Claire", "lastName": "Gotthard", "countryCode": "DE"}
    bodies = [
        {
            "number": f"Z{k}A{i:02}", "date": "01-02-2026", "type": "INVOICE", "amount": f"{10 + k}.{i:02}",
            "currency": "EUR", "billing": billing, "invoiceNumbers": [invoice(k)],
        }
        for k in range(INVOICES)
        for i in range(SHARED_BY)
    ]  # fmt: skip
    checked = [check_order(each) for each in decode_orders(json.dumps(bodies).encode())]
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.submit(tx, checked)


def test_orders_that_a_hostile_posting_names_are_not_locked() -> None:
    text = " ".join(map(invoice, range(MAX_FOUND // SHARED_BY + 1)))
    prepared = prepare([posting(invoice(0), id="P1"), posting(text, id="P2")])
    modest, hostile = prepared.views
    hits = {key: [f"Z{key}A{i}" for i in range(SHARED_BY)] for key in hostile.number_keys}
    of_modest = {number for key in modest.number_keys for number in hits[key]}
    assert len(of_modest) >= SHARED_BY
    assert orders_to_lock(prepared, hits) == of_modest


def test_hostile_posting_is_a_persons_and_the_batch_goes_on(books: Books) -> None:
    submit(books)
    books.order("S-80007", "19.90")
    hostile = paid(999_999, " ".join(map(invoice, range(INVOICES))), counterparty_name="Claire Gotthard")
    report = books.bring(camt(CamtMessage.STATEMENT, hostile, paid(1990, "Bestellung S-80007")))
    assert (report.new, report.matched, report.suggested) == (2, 1, 0)
    assert books.status("S-80007") == "PAID"
    ((status, decision),) = books.rows(
        "SELECT status, decision FROM postings WHERE shop_id = $1 AND amount_minor = 999999"
    )
    said = json.loads(decision)
    assert (status, said["heldBack"], said["suggestions"]) == ("unmatched", TOO_MUCH, [])
    assert books.rows("SELECT kind FROM alerts WHERE shop_id = $1 AND kind = 'item-failed'") == []
    books.sound()


def due(books: Books) -> int:
    """How many postings wait for their matching."""
    found: int = books.rows("SELECT count(*) FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL")[0][0]
    return found


def call_again(books: Books) -> None:
    """The matching of all open postings is due."""
    with books.database.of_shop(books.shop) as tx:
        store.mark_all_for_rematch(tx, books.now)


def test_thousands_of_numbers_in_a_text_are_neither_looked_up_nor_kept(books: Books) -> None:
    """Before, one posting had as many rows in the index as its text had numbers, and each was looked up."""
    submit(books)
    lines = tuple(invoice(k) for k in range(3_900))
    report = books.bring(
        camt(CamtMessage.STATEMENT, replace(paid(999_999, ""), remittance_lines=lines), paid(1010, invoice(0)))
    )
    assert (report.new, report.matched) == (2, 0)
    rows = books.rows(
        "SELECT amount_minor, decision,"
        " (SELECT count(*) FROM posting_keys k WHERE k.shop_id = $1 AND k.posting_id = id)"
        " FROM postings WHERE shop_id = $1 ORDER BY amount_minor DESC"
    )
    (amount, of_hostile, kept), (_, of_other, kept_of_other) = rows
    assert (amount, json.loads(of_hostile)["heldBack"], kept) == (999_999, TOO_MUCH, 0)
    assert json.loads(of_other)["suggestions"] != []
    assert kept_of_other > 0
    books.sound()


def test_long_texts_are_matched_few_at_a_time_and_a_turn_ends(books: Books) -> None:
    text = "Spende " * 9_000
    books.bring(camt(CamtMessage.STATEMENT, *[paid(100 + place, text) for place in range(24)]))
    call_again(books)
    assert due(books) == 24
    counts = match_due(books.database, books.shop, books.now, seconds=0)
    assert 10 <= counts.seen < 20
    assert due(books) == 24 - counts.seen
    assert match_due(books.database, books.shop, books.now).seen == 24 - counts.seen
    assert due(books) == 0


def test_twins_of_one_amount_and_name_cost_what_they_cost(books: Books) -> None:
    """Thousands of orders of one customer, amount and item, and as many payments that fit them all."""
    twins = [
        {
            "number": f"T{i:05}", "date": "01-02-2026", "type": "INVOICE", "amount": "19.90", "currency": "EUR",
            "billing": {"firstName": "Claire", "lastName": "Gotthard", "countryCode": "DE"}, "customerNumber": "C1",
        }
        for i in range(600)
    ]  # fmt: skip
    checked = [check_order(each) for each in decode_orders(json.dumps(twins).encode())]
    with books.database.of_shop(books.shop, at=books.now) as tx:
        orders.submit(tx, checked)
    began = process_time()
    payments = [paid(1990, f"C1 Teil {i}", counterparty_name="Claire Gotthard") for i in range(120)]
    report = books.bring(camt(CamtMessage.STATEMENT, *payments))
    assert process_time() - began < 20
    assert (report.new, report.matched) == (120, 0)
    assert due(books) == 0
    books.sound()
