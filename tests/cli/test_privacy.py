"""`paymatch privacy`: a person is found, exported and erased from the command line; periods and certificates."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid

EVA = {"customerEmail": "eva@example.org", "billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}}


def test_person_is_exported_and_erased(run: Run, books: Books, tmp_path: Path) -> None:
    books.order("A-1", "10.00", **EVA)
    assert run("privacy", "erase", "Shop", "--email", "eva@example.org", "--yes")[2] == (
        "Error: Something is still open: order A-1 is UNPAID\n"
    )
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "order A-1")))
    assert (
        run("privacy", "erase", "Shop", "--name", "Nobody Else", "--yes")[2]
        == "Error: No one was found with these details\n"
    )
    assert run("privacy", "erase", "Shop")[2].startswith("Error: Name the person: e-mail")
    exported = CliRunner().invoke(app, ["privacy", "export", "Shop", "--name", "eva muster"])
    data = json.loads(exported.stdout)["data"]
    assert [row["number"] for row in data["orders"] if row["table"] == "orders"] == ["A-1"]
    pdf = tmp_path / "eva.pdf"
    CliRunner().invoke(app, ["privacy", "export", "Shop", "--name", "eva muster", "--pdf", str(pdf)])
    assert pdf.read_bytes().startswith(b"%PDF")
    _, planned, _ = run("privacy", "erase", "Shop", "--email", "eva@example.org", "--dry-run")
    assert (planned["names"], planned["orders"], planned["postings"]) == (["Eva Muster"], 1, 1)
    code, done, _ = run("privacy", "erase", "Shop", "--email", "eva@example.org", "--yes")
    assert (code, done["rows"]) == (0, planned["rows"])
    assert (
        run("privacy", "export", "Shop", "--email", "eva@example.org")[2]
        == "Error: No one was found with these details\n"
    )
    assert run("check")[0] == 0
    assert run("audit", "list", "Shop", "--limit", "1")[1][0]["subject"] == done["erasure"]


def test_what_was_erased_is_told_in_lines(run: Run, books: Books) -> None:
    books.order("A-1", "10.00", **EVA)
    words = ["privacy", "erase", "Shop", "--email", "eva@example.org", "--yes", "--although-open"]
    lines = CliRunner().invoke(app, words).stdout.splitlines()
    assert [line for line in lines if "{" in line or "[" in line] == []
    planned, done = (line for line in lines if line.startswith("rows: "))
    assert planned == done
    assert "orders 2" in done  # the order and its search text
    assert [line.partition(":")[0] for line in lines].count("erasure") == 1


def test_plan_and_certificate(run: Run, books: Books) -> None:
    _, rows, _ = run("privacy", "plan", "Shop")
    assert {row["data"]: row["kept"] for row in rows}["requests of the API"] == "30 days"
    assert run("privacy", "certificate", "Shop")[2] == "Error: The data of Shop has not been deleted\n"
