"""Behind PgBouncer in transaction mode: each transaction may have another session, and no session is ours alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg import sql

from paymatch.store import area_schema
from paymatch.store.connection import PREPARED_AT
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.row_security import AREA
from paymatch.store.server.pooler import cursor_of, is_pooled
from tests.fakes.pgbouncer import pgbouncer
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(shutil.which("pgbouncer") is None, reason="needs PgBouncer")


@pytest.fixture
def pooled_url(migrated_url: str) -> Iterator[str]:
    """One session for all clients together, with settings of its own."""
    with psycopg.connect(migrated_url, autocommit=True) as connection:
        database = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("ALTER DATABASE {} SET TimeZone = 'Asia/Tokyo'").format(database))
    with pgbouncer(migrated_url) as url:
        yield url


def test_pooler_is_noticed(migrated_url: str, pooled_url: str) -> None:
    found = []
    for url in (migrated_url, pooled_url):
        with psycopg.connect(url) as connection:
            found.append(is_pooled(connection))
    assert found == [False, True]


def test_statements_that_come_often_are_not_prepared(pooled_url: str) -> None:
    """The session belongs to both: what one prepares in it the other one would prepare again."""
    first, second = Database(pooled_url, size=1), Database(pooled_url, size=1)
    try:
        for number in range(PREPARED_AT + 2):
            for database in (first, second):
                with database.of_all_shops() as tx:
                    assert tx.value("SELECT $1::int + 1", number) == number + 1
        with first.of_all_shops() as tx:
            assert tx.rows("SELECT name FROM pg_prepared_statements") == []
    finally:
        first.close()
        second.close()


def test_settings_hold_in_the_transaction_and_end_with_it(pooled_url: str) -> None:
    database = Database(pooled_url, size=1)
    settings = "SELECT current_setting('TimeZone') AS zone, current_setting('jit') AS jit, current_user AS role"
    try:
        with database.of_all_shops() as tx:
            assert tx.row(settings) == ("UTC", "off", "paymatch_operator")
    finally:
        database.close()
    with psycopg.connect(pooled_url, autocommit=True) as connection:
        row = connection.execute(settings).fetchone()
        assert row is not None
        assert row[0] == "Asia/Tokyo"
        assert row[2] == connection.info.user


def test_migrating_leaves_no_lock_behind(database_url: str) -> None:
    """A lock of the session would stay in the pooler's, and the next one that migrates would wait for it for ever."""
    with pgbouncer(database_url, sessions=3) as url:
        applied = migrate(url)
        assert len(applied) > 60
        with area_schema.brought_into(url, "a state"), psycopg.connect(database_url) as connection:
            assert _advisory_locks(connection) == 1
        with ThreadPoolExecutor(2) as pool:
            assert [each.result(PATIENCE_SECONDS) for each in [pool.submit(migrate, url) for _ in range(2)]] == [[], []]
        with psycopg.connect(database_url) as connection:
            assert _advisory_locks(connection) == 0


def _advisory_locks(connection: psycopg.Connection) -> int:
    row = connection.execute(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("autocommit", [True, False])
def test_sessions_of_the_merchant_area_keep_role_and_schema(pooled_url: str, *, autocommit: bool) -> None:
    factory = cursor_of(psycopg.ClientCursor, {"search_path": "pg_temp", "role": AREA})
    who = "SELECT current_user, current_setting('search_path')"
    with psycopg.connect(pooled_url, autocommit=autocommit, cursor_factory=factory) as connection:
        for _ in range(2):
            assert connection.execute(who).fetchone() == (AREA, "pg_temp")
            connection.commit()
    with psycopg.connect(pooled_url, autocommit=True) as connection:
        assert connection.execute(who).fetchone() != (AREA, "pg_temp")


def test_without_a_pooler_the_session_says_who_it_is(migrated_url: str) -> None:
    factory = cursor_of(psycopg.ClientCursor, {"search_path": "pg_temp", "role": AREA})
    with psycopg.connect(migrated_url, autocommit=True, cursor_factory=factory) as connection:
        assert connection.execute("SELECT current_user").fetchone() == (connection.info.user,)
