"""paymatch refunds: run, list, release, cancel, report, set-iban."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.store.database import Database
from tests.cli.conftest import spoken
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import ACCOUNT, ERIKA, PAYER, RefundWorld, status_report, texts

Run = Callable[..., Any]


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[RefundWorld]:
    database = Database(migrated_url, size=2, keyring=KEYRING)
    yield RefundWorld(database, tmp_path / "files")
    database.close()


@pytest.fixture
def run(migrated_url: str, world: RefundWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("list", "--status", "NEW")` for the shop: the JSON it prints, or the text of its refusal."""
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / "data"))

    def call(name: str, *arguments: str, as_json: bool = True) -> Any:
        words = ["refunds", name, str(world.client.id), *arguments, *(["--json"] if as_json else [])]
        result = CliRunner().invoke(app, words)
        if result.exit_code:
            return f"exit {result.exit_code}: {spoken(result.stderr).strip()}"
        return json.loads(result.stdout) if as_json else result.stdout

    return call


def test_run_writes_the_files_and_says_what_stays(world: RefundWorld, run: Run, tmp_path: Path) -> None:
    world.paid("SO-90101")
    sent, held = world.file("SO-90101", 60), world.file("SO-90101", 50, "too much")
    found = run("run", "--date", "03-03-2026")
    (file,) = found["files"]
    path = tmp_path / "data" / "transfers" / str(world.client.id) / file["file"]
    assert Path(file.pop("path")) == path
    assert path.read_bytes() == world.contents()[0]
    assert file == {
        "file": f"{file['messageId']}.xml", "messageId": texts(world.contents()[0], "MsgId")[0], "account": ACCOUNT,
        "currency": "EUR", "transfers": 1, "total": "60.00", "executionDate": "2026-03-03",
        "version": "pain.001.001.09",
    }  # fmt: skip
    assert found["held"] == [
        {
            "id": held, "orderNumber": "SO-90101", "externalReference": "too much",
            "reason": "the order's payments do not cover it", "waitsForRelease": False,
        }
    ]  # fmt: skip
    assert run("run", "--date", "2026-03-03")["files"] == []
    assert world.status(sent) == "IN_PROCESS"


def test_run_writes_into_the_folder_that_it_is_given(world: RefundWorld, run: Run, tmp_path: Path) -> None:
    world.paid("SO-90102")
    world.file("SO-90102", 60)
    out = tmp_path / "to the bank"
    (file,) = run("run", "--date", "03-03-2026", "--out", str(out))["files"]
    assert [path.name for path in out.iterdir()] == [file["file"]]
    (out / file["file"]).unlink()
    assert run("run", "--date", "03-03-2026", "--out", str(out))["files"] == []
    assert len(run("run", "--date", "03-03-2026", "--out", str(out), "--again")["files"]) == 1


def test_run_refuses_what_is_no_date(run: Run) -> None:
    assert run("run", "--date", "3.3.2026") == "exit 1: Error: Invalid date: 3.3.2026, format should be YYYY-MM-DD"


def test_list_shows_what_people_of_the_shop_need(world: RefundWorld, run: Run) -> None:
    world.paid("SO-90103")
    refund = world.file("SO-90103", 60)
    (row,) = run("list")
    reference = row.pop("referenceNumber")
    assert reference.startswith("PMR")
    assert row == {
        "externalReference": "R-SO-90103", "amount": "60.00", "currency": "EUR", "plannedDate": "2026-03-03",
        "id": refund, "executionDate": None, "status": "NEW", "orderNumber": "SO-90103", "reason": "", "bankCode": "",
        "arrived": "", "arrivedFromAccount": "", "waitsForRelease": False, "attempt": 1,
        "iban": PAYER, "holder": "Eva Muster", "transferFile": "",
    }  # fmt: skip
    assert run("list", "--status", "ERROR", "--status", "NEW") == [{**row, "referenceNumber": reference}]
    assert run("list", "--status", "PROCESSED") == []
    assert "SO-90103" in run("list", as_json=False)


def test_cancel(world: RefundWorld, run: Run) -> None:
    world.paid("SO-90104")
    refund = world.file("SO-90104", 60)
    assert run("cancel", refund, "--yes")["status"] == "CANCELLED"
    assert run("cancel", refund, "--yes") == "exit 1: Error: Could not cancel refund (status CANCELLED)"
    assert run("cancel", "rf_x", "--yes") == "exit 1: Error: Refund 'rf_x' not found"


def test_report_and_a_new_account(world: RefundWorld, run: Run, tmp_path: Path) -> None:
    world.paid("SO-90105")
    refund = world.file("SO-90105", 60)
    run("run", "--date", "03-03-2026")
    answer, broken = tmp_path / "answer.xml", tmp_path / "broken.xml"
    answer.write_bytes(status_report(world.contents()[0], (world.end_to_end(refund), "RJCT", "AC04")))
    broken.write_bytes(b"<x/>")
    (row,) = run("report", str(answer))
    details = row.pop("details")
    assert row == {"file": "answer.xml", "refunds": 1, "rejected": 1, "processed": 0}
    assert [(each["id"], each["bankStatus"], each["bankCode"], each["status"]) for each in details] == [
        (refund, "RJCT", "AC04", "ERROR")
    ]
    assert run("report", str(answer))[0]["rejected"] == 0
    assert run("report", str(broken)).startswith("exit 1: Error: broken.xml: ")
    assert run("set-iban", refund, "DE00").startswith("exit 1: Error: 'DE00' is not a valid IBAN")
    assert run("set-iban", refund, "AT61 1904 3002 3457 3201", "--holder", "Erika Müller")["status"] == "NEW"
    assert run("run", "--date", "03-03-2026")["held"][0]["waitsForRelease"] is True
    (row,) = run("list")
    assert (row["amount"], row["arrived"], row["arrivedFromAccount"]) == ("60.00", "100.00 EUR", "0.00 EUR")
    asked = run("release", refund)
    assert asked.startswith(f"exit 1: Error: Release 60.00 EUR to Erika Müller, {ERIKA}? This cannot be undone")
    (row,) = run("release", refund, "--yes")
    assert (row["iban"], row["waitsForSecondPerson"], len(row["releasedBy"])) == (ERIKA, False, 1)
    assert row["releasedBy"][0].startswith("command:")
    run("run", "--date", "03-03-2026")
    assert texts(world.contents()[1], "CdtrAcct/Id/IBAN") == [ERIKA]
    assert world.end_to_end(refund).endswith("-2")


def test_refunds_of_another_system_are_legacy(world: RefundWorld, run: Run, tmp_path: Path) -> None:
    world.paid("SO-90106")
    file, head = tmp_path / "old.csv", "orderNumber,externalReference,amount,currency,plannedDate"
    file.write_text(f"{head}\nSO-90106,OLD-1,12.30,EUR,2024-05-02\nSO-90106,OLD-2,1.00,EUR,2024-05-03\n")
    assert run("import", str(file))["imported"] == 2
    rows = run("list", "--status", "LEGACY")
    assert [(row["externalReference"], row["amount"], row["status"]) for row in rows] == [
        ("OLD-1", "12.30", "LEGACY"), ("OLD-2", "1.00", "LEGACY"),
    ]  # fmt: skip
    assert run("run", "--date", "03-03-2026")["files"] == []
    assert world.client.status("SO-90106") == "PAID"
    world.check()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("SO-90107,NEW-1,12.30,EUR,2024-05-02\nSO-0,NEW-2,1.00,EUR,2024-05-03", "Order 'SO-0' not found"),
        ("SO-90107,NEW-1,12.30,EUR,2024-05-02\nSO-90107,NEW-1,1.00,EUR,2024-05-03", "Refund already exists: NEW-1"),
        ("SO-90107,NEW-1,12.30,CHF,2024-05-02", "Refund NEW-1: the currency of the order is EUR"),
        ("SO-90107,NEW-1,-1.00,EUR,2024-05-02", "Line 2: an amount above 0 and an externalReference are needed"),
        ("SO-90107,NEW-1,1.00,EUR,02.05.2024", "Line 2: Invalid isoformat string: '02.05.2024'"),
    ],
)
def test_refunds_are_taken_over_all_or_none(world: RefundWorld, run: Run, tmp_path: Path, line: str, text: str) -> None:
    world.paid("SO-90107")
    file = tmp_path / "old.csv"
    file.write_text(f"orderNumber,externalReference,amount,currency,plannedDate\n{line}\n")
    with world.client.unchanged():
        assert run("import", str(file)) == f"exit 1: Error: {text}"
