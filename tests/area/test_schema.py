"""The state of the area's tables: a database of an earlier version is brought up to date."""

from __future__ import annotations

from importlib import resources

import psycopg

from paymatch.area import schema
from paymatch.store.migrate import migrate


def test_the_state_names_the_latest_migration_of_ours() -> None:
    folder = resources.files("paymatch.area.people").joinpath("migrations")
    own = sorted(item.name.removesuffix(".py") for item in folder.iterdir() if item.name.startswith("0"))
    assert own[0] == "0001_initial"
    assert schema.state().startswith(f"area {own[-1]} django ")


def test_an_earlier_state_is_brought_up_to_date(database_url: str) -> None:
    migrate(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO migrations VALUES ('area 0000_before django 0 allauth 0', clock_timestamp())")
        schema.migrate(database_url)
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'area'").fetchone()
        known = connection.execute("SELECT count(*) FROM migrations WHERE name = %s", (schema.state(),)).fetchone()
    assert tables is not None
    assert tables[0] > 10
    assert known == (1,)
