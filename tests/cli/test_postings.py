"""paymatch postings, match, unmatch, ignore, set-aside: what a clerk does by hand, and what is refused."""

from __future__ import annotations

import csv
import io

from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid


def test_match_split_and_unmatch(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00")
    books.order("SO-471102", "18.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(3000, "Danke")))
    posting = run("postings", "Shop")[1][0]["id"]
    code, matched, _ = run("match", "Shop", posting, "SO-471101=12.00", "SO-471102")
    assert (code, matched) == (0, {"posting": posting, "orders": ["SO-471101", "SO-471102"]})
    assert (books.status("SO-471101"), books.status("SO-471102")) == ("PAID", "PAID")
    assert run("unmatch", "Shop", posting)[0] == 0
    assert (books.status("SO-471101"), books.status("SO-471102")) == ("UNPAID", "UNPAID")
    assert run("set-aside", "Shop", posting, "--reason", "asks the bank")[1]["status"] == "unmatched"
    assert run("ignore", "Shop", posting)[1]["status"] == "ignored"
    books.sound()


def test_the_table_says_what_was_decided_and_why(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00")
    books.order("SO-471102", "18.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(1200, "SO-471101"), paid(700, "Danke")))
    table = CliRunner().invoke(app, ["postings", "Shop", "--csv", "--columns", "status,orders,why"]).stdout
    matched, unmatched = sorted(csv.reader(io.StringIO(table.partition("\n")[2])))
    assert unmatched == ["unmatched", "", ""]
    assert matched[:2] == ["matched", "SO-471101 12.00"]
    assert "the amount is exactly what is open; " in matched[2]
    row = run("postings", "Shop")[1][0]
    assert {"orders", "why"}.isdisjoint(row)


def test_parts_are_in_the_currency_of_the_posting(run: Run, books: Books) -> None:
    """Yen have no cents, regardless of the shop's own currency."""
    books.order("SO-471101", "1200", currency="JPY")
    books.order("SO-471102", "1800", currency="JPY")
    yen = camt(CamtMessage.STATEMENT, paid(300_000, "Danke")).replace(b'Ccy="EUR"', b'Ccy="JPY"')
    books.bring(yen.replace(b"<Ccy>EUR</Ccy>", b"<Ccy>JPY</Ccy>"))
    found = run("postings", "Shop")[1][0]
    assert (found["amount"], found["currency"]) == ("3000.00", "JPY")
    assert run("match", "Shop", found["id"], "SO-471101=1200", "SO-471102")[0] == 0
    assert books.rows("SELECT order_number, amount_minor FROM allocations WHERE shop_id = $1 ORDER BY 1") == [
        ("SO-471101", 1200), ("SO-471102", 1800),
    ]  # fmt: skip
    books.sound()


def test_what_is_refused(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(3000, "Danke")))
    posting = run("postings", "Shop")[1][0]["id"]
    for arguments, why in (
        (("match", "Shop", "pst_none", "SO-471101"), "There is no posting 'pst_none'"),
        (("match", "Shop", posting, "SO-471101=40.00"), "The parts add up to more than the posting"),
        (("match", "Shop", posting, "SO-9"), "Order 'SO-9' not found"),
        (("match", "Shop", posting), f"Posting {posting!r} has no suggestion: name the orders"),
    ):
        assert run(*arguments) == (1, None, f"Error: {why}\n")
    assert books.status("SO-471101") == "UNPAID"


def test_a_fee_is_given_for_all_orders_for_each_or_as_the_rest(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00")
    books.order("SO-471102", "18.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(2850, "Danke")))
    posting = run("postings", "Shop")[1][0]["id"]
    both = [
        {"orderNumber": "SO-471101", "amount": "12.00", "fee": "0.60", "feeKind": "COMMISSION"},
        {"orderNumber": "SO-471102", "amount": "18.00", "fee": "0.90", "feeKind": "COMMISSION"},
    ]
    for fee in ("1.50", "rest"):
        assert run("match", "Shop", posting, "SO-471101", "SO-471102", "--fee", fee)[0] == 0
        assert run("postings", "Shop")[1][0]["allocations"] == both
        assert (books.status("SO-471101"), books.status("SO-471102")) == ("PAID", "PAID")
    each = ("SO-471101=11.00+1.00", "SO-471102=17.50+0.50", "--fee-kind", "payment-fee")
    assert run("match", "Shop", posting, *each)[0] == 0
    assert [(a["amount"], a["fee"], a["feeKind"]) for a in run("postings", "Shop")[1][0]["allocations"]] == [
        ("12.00", "1.00", "PAYMENT_FEE"), ("18.00", "0.50", "PAYMENT_FEE"),
    ]  # fmt: skip
    assert run("match", "Shop", posting, "SO-471101", "--fee", "1.00", "--fee-kind", "tip")[2] == (
        "Error: There is no fee kind 'tip': commission, delivery-fee, payment-fee, bank-charge, cash-discount\n"
    )
    books.sound()
