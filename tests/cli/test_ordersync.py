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
    assert run("undo", str(shop.id), sync_id[:-3]) == {  # its beginning will do
        "id": sync_id, "restored": 1, "restoredOrders": ["A-1"], "changedSince": [],
    }  # fmt: skip
    assert shop.status("A-1") == "UNPAID"
    assert "was already undone" in run("undo", str(shop.id), sync_id)


def test_undo_names_ten_orders_for_people_and_all_for_programs(
    api: Api, database: Database, module_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", module_url)
    shop = new_shop(api, database, Clock())
    numbers = [f"A-{place:02d}" for place in range(12)]
    for arguments in ([], ["--json"]):
        shop.post("orders", [order(number) for number in numbers])
        shop.run("UPDATE orders SET created_at = '2026-01-01' WHERE shop_id = $1")
        sync_id = shop.post("ordersync?detail=true", []).json["id"]
        shop.run("UPDATE order_syncs SET at = now() WHERE shop_id = $1 AND id = $2", sync_id)
        shown = CliRunner().invoke(app, ["ordersync", "undo", str(shop.id), sync_id, *arguments]).stdout
        if arguments:
            assert json.loads(shown)["restoredOrders"] == numbers
        else:
            assert f"restoredOrders: {', '.join(numbers[:10])} and 2 more (all with --json)\n" in shown
