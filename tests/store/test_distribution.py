"""The tables can be distributed by shop id (D-79): asked of the catalogue and of every statement, without Citus."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from paymatch.store.database import Database
from paymatch.store.distribution import placing
from paymatch.store.distribution.catalogue import tables
from paymatch.store.row_security import AREA, OF_SHOP_BY_ROW, guard_tables
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops
from tests.contract.client import START
from tests.keys import KEYRING
from tests.nodes import ONE_SERVER
from tests.store.test_row_security import SHARED

SOURCES = Path(__file__).resolve().parents[2] / "src" / "paymatch"


@pytest.fixture
def connection(migrated_url: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(migrated_url) as opened:
        yield opened


def test_every_table_of_shops_can_be_placed_by_shop_id(connection: psycopg.Connection) -> None:
    found = tables(connection)
    assert found[0].name == "shops"
    assert {table.name for table in found if not table.of_shop} == SHARED
    assert [obstacle for table in found for obstacle in table.obstacles] == []


def test_what_is_in_the_way_is_named(connection: psycopg.Connection) -> None:
    for statement in (
        "CREATE TABLE cards (shop_id uuid NOT NULL, id text, code text UNIQUE, PRIMARY KEY (shop_id, id))",
        "CREATE TABLE uses (shop_id uuid NOT NULL REFERENCES shops, n bigserial, code text REFERENCES cards (code))",
        "CREATE TABLE tills (shop_id uuid PRIMARY KEY, n bigint GENERATED ALWAYS AS IDENTITY)",
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER watched BEFORE INSERT ON tills FOR EACH ROW EXECUTE FUNCTION nothing()",
    ):
        connection.execute(statement)
    assert [obstacle for table in tables(connection) for obstacle in table.obstacles] == [
        "cards: unique key without shop_id cards_code_key",
        "tills: trigger watched",
        "tills: serial number n",
        "uses: foreign key without shop_id uses_code_fkey",
        "uses: serial number n",
    ]


def test_dry_run_tells_and_changes_nothing(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    result = CliRunner().invoke(app, ["distribute", "--dry-run", "--json"])
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert result.exit_code == 0
    assert {name for name, row in rows.items() if row["place"] == "local"} == SHARED
    assert rows["orders"] == {"name": "orders", "place": "to be distributed", "rows": None, "why": ""}


def test_without_citus_it_is_refused_in_one_line(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", migrated_url)
    result = CliRunner().invoke(app, ["distribute"])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: The database has no Citus: have a superuser run CREATE EXTENSION citus")
    with psycopg.connect(migrated_url) as opened:
        assert not placing.is_distributed(opened)


def test_policy_of_distributed_tables_shows_the_same_rows(migrated_url: str) -> None:
    with closing(Database(migrated_url, size=2, keyring=KEYRING)) as database:
        ours, theirs = (shops.create(database, name, START).shop for name in ("Ours", "Theirs"))
        with psycopg.connect(migrated_url) as connection:
            assert len(guard_tables(connection, by_row=True)) == len(tables(connection)) - len(SHARED)
            assert guard_tables(connection, by_row=True) == []
            policy = "SELECT DISTINCT qual FROM pg_policies WHERE policyname = 'of_shop'"
            [[qual]] = connection.execute(policy).fetchall()
            forced = "SELECT relname FROM pg_class WHERE relforcerowsecurity"
            assert connection.execute(forced).fetchall() == [], "nothing could be replicated into these tables"
        assert "SELECT" not in qual and "SELECT" not in OF_SHOP_BY_ROW
        for shop in (ours, theirs):
            with database.of_shop(shop) as tx:
                assert [row.name for row in tx.rows("SELECT name FROM shops")] == [shop.name]
        with database.of_shop(ShopId(uuid4())) as tx:
            assert tx.rows("SELECT name FROM shops") == []
        with psycopg.connect(migrated_url) as connection:  # and back to the form of one server
            assert len(guard_tables(connection)) == len(tables(connection)) - len(SHARED)


def test_transactions_set_what_citus_passes_on(migrated_url: str) -> None:
    """Citus passes SET LOCAL on to the nodes, and no set_config(): there the policy would find no shop."""
    database, shop = Database(migrated_url, size=1, keyring=KEYRING), ShopId(uuid4())
    sent: list[str] = []
    with database.of_shop(shop) as tx:
        sent += [statement.text for statement in tx._waiting]
        assert tx.value("SELECT current_setting('paymatch.shop')") == str(shop)
        assert tx.value("SELECT current_setting('citus.propagate_set_commands')") == "local"
        assert tx.value("SELECT current_setting('lock_timeout')") == "2s"
    with database.of_all_shops() as tx:
        assert tx.value("SELECT current_setting('paymatch.shop', true)") in ("", None)
    database.close()
    assert f"SET LOCAL paymatch.shop = '{shop}'" in sent and "SET LOCAL lock_timeout = '2s'" in sent


def test_settings_of_a_transaction_are_never_prepared(migrated_url: str) -> None:
    """There is one for each shop: prepared, they would push out what is worth preparing."""
    database, shop = Database(migrated_url, size=1, keyring=KEYRING), ShopId(uuid4())
    names: list[str] = []
    for _ in range(6):
        with database.of_shop(shop) as tx:
            names = [row.statement for row in tx.rows("SELECT statement FROM pg_prepared_statements")]
    database.close()
    assert names != [] and not [name for name in names if name.startswith("SET ")]


def test_no_setting_travels_in_one_string_with_other_statements() -> None:
    """Citus passes the whole string of a SET LOCAL on: a node would take the locks that stand beside it, and wait."""
    found = [
        (path.name, text)
        for path in sorted((SOURCES / "store").rglob("*.py"))
        for text in re.findall(r'b?"[^"\n]*SET LOCAL[^"\n]*"', path.read_text("utf-8"))
        if ";" in text
    ]
    assert found == []


_INSERT = re.compile(r'INSERT INTO (\w+)(?:(?!"""|\n\n|INSERT INTO).)*?\bSELECT\b(?:(?!"""|\n\n).)*', re.DOTALL)


def test_every_insert_from_a_select_returns_or_settles_conflicts() -> None:
    """Without one of the two Citus copies the rows to their node by COPY, which row-level security refuses."""
    found = [
        (path.name, match[1], match[0])
        for path in sorted((SOURCES / "store").rglob("*.py"))
        for match in _INSERT.finditer(path.read_text("utf-8"))
        if match[1] not in SHARED
    ]
    assert len(found) > 25
    assert [(name, table) for name, table, text in found if not re.search("RETURNING|ON CONFLICT", text)] == []


_VALUES = re.compile(
    r'INSERT INTO (\w+)(?:(?!"""|\n\n|INSERT INTO|SELECT).)*?\bVALUES\b(?:(?!"""|\n\n|INSERT INTO).)*', re.DOTALL
)


def test_no_insert_of_values_asks_a_table() -> None:
    """Citus takes no subquery there: such a statement is an INSERT from a SELECT."""
    found = [
        (path.name, match[1], match[0])
        for path in sorted((SOURCES / "store").rglob("*.py"))
        for match in _VALUES.finditer(path.read_text("utf-8"))
        if match[1] not in SHARED
    ]
    assert len(found) > 25
    assert [(name, table) for name, table, text in found if "SELECT" in text] == []


_COUNTED = re.compile(
    r'(?:return|=|bool\()\s*tx\.run\(\s*(?P<text>(?:f?"(?:[^"\\]|\\.)*"\s*)+|(?P<name>_[A-Z_]+)[^,]*)'
)


def test_what_an_insert_from_a_select_leaves_out_is_not_counted() -> None:
    """Citus counts the rows that were read, also those that ON CONFLICT left out; what comes back, it counts right."""
    found = []
    for path in sorted((SOURCES / "store").rglob("*.py")):
        source = path.read_text("utf-8")
        for match in _COUNTED.finditer(source):
            text = match["text"]
            if (name := match["name"]) is not None:
                text = source.partition(f"\n{name}: Final = ")[2].partition("\n\n")[0] + text
            if all(word in text for word in ("INSERT", "SELECT", "DO NOTHING")):
                found.append((path.name, text))
    assert len(found) > 2
    assert [(name, text) for name, text in found if "RETURNING 1" not in text] == []


def test_a_transaction_knows_whether_it_has_written(migrated_url: str) -> None:
    """Wherever the rows of its shop are: otherwise no fault test would stop at its commit."""
    database = Database(migrated_url, size=2, keyring=KEYRING)
    with closing(database):
        made = [shops.create(database, f"Shop {number}", START).shop for number in range(6)]
        for shop in made:
            for scope in (ShopId(shop.id), None):
                with database.of_all_shops() if scope is None else database.of_shop(scope) as tx:
                    assert tx.value("SELECT name FROM shops WHERE shop_id = $1", shop.id) == shop.name
                    before = tx.has_written()
                    tx.run("UPDATE shops SET name = name WHERE shop_id = $1", shop.id)
                    assert (before, tx.has_written()) == (False, True)
        with database.of_all_shops() as tx:
            tx.run("SELECT set_config('role', $1, true)", AREA)
            assert not tx.has_written()


_LATERAL = re.compile(r'LATERAL \((?:(?!"""|\n\n).)*?\bWHERE \w+\.shop_id = (\w+\.shop_id|\$\d)', re.DOTALL)


def test_every_lateral_look_up_names_its_shop() -> None:
    """Taken from the row that is looked at, Citus does not see that all is on one node, and refuses complex joins."""
    found = [
        (path.name, match[1])
        for path in sorted((SOURCES / "store").rglob("*.py"))
        for match in _LATERAL.finditer(path.read_text("utf-8"))
    ]
    assert len(found) > 5
    assert [(name, shop) for name, shop in found if shop != "$1"] == []


@pytest.mark.parametrize("begin", ONE_SERVER)
def test_tests_that_are_skipped_on_nodes_exist(begin: str) -> None:
    path, _, name = begin.partition("::")
    assert f"def {name}" in (SOURCES.parents[1] / path).read_text("utf-8")
