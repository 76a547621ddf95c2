"""A posting that cannot be decided within its limit of work is left to a person; its batch goes on."""

from __future__ import annotations

import json

from paymatch.api import schema
from paymatch.domain.matching.lookup.work import MAX_FOUND, TOO_MUCH
from paymatch.domain.matching.prepare import prepare
from paymatch.formats.camt.writer import Message
from paymatch.store.database import ShopId
from paymatch.usecases.matching.candidates import may_settle
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
    checked = [schema.check_order(each) for each in schema.decode_orders(json.dumps(bodies).encode())]
    with books.database.transaction(ShopId(books.shop.id)) as tx:
        orders.submit(tx, books.shop, checked, books.now)


def test_orders_that_a_hostile_posting_names_are_not_locked() -> None:
    text = " ".join(map(invoice, range(MAX_FOUND // SHARED_BY + 1)))
    prepared = prepare([posting(invoice(0), id="P1"), posting(text, id="P2")])
    modest, hostile = prepared.views
    hits = {key: [f"Z{key}A{i}" for i in range(SHARED_BY)] for key in hostile.number_keys}
    of_modest = {number for key in modest.number_keys for number in hits[key]}
    assert len(of_modest) >= SHARED_BY
    assert may_settle(prepared, hits) == of_modest


def test_hostile_posting_is_a_persons_and_the_batch_goes_on(books: Books) -> None:
    submit(books)
    books.order("S-80007", "19.90")
    hostile = paid(999_999, " ".join(map(invoice, range(INVOICES))), counterparty_name="Claire Gotthard")
    report = books.bring(camt(Message.STATEMENT, hostile, paid(1990, "Bestellung S-80007")))
    assert (report.new, report.matched, report.suggested) == (2, 1, 0)
    assert books.status("S-80007") == "PAID"
    ((status, decision),) = books.rows(
        "SELECT status, decision FROM postings WHERE shop_id = $1 AND amount_minor = 999999"
    )
    said = json.loads(decision)
    assert (status, said["heldBack"], said["suggestions"]) == ("unmatched", TOO_MUCH, [])
    assert books.rows("SELECT kind FROM alerts WHERE shop_id = $1 AND kind = 'item-failed'") == []
    books.sound()
