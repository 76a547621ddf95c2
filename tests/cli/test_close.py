"""paymatch close: what is unfinished is listed first, and changes are a table with amounts."""

from __future__ import annotations

from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid


def test_closing_asks_and_changes_have_amounts(run: Run, books: Books) -> None:
    books.order("SO-471101", "12.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(1200, "Danke")))
    posting = run("postings", "Shop")[1][0]["id"]
    code, _, said = run("close", "Shop", "2026-03")
    assert code == 1
    assert "- 1 posting is not explained: 12.00 EUR\n" in said and "its statements end on 2026-03-10" in said
    assert "Close 2026-03 of Shop although this is unfinished? This cannot be undone: add --yes" in said
    assert run("close", "Shop", "2026-03", "--yes")[0] == 0
    assert run("match", "Shop", posting, "SO-471101")[0] == 0
    table = CliRunner().invoke(app, ["close", "Shop", "2026-03", "--changes"], env={"COLUMNS": "300"}).stdout
    assert "12.00" in table and "EUR" in table and "matched: SO-471101 12.00" in table and "open" in table
    assert run("close", "Shop", "2026-03", "--changes")[1][0]["after"]["orders"] == [["SO-471101", 1200, 0, None]]
    code, _, said = run("close", "Shop", "2026-03")
    assert (code, "is closed already" in said, "unexplained" in said) == (1, True, False)
