"""The program before the newest migration and the one of today work side by side on one database (D-71)."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from pathlib import Path

import psycopg
import pytest

from paymatch.clock import utc_now
from paymatch.store.database import Database
from paymatch.store.migrate import files
from paymatch.usecases.shops import shops
from paymatch.usecases.work.check import check_shop
from tests.front.service import Service, service, service_of
from tests.keys import KEYRING
from tests.upgrades.test_migration_rules import LAST_FREE

ROOT = Path(__file__).resolve().parents[2]
MIGRATIONS = "src/paymatch/store/migrations"


@pytest.fixture
def old_source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the commit before the newest migration came; kept, since most of its start is compiling."""
    newest = files()[-1][0]
    if newest[:4] <= LAST_FREE:
        pytest.skip("there is no migration after the first")
    ways = ("--first-parent", "-m", "--diff-filter=A", "-1")  # a branch may have renamed it before it came
    added = _git("log", *ways, "--format=%H", "--", f"{MIGRATIONS}/{newest}").decode().strip()
    before = _git("archive", f"{added}^", "src") if added else b""
    if not before:
        pytest.skip("the history of the repository is not here")
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    folder = (cache.mkdir("program-before") if cache else tmp_path_factory.mktemp("program-before")) / added
    with tarfile.open(fileobj=io.BytesIO(before)) as packed:
        packed.extractall(folder, filter="data")  # the same files again keep what was compiled
    assert not (folder / MIGRATIONS / newest).exists()
    return folder / "src"


def _git(*words: str) -> bytes:
    """What git prints; nothing where it has no history."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False).stdout


def _sell(running: Service, key: str, number: str) -> None:
    """An order is submitted, changed and paid at this server."""
    body = {
        "number": number, "date": "16-11-2026", "type": "PREPAYMENT", "amount": 49.9, "currency": "EUR",
        "billing": {"firstName": "Erika", "lastName": "Mustermann", "countryCode": "DE"},
    }  # fmt: skip
    for amount in (49.9, 59.9):
        sent = json.dumps(body | {"amount": amount}).encode()
        assert running.ask(f"/api/v2/order/{number}", key, "POST", sent, Content_Type="application/json").status == 200
    assert running.ask(f"/api/v2/order/{number}/setpaid", key, "POST").status == 200


def test_both_take_orders_and_payments_while_the_new_one_migrates(
    database_url: str, old_source: Path, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with service_of(old_source, database_url, tmp_path / "first") as old:
        database = Database(database_url, size=1, keyring=KEYRING)
        made = shops.create(database, "Teehaus", utc_now())
        _sell(old, made.api_key, "A-1")
        with service(database_url, tmp_path / "second") as new:
            with psycopg.connect(database_url) as connection:
                applied = {name for (name,) in connection.execute("SELECT name FROM migrations")}
            assert {name for name, _ in files()} <= applied
            for number, running in (("A-2", old), ("A-3", new), ("A-4", old), ("A-5", new)):
                _sell(running, made.api_key, number)
            for running in (old, new):
                paid = [running.ask(f"/api/v2/order/A-{n}", made.api_key).body for n in range(1, 6)]
                assert [json.loads(body)["amount"] for body in paid] == [59.9] * 5
            assert (old.ask("/readyz").status, new.ask("/readyz").status) == (200, 200)
        assert list(check_shop(database, made.shop)) == []
        database.close()
