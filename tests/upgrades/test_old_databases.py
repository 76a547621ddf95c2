"""What earlier versions left in their databases is brought up to date, is right, and knows its statements again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from paymatch.area import schema as area_schema
from paymatch.cli.main import app
from paymatch.store.migrate import files, migrate
from paymatch.store.service_role import create_group_roles
from tests.databases import new_database
from tests.upgrades.keep_dump import DUMPS, SHOP, STATEMENT

KEPT = sorted(DUMPS.glob("*.sql.gz"))
_CATALOGUE = {
    "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, is_generated"
    " FROM information_schema.columns WHERE table_schema = 'public'",
    "indexes": "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, contype, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace AND contype <> 'n'",
    "policies": "SELECT tablename, policyname, permissive, roles::text, cmd, qual, with_check FROM pg_policies",
    "functions": "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    "triggers": "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "rights": "SELECT table_name, grantee, privilege_type FROM information_schema.role_table_grants"
    " WHERE table_schema = 'public' AND grantee LIKE 'paymatch\\_%'",
    "security": "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
}


@pytest.fixture(scope="module")
def of_today(server_url: str) -> dict[str, list[Any]]:
    """Tables, indexes, constraints, policies, functions, triggers and rights of a database that is made today."""
    with new_database(server_url, "template0") as url:
        migrate(url)
        area_schema.migrate(url)
        return {what: rows(url, query) for what, query in _CATALOGUE.items()}


@pytest.fixture(params=KEPT, ids=lambda path: path.name.partition(".")[0])
def old_url(request: pytest.FixtureRequest, database_url: str) -> str:
    """URL of a database as an earlier version left it."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        create_group_roles(connection)
        connection.execute(gzip.decompress(request.param.read_bytes()))
    return database_url


def rows(url: str, query: str) -> list[Any]:
    """What the owner reads, sorted."""
    with psycopg.connect(url) as connection:
        return sorted(connection.execute(query.encode()).fetchall(), key=repr)


def _run(monkeypatch: pytest.MonkeyPatch, url: str, folder: Path, *arguments: str) -> Any:
    """The JSON that a command prints."""
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", url)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(folder / "data"))
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def _books(url: str) -> list[list[Any]]:
    """Every amount and every status that the books know."""
    return [
        rows(url, "SELECT number, status, amount_minor, postings_minor, refunded_minor FROM orders"),
        rows(url, "SELECT id, amount_minor, status, allocated_minor, counterparty_name FROM postings"),
        rows(url, "SELECT posting_id, order_number, amount_minor FROM allocations"),
        rows(url, "SELECT external_reference, status FROM refunds"),
    ]


def test_each_dump_is_small_and_of_another_state() -> None:
    assert len(KEPT) >= 1
    assert max(path.stat().st_size for path in KEPT) < 100_000
    assert len({path.name[:4] for path in KEPT}) == len(KEPT)


def test_an_old_database_is_brought_up_to_date_and_right(
    old_url: str, of_today: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    had = {str(row[0]) for row in rows(old_url, "SELECT name FROM migrations WHERE name LIKE '%.sql'")}
    orders = rows(old_url, "SELECT number, status, amount_minor FROM orders")
    applied = _run(monkeypatch, old_url, tmp_path, "migrate")
    assert applied["applied"] == [name for name, _ in files() if name not in had]
    assert _run(monkeypatch, old_url, tmp_path, "check") == {"shops": 1, "violations": []}
    assert {what: rows(old_url, query) for what, query in _CATALOGUE.items()} == of_today
    before = _books(old_url)
    assert [row[:3] for row in before[0]] == orders
    assert orders == [
        ("OLD-1001", "PAID", 4990), ("OLD-1002", "PAID_PARTIAL", 12000), ("OLD-1003", "UNPAID", 8000),
        ("OLD-1004", "PAID", 9500),
    ]  # fmt: skip
    assert sorted(row[1] for row in before[1]) == [-500, 3333, 4990, 9500, 10000]
    assert before[3] == [("R-1", "NEW")]
    _run(monkeypatch, old_url, tmp_path, "statement", "import", SHOP, str(STATEMENT))
    other = tmp_path / "again.xml"  # other bytes, the same statement: recognised by its lines, not by its digest
    other.write_text(STATEMENT.read_text("utf-8") + "\n", "utf-8")
    _run(monkeypatch, old_url, tmp_path, "statement", "import", SHOP, str(other))
    assert _books(old_url) == before
    assert _run(monkeypatch, old_url, tmp_path, "check") == {"shops": 1, "violations": []}
