"""Tables that have grown are counted by the service, which owns none of them (D-135)."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from paymatch.jobs.row_counts import RowCounter
from paymatch.store.database import Database
from paymatch.store.row_security import APP, AREA, OPERATOR
from paymatch.store.service_role import service_url
from paymatch.usecases.work.row_counts import count_grown

_GROW = "INSERT INTO parcels SELECT n, 'in transit' FROM generate_series(1, %s) n"
_COUNTED = "SELECT reltuples::int FROM pg_class WHERE oid = 'parcels'::regclass"


@pytest.fixture
def service(migrated_url: str) -> Iterator[Database]:
    """The service's own login to a database with a new table."""
    with psycopg.connect(migrated_url, autocommit=True) as owner:
        owner.execute("CREATE TABLE parcels (number int, state text)")
    database = Database(service_url(migrated_url, "not a secret in tests"), size=2)
    yield database
    database.close()


def grow(url: str, rows: int) -> None:
    """Rows that nobody has counted, of which PostgreSQL is told at once."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(_GROW, (rows,))
        owner.execute("SELECT pg_stat_force_next_flush()")


def counted(url: str) -> tuple[int, int]:
    """(rows that PostgreSQL believes in, how many statistics it has of their columns)."""
    with psycopg.connect(url, autocommit=True) as owner:
        rows = owner.execute(_COUNTED).fetchone()
        columns = owner.execute("SELECT count(*) FROM pg_stats WHERE tablename = 'parcels'").fetchone()
    assert rows and columns
    return rows[0], columns[0]


def test_a_table_is_counted_each_time_that_it_has_doubled(service: Database, migrated_url: str) -> None:
    grow(migrated_url, 600)
    assert counted(migrated_url) == (-1, 0)
    assert count_grown(service) == ["parcels"]
    assert counted(migrated_url) == (600, 2)
    grow(migrated_url, 550)  # less than there was, and the last count is young
    assert count_grown(service) == []
    grow(migrated_url, 50)
    assert RowCounter(service).look() == 1
    assert counted(migrated_url)[0] == 1200
    assert RowCounter(service).look() == 0


def test_few_rows_and_a_locked_table_are_left_to_postgresql(service: Database, migrated_url: str) -> None:
    grow(migrated_url, 499)
    assert RowCounter(service).look() == 0
    grow(migrated_url, 1)
    with psycopg.connect(migrated_url) as other:
        other.execute("LOCK TABLE parcels IN SHARE UPDATE EXCLUSIVE MODE")  # as another count has it
        assert count_grown(service) == ["parcels"]
    assert counted(migrated_url) == (-1, 0)
    assert RowCounter(service).look() == 1
    assert counted(migrated_url) == (500, 2)


def test_only_the_operators_view_may_have_rows_counted(service: Database, migrated_url: str) -> None:
    statement = "SELECT rolname FROM pg_roles WHERE has_function_privilege(oid, 'count_grown_rows()', 'EXECUTE')"
    with psycopg.connect(migrated_url) as owner:
        allowed = {row[0] for row in owner.execute(statement)}
        to_all = owner.execute("SELECT has_function_privilege('public', 'count_grown_rows()', 'EXECUTE')").fetchone()
    assert OPERATOR in allowed and not allowed & {APP, AREA}
    assert to_all == (False,)
