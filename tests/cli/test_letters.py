"""paymatch letters, from the view of the person at the printer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.clock import utc_now
from paymatch.store.database import Database
from paymatch.usecases.letters.writing import LetterGateways, work_due
from tests.cli.conftest import spoken
from tests.keys import KEYRING
from tests.usecases.letters.test_letters import ADDRESS
from tests.usecases.reminders.mail_world import new_world


def test_print_mark_discard(migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(migrated_url, size=2, keyring=KEYRING)
    world = new_world(database, payment_information="on", letters="on")
    world.plan(letters_without_mail="on")
    world.now = utc_now()
    day = f"{world.shop.today(world.now):%d-%m-%Y}"
    for number in ("A-1", "A-2"):
        world.order(number, date=day, dueDate=day, customerEmail=None, billing=ADDRESS)
    world.send()
    work_due(database, world.shop, LetterGateways(), world.now)
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path))

    def run(*words: str) -> Any:
        result = CliRunner().invoke(app, ["letters", *words, "--json"])
        return spoken(result.stderr).strip() if result.exit_code else json.loads(result.stdout)

    first, second = sorted((row["orderNumber"], row["id"]) for row in run("list", "Mail", "--status", "SPOOLED"))
    assert run("discard", "Mail", second[1])["status"] == "DISCARDED"
    printed = run("print", "Mail", "--to", str(tmp_path))
    assert (printed["letters"], printed["pages"]) == (1, 1)
    assert Path(printed["pdf"]).read_bytes().startswith(b"%PDF-")
    assert first[1] in Path(printed["index"]).read_text("utf-8-sig")
    assert run("print", "Mail", "--to", str(tmp_path))["letters"] == 0
    again = run("print", "Mail", "--run", printed["run"], "--to", str(tmp_path / "again"))
    assert Path(again["pdf"]).read_bytes() == Path(printed["pdf"]).read_bytes()
    assert run("undo", "Mail", printed["run"])["waiting"] == 1
    run_id = run("print", "Mail", "--to", str(tmp_path))["run"]
    assert run("mark-printed", "Mail", run_id) == {"run": run_id, "printed": 1}
    assert [row["state"] for row in run("runs", "Mail")] == ["printed", "undone"]
    assert run("show", "Mail", first[1])["status"] == "PRINTED"
    assert run("again", "Mail", first[1]) == "Error: Only refused letters are tried again; this one is PRINTED"
    raw = CliRunner().invoke(app, ["letters", "show", "Mail", first[1], "--pdf"])
    assert raw.stdout_bytes.startswith(b"%PDF-")
    database.close()
