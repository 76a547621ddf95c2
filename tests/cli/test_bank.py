"""paymatch bank: a connection from the first day to its end, against a bank of our own on 127.0.0.1."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.fakes.fints_bank import FintsBank, fints_server
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

pytest.importorskip("fints")


def rows_of(output: str) -> list[dict[str, Any]]:
    """The JSON behind what was typed, which the runner of the tests shows on stdout."""
    found: list[dict[str, Any]] = json.loads(output[output.index("[") :])
    return found


def test_add_fetch_list_remove(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    database = Database(migrated_url, size=2, keyring=KEYRING)
    books = Books(database, shops.create(database, "Shop", Books.now - timedelta(days=60), ibans=[ACCOUNT]).shop)
    bank = FintsBank(ACCOUNT, tan="123456", camt=[camt(CamtMessage.INTRADAY, paid(1990, "A"), paid(-500, "B"))])

    def run(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        result = CliRunner().invoke(app, ["bank", *arguments], input=typed)
        return result.exit_code, result.stdout, result.stderr

    with fints_server(bank) as url:
        options = ["--account", ACCOUNT, "--bank-code", "37040044", "--server", url, "--user", "eva"]
        assert run("add", "Shop", *options)[0] == 0
        code, _, errors = run("fetch", "Shop")
        assert code == 1
        assert errors.endswith(f"Error: {ACCOUNT}: Name the registered FinTS product with PAYMATCH_FINTS_PRODUCT_ID\n")
        monkeypatch.setenv("PAYMATCH_FINTS_PRODUCT_ID", "PRODUCT")
        code, _, errors = run("fetch", "Shop", typed="99999\n")
        assert (code, bank.asked.count("HKIDN")) == (1, 1)
        assert errors.endswith(f"Error: {ACCOUNT}: The bank refuses the PIN; it was not tried again\n")
        assert "99999" not in errors
        assert books.postings() == []
        code, output, errors = run("fetch", "Shop", "--json", typed="12345\n123456\n")
        assert code == 0, errors
        assert [(row["format"], row["new"], row["pending"]) for row in rows_of(output)] == [("camt.052", 2, False)]
        monkeypatch.setenv("PAYMATCH_FINTS_PIN", "12345")
        code, output, _ = run("fetch", "Shop", "--json", typed="123456\n")
        assert [(row["new"], row["known"]) for row in rows_of(output)] == [(0, 2)]
        bank.decoupled = True
        code, _, errors = run("fetch", "Shop", typed="\n\n")
        assert (code, errors.count("Confirm it in the bank's app, then press Enter")) == (0, 2)
    assert len(books.postings()) == 2
    shown = json.loads(run("list", "Shop", "--json")[1])[0]
    assert (shown["account"], shown["consentUntil"] is not None, "12345" in str(shown)) == (ACCOUNT, True, False)
    dump = books.rows("SELECT c::text FROM bank_connections c WHERE shop_id = $1")
    assert "12345" not in dump[0][0]
    assert run("remove", "Shop", ACCOUNT, "--yes")[0] == 0
    assert run("list", "Shop", "--json")[1] == "[]\n"
    database.close()
