"""paymatch bank ebics: from the first key to the end, against the simulated bank on 127.0.0.1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.clock import utc_now
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.fakes.ebics_bank import EbicsBank, serve
from tests.keys import KEYRING
from tests.usecases.bank_feeds.ebics_world import bank_keys
from tests.usecases.conftest import ACCOUNT


def test_begin_letter_activate_confirm_use_fetch_suspend(
    migrated_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    monkeypatch.setenv("PAYMATCH_CALLBACK_ALLOW_PRIVATE", "1")
    database = Database(migrated_url, size=2, keyring=KEYRING)
    shops.create(database, "Shop", utc_now(), ibans=[ACCOUNT])
    database.close()
    bank = EbicsBank(bank_keys(), clock=utc_now, iban=ACCOUNT)

    def run(*arguments: str) -> tuple[int, Any]:
        result = CliRunner().invoke(app, ["bank", "ebics", *arguments, "--json"])
        return result.exit_code, json.loads(result.stdout or result.stderr)

    with serve(bank) as url:
        wanted = ["--bank", "Hausbank", "--host", "PMBANK", "--partner", "KUNDE01", "--user", "USER01"]
        code, made = run("begin", "Shop", "--url", url, *wanted)
        assert (code, made["status"]) == (0, "SUBMITTED"), made
        pdf = tmp_path / "letter.pdf"
        assert run("letter", "Shop", "--out", str(pdf), "--language", "fr") == (0, {"file": str(pdf)})
        assert pdf.read_bytes().startswith(b"%PDF")
        assert run("letter", "Shop", "--out", str(pdf), "--language", "xx")[0] == 1
        code, refused = run("activate", "Shop")
        assert (code, "signed letter" in refused["error"]) == (1, True)
        bank.active = True
        code, shown = run("activate", "Shop")
        prints = {str(use): text for use, text in bank.public.fingerprints.items()}
        assert (code, shown["status"]) == (0, "TO_COMPARE")
        assert not any(text in json.dumps(shown) for text in prints.values()), "they come from the bank's letter"
        assert run("confirm", "Shop", "--x002", prints["E002"], "--e002", prints["E002"])[0] == 1
        code, made = run("confirm", "Shop", "--x002", prints["X002"], "--e002", prints["E002"])
        assert (code, made["status"]) == (0, "ACTIVE")
        code, done = run("fetch", "Shop")
        assert (code, done["result"]) == (0, "0 files fetched, 0 sent")
        code, made = run("use", "Shop", "--send", "on", "--times", "07:00,18:00")
        assert (code, made["times"], made["accounts"], made["transferLevel"]) == (0, ["07:00", "18:00"], [ACCOUNT], "E")
        assert run("send", "Shop")[0] == 0
        code, rows = run("status", "Shop")
        assert [(row["bank"], row["status"], row["failures"]) for row in rows] == [("Hausbank", "ACTIVE", 0)]
        assert run("change-keys", "Shop")[0] == 0
        assert run("keys", "Shop")[0] == 1
        code, made = run("suspend", "Shop", "--yes")
        assert (code, made["status"], bank.active) == (0, "SUSPENDED", False)
        assert run("fetch", "Shop")[0] == 1
        assert run("remove", "Shop", "--yes")[0] == 0
        assert run("status", "Shop") == (0, [])
