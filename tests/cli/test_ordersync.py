"""paymatch ordersync: list, undo."""

# ruff: noqa: F811  a fixture that is imported has the name of the argument
from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.api import Api
from paymatch.cli.main import app
from paymatch.store.database import Database
from tests.cli.conftest import spoken
from tests.contract.client import Clock, new_shop, order
from tests.contract.conftest import api, clock, database, files  # noqa: F401  fixtures


def test_undo_of_a_synchronisation(
    api: Api,
    database: Database,
    module_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", module_url)
    shop = new_shop(api, database, Clock())

    def run(*arguments: str) -> Any:
        result = CliRunner().invoke(app, ["ordersync", *arguments, "--json"])
        return json.loads(result.stdout) if result.exit_code == 0 else spoken(result.stderr)

    assert run("list", str(shop.id)) == []
    shop.post("orders", [order("A-1"), order("A-2")])
    shop.run("UPDATE orders SET created_at = '2026-01-01' WHERE shop_id = $1")
    sync_id = shop.post("ordersync?detail=true", ["A-2"]).json["id"]
    shop.run("UPDATE order_syncs SET at = now() WHERE shop_id = $1")
    assert [each["id"] for each in run("list", str(shop.id))] == [sync_id]
    assert run("undo", str(shop.id), sync_id) == {
        "id": sync_id, "restored": 1, "restoredOrders": ["A-1"], "changedSince": [],
    }  # fmt: skip
    assert shop.status("A-1") == "UNPAID"
    assert "was already undone" in run("undo", str(shop.id), sync_id)
