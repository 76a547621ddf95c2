"""paymatch bank account-information: from the key to the end, against the simulated provider on 127.0.0.1."""

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
from tests.fakes.enable_banking import APPLICATION, AccountAtBank, EnableBankingFake, key_of_shop, serve
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT


def test_key_banks_begin_finish_use_fetch_renew_remove(
    migrated_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    monkeypatch.setenv("PAYMATCH_CALLBACK_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("PAYMATCH_BASE_URL", "https://pay.example.com")
    database = Database(migrated_url, size=2, keyring=KEYRING)
    shops.create(database, "Shop", utc_now(), ibans=[ACCOUNT])
    database.close()
    bank = EnableBankingFake(utc_now, [AccountAtBank(ACCOUNT)])
    bank.accounts[0].book("12.30", utc_now().date(), "Bestellung 1")
    pem = tmp_path / "key.pem"
    pem.write_text(key_of_shop().private_key)

    def run(*arguments: str) -> tuple[int, Any]:
        result = CliRunner().invoke(app, ["bank", "account-information", *arguments, "--json"])
        return result.exit_code, json.loads(result.stdout or result.stderr)

    with serve(bank) as url:
        monkeypatch.setenv("PAYMATCH_ENABLE_BANKING_URL", url)
        assert run("banks", "Shop", "--country", "DE")[0] == 1
        code, kept = run("key", "Shop", "--application", APPLICATION, "--key-file", str(pem))
        assert code == 0, kept
        bank.returns_to = {kept["returnUrl"]}
        code, rows = run("banks", "Shop", "--country", "de")
        assert (code, [row["name"] for row in rows]) == (0, ["Hausbank"])
        assert run("begin", "Shop", "--bank", "Another", "--country", "DE")[0] == 1
        code, begun = run("begin", "Shop", "--bank", "Hausbank", "--country", "DE")
        assert code == 0, begun
        back = bank.give(begun["open"])
        code, made = run("finish", "Shop", "--answer", back)
        assert (code, made["status"], made["accounts"]) == (0, "ACTIVE", [ACCOUNT]), made
        assert run("finish", "Shop", "--answer", back)[0] == 1
        code, made = run("use", "Shop", "--times", "07:00")
        assert (code, made["times"], made["accounts"]) == (0, ["07:00"], [ACCOUNT])
        code, done = run("fetch", "Shop")
        assert (code, done["result"]) == (0, "1 account read, 1 file imported, 0 owners reminded")
        code, rows = run("status", "Shop")
        assert [(row["bank"], row["status"], row["failures"]) for row in rows] == [("Hausbank", "ACTIVE", 0)]
        code, begun = run("renew", "Shop")
        assert run("finish", "Shop", "--answer", bank.give(begun["open"]))[0] == 0
        bank.revoke()
        assert run("fetch", "Shop")[0] == 1
        assert run("remove", "Shop", "--yes")[0] == 0
        assert run("status", "Shop") == (0, [])
