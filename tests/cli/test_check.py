"""paymatch check and the settings of a shop speak in units of the currency, and say what to do."""

from __future__ import annotations

from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid


def test_check_speaks_in_units_of_the_currency(run: Run, books: Books) -> None:
    books.order("SO-471101", "30.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(3000, "SO-471101")))
    (posting,) = run("postings", "Shop")[1]
    run("match", "Shop", posting["id"], "SO-471101")
    assert CliRunner().invoke(app, ["check"]).stdout == "1 shop checked, everything is right\n"
    books.rows("UPDATE orders SET postings_minor = 2950 WHERE shop_id = $1 RETURNING number")
    books.rows("UPDATE postings SET allocated_minor = 2000 WHERE shop_id = $1 RETURNING id")
    code, found, error = run("check", "Shop")
    assert (code, error) == (1, f"Error: {len(found['violations'])} violations\n")
    texts = {row["subject"]: row["text"] for row in found["violations"]}
    assert texts[posting["id"]] == "allocated 20.00, but its allocations are 30.00 EUR"
    assert (
        "the order says 29.50 EUR paid and 0.00 EUR refunded, "
        "its postings and refunds say 30.00 EUR paid and 0.00 EUR refunded"
    ) in {row["text"] for row in found["violations"]}
    assert "paymatch order show" in CliRunner().invoke(app, ["check"]).stdout


def test_tolerance_is_given_in_units_of_the_currency(run: Run, books: Books) -> None:
    code, shown, _ = run("shop", "set", "Shop", "tolerance=0.50", "fee-tolerance=15")
    assert (code, shown["tolerance"], shown["fee_tolerance"]) == (0, "0.50", "15.00")
    assert books.rows("SELECT tolerance_minor, fee_tolerance_minor FROM shops WHERE shop_id = $1") == [(50, 1500)]
    assert run("shop", "set", "Shop", "tolerance=0.505")[0] == 1
