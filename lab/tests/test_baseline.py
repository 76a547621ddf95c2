"""The baseline makes the tables of the migrations that it replaces, and databases of before are carried over to it."""

from __future__ import annotations

import gzip
from pathlib import Path

import psycopg
import pytest
from lab import baseline
from tests.databases import new_database
from tests.upgrades.keep_dump import DUMPS

from paymatch.store.migrate import DatabaseNewer, files, migrate
from paymatch.store.service_role import create_group_roles

KEPT = sorted((baseline.DUMPS if baseline.DUMPS.is_dir() else DUMPS).glob("*.sql.gz"))
ORDERS = "SELECT number, status, amount_minor FROM orders ORDER BY number"


def rows(url: str, query: str) -> list[tuple[object, ...]]:
    """What the owner reads."""
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()


@pytest.fixture(scope="module")
def text(server_url: str) -> str:
    """The baseline: the applied one, or the one that today's migrations amount to."""
    if baseline.REPLACED.is_file():
        return (baseline.FOLDER / baseline.NAME).read_text("utf-8")
    with new_database(server_url, "template0") as url:
        migrate(url, baseline.replaced())
        return baseline.baseline(url, baseline.replaced())


@pytest.fixture(scope="module")
def new_schema(server_url: str, text: str) -> str:
    """All tables of a database that begins with the baseline."""
    with new_database(server_url, "template0") as url:
        assert migrate(url, [(baseline.NAME, text)]) == [baseline.NAME]
        return baseline.schema_of(url)


def test_the_baseline_makes_the_tables_of_the_migrations_that_it_replaces(database_url: str, new_schema: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        create_group_roles(connection)
        connection.execute("CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)")
    assert baseline.carry_over(database_url) == [name for name, _ in baseline.replaced()]
    assert baseline.schema_of(database_url) == new_schema
    assert new_schema.count("CREATE TABLE ") > 80
    assert rows(database_url, "SELECT name FROM migrations") == [(baseline.NAME,)]
    assert baseline.carry_over(database_url) == []


@pytest.mark.parametrize("dump", KEPT, ids=lambda path: path.name.partition(".")[0])
def test_a_database_of_before_is_carried_over(dump: Path, database_url: str, new_schema: str, text: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        create_group_roles(connection)
        connection.execute(gzip.decompress(dump.read_bytes()))
    orders = rows(database_url, ORDERS)
    assert len(orders) == 4
    with pytest.raises(DatabaseNewer):
        migrate(database_url, [(baseline.NAME, text)])
    assert baseline.carry_over(database_url)[-1] == baseline.replaced()[-1][0]
    assert baseline.schema_of(database_url) == new_schema
    assert rows(database_url, ORDERS) == orders
    later = ("0002_later.sql", "CREATE TABLE later (day date)")
    assert migrate(database_url, [(baseline.NAME, text), later]) == [later[0]]


def test_the_baseline_leaves_rows_and_rights_of_shops_to_the_service(text: str) -> None:
    assert "CREATE POLICY" not in text
    assert "ROW LEVEL SECURITY" not in text
    assert "GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE orders" not in text
    assert "GRANT SELECT ON TABLE migrations TO PUBLIC;" in text
    assert "INSERT INTO" not in text.replace("INSERT INTO %", "")


def test_the_applied_baseline_is_the_first_migration() -> None:
    if baseline.REPLACED.is_file():
        assert files()[0][0] == baseline.NAME
