"""One way of listing: JSON, CSV, columns, conditions; what a bank wrote steers no terminal and no table program."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.cli.terminal import csv_cell, one_line, plain_text, print_table
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid

ATTACKS = [
    ("[/x] [red]Danke", "[/x] [red]Danke"),
    ("\x1b]0;owned\x07 \x1b[2J", "\\x1b]0;owned\\x07 \\x1b[2J"),
    ("\u202e0001 RUE\u2066", "\\u202e0001 RUE\\u2066"),
    ("a\u200bb\x9b31m", "a\\u200bb\\x9b31m"),
    ("first\nsecond\tthird", "first second third"),
    ("Müller & Söhne, 価格 10\u00a0€", "Müller & Söhne, 価格 10\u00a0€"),
]


@pytest.mark.parametrize(("text", "shown"), ATTACKS)
def test_text_is_only_shown(text: str, shown: str) -> None:
    assert plain_text(text) == shown


def test_line_breaks_stay_where_lines_are_shown() -> None:
    assert plain_text("a\n\x1bb", lines=True) == "a\n\\x1bb"
    assert one_line("a\n  \x1bb") == "a \\x1bb"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("  =1+1", "'  =1+1"), ("\t=1", "' =1"), ("@SUM(A1)", "'@SUM(A1)"),
        ("-12.30", "-12.30"), ("+49 170", "'+49 170"), ("-2+3", "'-2+3"), ("Danke", "Danke"),
        ("x;=HYPER(1);", "x;'=HYPER(1);"), ('x, "=1', "x,' \"=1"), ("\u00a0=1", "'\u00a0=1"), ("＝1+1", "'＝1+1"),
        ("a; b, c - d = e", "a; b, c - d = e"), (None, ""), (True, "yes"),
    ],
)  # fmt: skip
def test_csv_cells_are_no_formulas(value: object, cell: str) -> None:
    assert csv_cell(value) == cell


def test_a_banks_text_crashes_no_list_and_steers_no_terminal(run: Run, books: Books) -> None:
    books.bring(camt(CamtMessage.STATEMENT, paid(1990, "[/x] =cmd|' /C calc'!A0")))
    books.rows("UPDATE postings SET counterparty_name = E'=1\\x1b[31mEva' WHERE shop_id = $1 RETURNING id")
    shown = CliRunner().invoke(app, ["postings", "Shop"])
    assert shown.exit_code == 0
    assert "[/x] =cmd" in shown.stdout and "=1\\x1b[31mEva" in shown.stdout
    assert "\x1b" not in shown.stdout
    table = CliRunner().invoke(app, ["postings", "Shop", "--csv", "--columns", "originator,text,amount"]).stdout
    assert list(csv.reader(io.StringIO(table))) == [
        ["originator", "text", "amount"], ["'=1\\x1b[31mEva", "[/x] =cmd|' /C calc'!A0", "19.90"],
    ]  # fmt: skip


def test_columns_and_conditions(run: Run, books: Books) -> None:
    books.bring(camt(CamtMessage.STATEMENT, paid(1990, "A"), paid(-500, "B")))
    assert run("postings", "Shop", "--columns", "Amount,text", "--where", "text=b")[1] == [
        {"amount": "-5.00", "text": "B"}
    ]
    assert run("postings", "Shop", "--columns", "amounts")[2].startswith("Error: There is no column 'amounts'; columns")
    assert run("postings", "Shop", "--where", "text")[2] == "Error: 'text' is not of the form NAME=VALUE\n"
    assert run("postings", "Shop", "--csv")[2] == "Error: --json or --csv, not both\n"
    assert run("postings", "Shop", "--status", "Unmatched")[0] == 0
    assert run("postings", "Shop", "--status", "lost")[0] == 1


def test_what_would_be_taken_is_said(run: Run, books: Books) -> None:
    unknown = CliRunner().invoke(app, ["export", "Shop", "fees", "--where", "profit=1"])
    assert (unknown.exit_code, unknown.stdout) == (1, "")
    assert unknown.stderr.startswith("Error: There is no column 'profit' in fees (one of ")
    assert unknown.stderr.endswith(", postingId)\n")
    refused = CliRunner().invoke(app, ["export", "Shop", "fees", "--where", "fee>much"])
    assert refused.stderr == "Error: 'much' is not a value of fee (expected: a number as 1234.50)\n"


@pytest.mark.parametrize("width", [200, 100, 80, 40])
def test_ids_and_amounts_are_never_cut(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": "pst_1m8186k4npwar38d2xd", "amount": "-123456789.00", "currency": "EUR", "iban": "DE" + "1" * 20,
           "text": "Rechnung 4711 vom Dezember, abzüglich Skonto, mit freundlichen Grüßen " * 2}  # fmt: skip
    print_table([row], tuple(row), width=width)
    shown = capsys.readouterr().out
    for name in ("id", "amount", "currency", "iban"):
        assert row[name] in shown
    assert "Grüßen" in shown


def test_what_is_the_same_in_every_row_makes_room_for_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"number": f"SW-1084{place}", "at": datetime(2026, 3, 2, 9, 30, 1, 5, tzinfo=UTC), "customer": "Eva Muster",
         "type": "PREPAYMENT", "amount": f"{place}9.90", "currency": "EUR", "status": "UNPAID", "advice": ""}
        for place in (1, 2)
    ]  # fmt: skip
    print_table(rows, tuple(rows[0]), width=70)
    shown = capsys.readouterr().out.splitlines()
    above = "at 2026-03-02 09:30:01+00:00   customer Eva Muster   type PREPAYMENT   currency EUR   status UNPAID"
    assert [line.split() for line in shown] == [
        above.split(), ["number", "amount"], ["SW-10841", "19.90"], ["SW-10842", "29.90"],
    ]  # fmt: skip
