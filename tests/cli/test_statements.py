"""paymatch statement, account, alerts, watch: what they print, and that one bad file leaves the others."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, _NamedTextIOWrapper

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from tests.cli.conftest import Run
from tests.usecases.conftest import ACCOUNT, DAY, Books, camt, paid

REPORT = [
    "file", "format", "version", "statements", "entries", "details", "sumCredit", "sumDebit", "currency", "new",
    "known", "provisional", "errors", "matched", "suggested", "balance",
]  # fmt: skip


def files(folder: Path) -> list[str]:
    good = camt(CamtMessage.STATEMENT, paid(1990, "A"), paid(-500, "B"))
    contents = {"a.xml": good, "b.xml": good[:-60], "c.xml": camt(CamtMessage.STATEMENT, paid(700, "C"), number=2)}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in contents]


def test_import_list_check_and_undo(run: Run, books: Books, tmp_path: Path) -> None:
    names = files(tmp_path)
    code, rehearsed, _ = run("statement", "import", "Shop", names[0], "--dry-run")
    assert (code, rehearsed[0]["new"], rehearsed[0]["dryRun"], books.postings()) == (0, 2, True, [])
    assert rehearsed[0]["importId"] == ""
    code, rows, errors = run("statement", "import", "Shop", *names)
    assert code == 1
    assert [row["new"] for row in rows] == [2, 0, 1]
    assert list(rows[0])[:16] == REPORT
    assert [rows[0][name] for name in REPORT] == [
        "a.xml", "camt.053", "001.08", 1, 2, 2, "19.90", "5.00", "EUR", 2, 0, 0, 0, 0, 0, "ok",
    ]  # fmt: skip
    assert rows[1]["error"].startswith("line ")
    assert errors == f"Error: b.xml: {rows[1]['error']}\n"
    _, listed, _ = run("statement", "list", "Shop")
    assert {row["file"] for row in listed} == {"a.xml", "c.xml"}
    _, checked, _ = run("statement", "check", "Shop")
    assert [(row["account"], row["statements"], row["complete"]) for row in checked] == [(ACCOUNT, 2, True)]
    code, undone, _ = run("statement", "undo", "Shop", rows[0]["importId"], "--yes")
    assert (code, undone["postingsRemoved"], len(books.postings())) == (0, 2, 1)
    code, _, errors = run("statement", "undo", "Shop", rows[0]["importId"], "--yes")
    assert (code, errors) == (1, f"Error: There is no import {rows[0]['importId']!r} that could be undone\n")


def test_accounts_and_mapping(run: Run, tmp_path: Path) -> None:
    assert run("account", "add", "Shop", "DE02 1203 0000 0000 2020 51")[1]["account"] == "DE02120300000000202051"
    assert run("account", "add", "Shop", "DE02 1203")[0] == 1
    qr_iban = "Error: 'CH4431999123000889012' is a QR-IBAN, register the account's IBAN as well\n"
    assert run("account", "add", "Shop", "CH44 3199 9123 0008 8901 2")[::2] == (1, qr_iban)
    assert run("account", "confirm", "Shop", "CH44 3199 9123 0008 8901 2")[::2] == (1, qr_iban)
    assert run("shop", "create", "Swiss", "--iban", "CH44 3199 9123 0008 8901 2")[::2] == (1, qr_iban)
    assert [row["confirmed"] for row in run("account", "list", "Shop")[1]] == [True, True]
    table = tmp_path / "x.csv"
    table.write_text("Wann;Wieviel;Wer\n10.03.2026;1,00;Eva\n11.03.2026;-2,50;Max\n", "utf-8")
    change = ["--set", "booking_date=Wann", "--set", "amount=Wieviel", "--set", "name=Wer"]
    code, shown, _ = run("statement", "mapping", "Shop", str(table), *change, "--account", ACCOUNT, "--save")
    assert (code, [entry["amount"] for entry in shown["entries"]]) == (0, ["1.00", "-2.50"])
    code, rows, _ = run("statement", "import", "Shop", str(table), "--account", ACCOUNT)
    assert (code, rows[0]["new"], rows[0]["version"]) == (0, 2, shown["profile"])
    assert [row["csvMapping"] for row in run("account", "list", "Shop")[1]] == [True, False]


TABLE = "Buchungstag;Verwendungszweck;Betrag\n10.03.2026;SO-1;1,00\n11.03.2026;SO-2;2,00\n"


def test_a_table_is_asked_about_until_its_layout_is_confirmed(run: Run, books: Books, tmp_path: Path) -> None:
    table = tmp_path / "bank.csv"
    table.write_text(TABLE, "utf-8")
    asked = CliRunner().invoke(app, ["statement", "import", "Shop", str(table)])
    assert (asked.exit_code, books.postings()) == (1, [])
    assert "Buchungstag | Verwendungszweck | Betrag\n10.03.2026 | SO-1 | 1,00\n" in asked.stderr
    assert "Error: bank.csv: is this a bank statement, and of which account?" in asked.stderr
    assert run("statement", "mapping", "Shop", str(table), "--save")[2] == "Error: Name the account with --account\n"
    assert run("statement", "mapping", "Shop", str(table), "--account", ACCOUNT, "--save")[0] == 0
    ((layout,), imported) = run("statement", "layouts", "Shop")[1], run("statement", "import", "Shop", str(table))
    assert (layout["account"], layout["headings"]) == (ACCOUNT, ["betrag", "buchungstag", "verwendungszweck"])
    assert (imported[0], imported[1][0]["new"]) == (0, 2)
    assert run("statement", "forget", "Shop", ACCOUNT)[1] == {"account": ACCOUNT, "forgotten": True}
    table.write_text(TABLE.replace("2026", "2025"), "utf-8")
    assert run("statement", "import", "Shop", str(table))[0] == 1
    assert run("statement", "forget", "Shop", ACCOUNT)[0] == 1


def test_alerts_are_listed_and_resolved(run: Run, books: Books) -> None:
    books.bring(camt(CamtMessage.STATEMENT, paid(100, "A")))
    later = DAY + timedelta(days=3)
    books.bring(camt(CamtMessage.STATEMENT, paid(1, "B", booking_date=later), opening=5, number=9, days=(later, later)))
    _, rows, _ = run("alerts", "Shop")
    assert [row["kind"] for row in rows] == ["statement-gap"]
    assert run("alert", "resolve", "Shop", rows[0]["id"])[1] == {"id": rows[0]["id"], "resolved": True}
    assert run("alerts", "Shop")[1] == []
    assert len(run("alerts", "Shop", "--all")[1]) == 1
    assert run("alert", "resolve", "Shop", "al_x")[2] == "Error: There is no open alert 'al_x'\n"


def test_watch_takes_what_lies_there(run: Run, books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CliRunner().invoke(app, ["watch", "--once"]).stderr == "Error: Name the folder with PAYMATCH_DROP_DIR\n"
    monkeypatch.setenv("PAYMATCH_DROP_DIR", str(tmp_path))
    inbox = tmp_path / str(books.shop.id) / "inbox"
    inbox.mkdir(parents=True)
    (inbox / "a.xml").write_bytes(camt(CamtMessage.STATEMENT, paid(100, "A")))
    import os

    os.utime(inbox / "a.xml", (1, 1))
    assert CliRunner().invoke(app, ["watch", "--once"]).exit_code == 0
    assert (inbox.parent / "done" / "a.xml").exists()
    assert len(books.postings()) == 1


OTHER = "DE02120300000000202051"


def foreign_file(folder: Path) -> str:
    path = folder / "other.xml"
    path.write_bytes(camt(CamtMessage.STATEMENT, replace(paid(700, "B"), account=OTHER), account=OTHER))
    return str(path)


@pytest.mark.parametrize(("answer", "booked"), [("y", 1), ("n", 0)])
def test_a_file_of_another_account_asks_on_a_terminal(
    run: Run, books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, booked: int
) -> None:
    monkeypatch.setattr(_NamedTextIOWrapper, "isatty", lambda stream: stream.name == "<stdin>")
    result = CliRunner().invoke(app, ["statement", "import", "Shop", foreign_file(tmp_path)], input=f"{answer}\n")
    assert (result.exit_code, len(books.postings())) == (1 - booked, booked)
    question = f"other.xml is of account {OTHER}, which is not among the shop's accounts. Import it anyway?"
    assert question in result.stderr
    assert ("Error: other.xml: not imported" in result.stderr) == (not booked)


@pytest.mark.parametrize("more", [["--yes"], []])
def test_nobody_is_asked_where_nobody_sits_or_who_said_yes(
    run: Run, books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    monkeypatch.setattr(_NamedTextIOWrapper, "isatty", lambda stream: bool(more) and stream.name == "<stdin>")
    result = CliRunner().invoke(app, ["statement", "import", "Shop", foreign_file(tmp_path), *more])
    assert (result.exit_code, len(books.postings())) == (0, 1)
    note = f"other.xml: account {OTHER} is not among the shop's accounts: confirm it, or undo the import"
    assert note in " ".join(result.stdout.split())


def test_a_rehearsal_says_nothing_that_only_an_import_knows(run: Run, books: Books, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["statement", "import", "Shop", foreign_file(tmp_path), "--dry-run"])
    assert (result.exit_code, len(books.postings())) == (0, 0)
    assert "known" in result.stdout and "matched" not in result.stdout and "undo" not in result.stdout
    assert f"account {OTHER} is not among the shop's accounts" in " ".join(result.stdout.split())


def test_notes_and_error_lines_stand_below_the_table(run: Run, books: Books, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(
        "Buchungstag;Verwendungszweck;Betrag;Währung\n10.03.2026;a;1,00;EUR\n11.03.2026;b;x,y;EUR\n", "utf-8"
    )
    books.confirm_layout(path.read_bytes())
    result = CliRunner().invoke(app, ["statement", "import", "Shop", str(path)])
    assert result.exit_code == 0
    assert "bad.csv: line 3: 'x,y' is not an amount" in result.stdout.splitlines()
    ((found,), typed) = run("statement", "unread", "Shop")[1], ["--amount", "-2.50", "--date", "2026-03-11"]
    assert (found["line"], found["raw"], found["resolvedBy"]) == (3, "11.03.2026;b;x,y;EUR", "")
    code, done, _ = run("statement", "resolve", "Shop", found["importId"], "3", *typed, "--text", "b")
    assert (code, done["new"], len(books.postings())) == (0, 1, 2)
    code, _, errors = run("statement", "resolve", "Shop", found["importId"], "3", *typed)
    assert (code, errors) == (
        1, f"Error: Import {found['importId']!r} has no entry in line 3 that waits for a person\n"
    )  # fmt: skip


def test_an_account_is_removed(run: Run, books: Books) -> None:
    assert run("account", "remove", "Shop", ACCOUNT)[0] == 1
    assert run("account", "remove", "Shop", ACCOUNT, "--yes")[1] == {"account": ACCOUNT, "removed": True}
    assert run("account", "list", "Shop")[1] == []


def test_an_undo_without_an_id_says_what_is_missing(run: Run) -> None:
    """Before, the shop's own name was not found as an import or a synchronisation."""
    for words, noun in ((("statement", "undo"), "import"), (("ordersync", "undo"), "synchronisation")):
        code, _, error = run(*words, "Shop", *(["--yes"] if noun == "import" else []))
        assert (code, error.startswith("Error: 'Shop' is the shop; the id of the "), noun in error) == (
            1,
            True,
            True,
        ), error


def test_a_receiver_that_the_service_would_not_call_is_refused_at_once(run: Run) -> None:
    for url, why in (("http://shop.example/", "http"), ("https://10.0.0.1/", "address not allowed")):
        code, _, error = run("shop", "set", "Shop", f"callback-url={url}")
        assert (code, why in error) == (1, True), error


def test_a_receiver_on_this_machine_is_taken_where_private_addresses_are_allowed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A receiver that is being built runs on any port; other machines keep to the usual ports."""
    here = "callback-url=http://127.0.0.1:5005/"
    assert run("shop", "set", "Shop", here)[0] == 1
    monkeypatch.setenv("PAYMATCH_CALLBACK_ALLOW_PRIVATE", "1")
    assert run("shop", "set", "Shop", here)[0] == 0
    code, _, error = run("shop", "set", "Shop", "callback-url=http://10.0.0.1:5005/")
    assert (code, "port 5005 not allowed" in error) == (1, True), error
