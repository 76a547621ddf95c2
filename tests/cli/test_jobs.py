"""paymatch jobs: list, filter, run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.clock import utc_now
from paymatch.store.database import Database
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.job_kinds import JobGateways, JobKind
from tests.cli.conftest import spoken
from tests.keys import KEYRING

Run = Callable[..., Any]


@pytest.fixture
def run(migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("My shop")`: the JSON that `paymatch jobs` prints, or the text of its refusal."""
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path))
    database = Database(migrated_url, size=2, keyring=KEYRING)
    shop = shops.create(database, "My shop", utc_now()).shop

    def fail(*_: object) -> Any:
        raise OSError("disk full")

    broken = JobKind("retention", lambda _shop, now: now, fail)
    with capture_logs():
        shop_jobs.run(database, JobGateways(), ShopId(shop.id), broken, utc_now, early=True)
    database.close()

    def call(*words: str) -> Any:
        result = CliRunner().invoke(app, ["jobs", *words, "--json"])
        return json.loads(result.stdout) if not result.exit_code else spoken(result.stderr).strip()

    return call


def test_list(run: Run) -> None:
    rows = run("My shop")
    assert {row["kind"]: row["state"] for row in rows} == {
        "account-information": "waiting",
        "alerts": "planned",
        "collection": "planned",
        "connectors": "waiting",
        "ebics": "waiting",
        "exports": "waiting",
        "letters": "waiting",
        "mail": "waiting",
        "matching": "waiting",
        "print-run": "waiting",
        "refund-requests": "waiting",
        "replay": "waiting",
        "refund-run": "planned",
        "retention": "failing",
        "search": "planned",
        "order-keys": "planned",
    }
    assert run("list", "My shop") == rows
    assert [row["kind"] for row in run("My shop", "--failed")] == ["retention"]
    (row,) = run("My shop", "--kind", "retention")
    assert (row["failures"], row["failed"], row["done"], row["lastError"]) == (1, 1, 0, "OSError: disk full")
    assert run("Nobody") == "Error: There is no shop 'Nobody'"
    kinds = ", ".join(row["kind"] for row in rows)
    words = f"Error: There is no job 'tea'; jobs are: {kinds}"
    assert run("My shop", "--kind", "tea") == run("run", "My shop", "tea") == words


def test_run_now(run: Run, migrated_url: str) -> None:
    assert run("run", "My shop", "retention") == {"kind": "retention", "state": "done", "result": ""}
    assert run("My shop", "--failed") == []
    assert run("run", "My shop", "refund-run")["result"] == "0 files with 0 refunds, 0 not sent"
    database = Database(migrated_url, size=1, keyring=KEYRING)
    with database.of_all_shops() as tx:
        tx.run("UPDATE shop_jobs SET claimed_until = $1 WHERE kind = 'alerts'", utc_now() + shop_jobs.LEASE)
    database.close()
    assert run("run", "My shop", "alerts") == "Error: The job alerts of this shop is being done just now"


@pytest.mark.parametrize("kind", ["mail", "refund-requests", "letters", "collection", "exports", "connectors"])
def test_a_job_that_talks_to_others_has_its_ways_out(run: Run, kind: str) -> None:
    assert run("run", "My shop", kind)["state"] == "done"
