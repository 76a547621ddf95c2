"""paymatch order, and refunds create: what a clerk looks up and does."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid


def numbers(rows: list[dict[str, str]]) -> list[str]:
    return [row["number"] for row in rows]


def test_list_and_search(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00", billing={"firstName": "Erika", "lastName": "Müller", "countryCode": "DE"})
    books.order("SO-471102", "18.00", type="COD")
    rows = run("order", "list", "Shop")[1]
    assert rows[1] == {
        "number": "SO-471101", "date": "2026-03-01", "dueDate": None, "customer": "Erika Müller", "type": "PREPAYMENT",
        "amount": "12.00", "paid": "0.00", "open": "12.00", "overpaid": "0.00", "currency": "EUR", "status": "UNPAID",
        "advice": "",
    }  # fmt: skip
    assert numbers(rows) == ["SO-471102", "SO-471101"]
    assert numbers(run("order", "list", "Shop", "--limit", "1")[1]) == ["SO-471102"]
    assert run("order", "list", "Shop", "--status", "paid")[1] == []
    assert run("order", "list", "Shop", "--status", "lost")[0] == 1
    assert numbers(run("order", "search", "Shop", "müLLer")[1]) == ["SO-471101"]
    assert numbers(run("order", "search", "471102")[1]) == ["SO-471102"]  # the only shop


def test_overpaid_orders_say_what_to_do(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00")
    books.order("SO-471102", "18.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(3000, "SO-471101"), paid(1800, "SO-471102")))
    postings = {row["amount"]: row["id"] for row in run("postings", "Shop")[1]}
    assert run("match", "Shop", postings["30.00"], "SO-471101")[0] == 0
    (row,) = run("order", "list", "Shop", "--overpaid")[1]
    assert (row["number"], row["overpaid"]) == ("SO-471101", "18.00")
    assert row["advice"] == f"overpaid by 18.00 EUR: paymatch refunds create {books.shop.id} SO-471101 18.00"
    _, refund, _ = run("refunds", "create", "Shop", "SO-471101", "18.00", "--reference", "R-1")
    assert (refund["externalReference"], refund["amount"], refund["status"]) == ("R-1", "18.00", "NEW")
    assert run("order", "list", "Shop", "--overpaid")[1][0]["advice"] == "overpaid by 18.00 EUR; the refund is filed"
    assert run("order", "cancel", "Shop", "SO-471102", "--yes")[0] == 0
    assert numbers(run("order", "list", "Shop", "--overpaid")[1]) == ["SO-471102", "SO-471101"]
    for words, why in (
        (("SO-471101", "0"), "A refund is more than 0.00"), (("SO-9", "1.00"), "Order 'SO-9' not found"),
        (("SO-471101", "1.234"), ""),
    ):  # fmt: skip
        code, _, error = run("refunds", "create", "Shop", *words)
        assert code == 1
        assert why in error


def test_marks(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00")
    assert run("order", "setpaid", "Shop", "SO-471101")[1] == {"order": "SO-471101", "status": "PAID"}
    assert run("order", "setpaid", "Shop", "SO-471101")[2] == "Error: Order already in paymentStatus PAID\n"
    assert run("order", "setunpaid", "Shop", "SO-471101")[1] == {"order": "SO-471101", "status": "UNPAID"}
    assert run("order", "cancel", "Shop", "SO-471101")[0] == 1
    assert books.status("SO-471101") == "UNPAID"
    assert run("order", "cancel", "Shop", "SO-471101", "--yes")[1] == {"order": "SO-471101", "status": "CANCELLED"}
    assert run("order", "cancel", "Shop", "SO-9", "--yes")[2] == "Error: Order 'SO-9' not found\n"


@pytest.mark.usefixtures("run")
def test_one_screen(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00", billing={"firstName": "\x1b[31m[/x]", "lastName": "Muster", "countryCode": "DE"})
    books.bring(camt(CamtMessage.STATEMENT, paid(700, "SO-471101 [/y]")))
    posting = run("postings", "Shop")[1][0]
    run("match", "Shop", posting["id"], "SO-471101")
    run("refunds", "create", "Shop", "SO-471101", "2.00", "--reference", "R-1")
    run("order", "setpaid", "Shop", "SO-471101")
    whole = run("order", "show", "Shop", "SO-471101")[1]
    assert (whole["order"]["amount"], whole["order"]["postings"][0]["amount"]) == ("12.00", "7.00")
    days = [whole["order"]["date"], whole["order"]["postings"][0]["postingDate"], whole["summary"]["date"]]
    assert days == ["2026-03-01", "2026-03-10", "2026-03-01"]  # as everywhere in the command line
    assert whole["order"]["refunds"][0]["plannedDate"][:2] == "20"
    assert [entry["action"] for entry in whole["auditEntries"]] == ["order-marked"]
    shown = CliRunner().invoke(app, ["order", "show", "Shop", "SO-471101"]).stdout
    assert "\x1b" not in shown
    for words in (
        "Order SO-471101   2026-03-01   PREPAYMENT   PAID", "Customer   \\x1b[31m[/x] Muster",
        "Amount     12.00 EUR   paid 7.00   open 0.00", "SO-471101 [/y]", "R-1   2.00", "order-marked",
    ):  # fmt: skip
        assert words in shown
    assert "Postings\n  2026-03-10   7.00   EUR" in shown
    assert run("order", "show", "Shop", "SO-9")[2] == "Error: Order 'SO-9' not found\n"
