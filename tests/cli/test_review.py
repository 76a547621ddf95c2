"""paymatch review: a clerk's morning by single keys; and match without a named order."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import Books, camt, paid


def keys(text: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["review", "Shop"], input=text)
    return result.exit_code, result.stdout


@pytest.fixture
def suggested(run: Run, books: Books) -> str:
    """Two orders of one amount, and a payment of it that names neither: suggestions, and a person decides."""
    books.order("SO-471101", "30.00")
    books.order("SO-471102", "30.00")
    books.bring(camt(CamtMessage.STATEMENT, paid(3000, "Muster [/x]\x07")))
    (row,) = run("postings", "Shop")[1]
    assert (row["status"], len(row["suggestions"])) == ("suggested", 2)
    return str(row["id"])


def status(run: Run) -> list[tuple[str, list[str]]]:
    rows = run("postings", "Shop")[1]
    return [(row["status"], [each["orderNumber"] for each in row["allocations"]]) for row in rows]


def test_a_number_confirms_a_suggestion(run: Run, books: Books, suggested: str) -> None:
    code, shown = keys("2")
    assert code == 0
    assert "Posting 1 of 1" in shown and suggested in shown
    assert "Text  Muster [/x]" in shown
    assert "Matched to " in shown
    assert shown.splitlines()[-1] == "1 matched, 0 decided otherwise, 0 postings left"
    (matched,) = status(run)
    assert matched[0] == "matched"
    books.sound()


def test_undo_ignore_wait_and_quit(run: Run, books: Books, suggested: str) -> None:
    keys("1uu")
    assert status(run) == [("suggested", [])]
    code, shown = keys("iwrong account\nu")
    assert (code, status(run)) == (0, [("suggested", [])])
    assert "  Undone\n" in shown
    assert "Nothing to undo" in keys("u")[1]
    assert "There is no such key" in keys("x")[1]
    keys("q")
    assert status(run) == [("suggested", [])]
    keys("wasks the bank\n")
    assert status(run) == [("unmatched", [])]
    assert keys("")[1] == "0 matched, 0 decided otherwise, 0 postings left\n"
    assert run("unignore", "Shop", suggested)[1] == {"posting": suggested, "status": "suggested"}
    books.sound()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("²", "There is no such key"), ("3", "There is no such key"), ("\x1b", "There is no such key"),
        ("oSO-471'101\n", "Order 'SO-471'101' not found"), ("o\n", "Nothing was done"), ("w\n", "Nothing was done"),
        ("oSO-471101=12,50\n", "12,50 is not an amount: write 12.50"),
    ],
)  # fmt: skip
def test_what_decides_nothing_asks_again(run: Run, books: Books, suggested: str, typed: str, said: str) -> None:
    code, shown = keys(f"{typed}q")
    assert code == 0
    assert said in shown
    assert shown.count("Posting 1 of 1") == 1  # and is not shown again
    assert shown.endswith("0 matched, 0 decided otherwise, 1 posting left\n")
    assert status(run) == [("suggested", [])]


def test_capital_keys_and_keys_typed_ahead(run: Run, books: Books, suggested: str, monkeypatch: Any) -> None:
    """A terminal hands over at once what a quick clerk typed meanwhile."""
    typed = iter(["1uQ"])
    monkeypatch.setattr("typer.getchar", lambda: next(typed))
    _, shown = keys("")
    assert "Matched to " in shown and "  Undone\n" in shown
    assert status(run) == [("suggested", [])]


def test_an_arrow_moves_nothing(run: Run, books: Books, suggested: str, monkeypatch: Any) -> None:
    typed = iter(["\x1b[A", "q"])
    monkeypatch.setattr("typer.getchar", lambda: next(typed))
    _, shown = keys("")
    assert "There is no such key" in shown
    assert "\x1b" not in shown


def test_other_orders_and_their_sums(run: Run, books: Books, suggested: str) -> None:
    _, shown = keys("oSO-471101=12.00 SO-9\noSO-471101=12.00 SO-471102\n")
    assert "Order 'SO-9' not found" in shown
    assert status(run) == [("matched", ["SO-471101", "SO-471102"])]
    books.sound()


def test_a_paid_order_is_warned_of_with_the_sums(run: Run, books: Books, suggested: str) -> None:
    run("match", "Shop", suggested, "SO-471101")
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "Muster"), number=2))
    second = next(row["id"] for row in run("postings", "Shop")[1] if row["amount"] == "10.00")
    words = "Order SO-471101 over 30.00 EUR has 30.00 already: with this posting 40.00, 10.00 too much."
    _, shown = keys("oSO-471101\nn\nq")
    assert words in shown
    assert run("postings", "Shop", "--where", f"id={second}")[1][0]["allocations"] == []
    assert f"Warning: {words}\n" in run("match", "Shop", second, "SO-471101")[2]
    assert run("postings", "Shop", "--where", f"id={second}")[1][0]["status"] == "matched"


def test_match_without_orders_shows_and_asks(run: Run, books: Books, suggested: str) -> None:
    """A shell takes `#1853` for a comment: what is left names no order, and books nothing."""
    code, _, error = run("match", "Shop", suggested)
    assert code == 1
    assert suggested in error
    assert error.endswith("Error: Name the orders, or add --yes to confirm the first suggestion\n")
    assert status(run) == [("suggested", [])]
    assert run("match", "Shop", suggested, "--yes")[0] == 0
    assert status(run)[0][0] == "matched"


def test_ids_may_be_shortened(run: Run, books: Books, suggested: str) -> None:
    assert run("ignore", "Shop", suggested[:-2])[1] == {"posting": suggested, "status": "ignored"}
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "Muster"), number=2))
    _, _, error = run("ignore", "Shop", "pst_")
    assert error.startswith("Error: 'pst_' is the beginning of several ids, such as pst_")
    taught = run("learning", "show", "Shop")[1]["set_aside"]
    assert run("unignore", "Shop", suggested)[1]["status"] == "suggested"
    assert (len(taught), run("learning", "show", "Shop")[1]["set_aside"]) == (1, {})
    assert run("match", "Shop", suggested, "--yes")[0] == 0
    assert run("unignore", "Shop", suggested)[2] == (
        f"Error: Posting {suggested!r} was neither ignored nor set aside\n"
    )


def test_without_a_terminal_it_says_so(run: Run, books: Books, suggested: str) -> None:
    arguments = [sys.executable, "-m", "paymatch", "review", "Shop"]
    environment = os.environ | {"PYTHONUTF8": "1"}
    done = subprocess.run(
        arguments, input="1", env=environment, capture_output=True, text=True, start_new_session=True, check=False
    )
    assert (done.returncode, done.stderr) == (
        1,
        "Error: paymatch review asks at a terminal, and there is none: use paymatch postings --status suggested and"
        " paymatch match\n",
    )
    assert status(run) == [("suggested", [])]


def test_what_is_asked_fits_into_80_columns(run: Run, books: Books, suggested: str) -> None:
    asked = [line for line in keys("q")[1].splitlines() if "confirm" in line]
    assert [len(line) < 80 for line in asked] == [True]
