"""Databases of tests: new ones, and used ones that are emptied, because the files of a new one cost half a second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
from psycopg import sql

from paymatch.store.service_role import service_role
from tests.nodes import create_on, run_while_unused, with_database

_FEW_ROWS = 5_000
"""A database with more rows in a table is dropped: deleted rows are still in its files."""
_USES = 40
"""A database is used so many times, for the same reason."""

# The tables, rights, rules, settings and migrations of a database, each by its number of rows and its newest row: a
# test that changed one of them is found out. Reading all of their words took six times as long.
_SHAPE = " UNION ALL ".join(
    f"SELECT '{catalogue} ' || count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) FROM {catalogue} WHERE {which}"
    for catalogue, which in (
        ("pg_class", "relpersistence = 'p'"),
        ("pg_attribute", "true"),
        ("pg_policy", "true"),
        ("pg_constraint", "true"),
        ("pg_trigger", "true"),
        ("pg_proc", "true"),
        ("pg_namespace", r"nspname NOT LIKE 'pg\_%temp\_%'"),
        ("pg_db_role_setting", "setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())"),
        ("public.migrations", "true"),
    )
)
_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_DROP_ROLE = sql.SQL("DROP ROLE IF EXISTS {role}")
# Where the file of a table is empty, no row was ever written: to ask the table itself costs more, as each has indexes
# and policies that are loaded first.
_WRITTEN = """
SELECT format('%I.%I', nspname, relname) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') AND relpersistence = 'p'
  AND (pg_stat_file(pg_relation_filepath(pg_class.oid))).size > 0 ORDER BY 1
"""


def plan_once(server_url: str) -> None:
    """A prepared statement is planned once per connection, not for each of its values.

    The tables of tests are nearly empty, so that planning took a third of the server's CPU, and no plan differs much
    from another. A server that is given to the tests keeps its settings.
    """
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET plan_cache_mode = force_generic_plan")
        connection.execute("SELECT pg_reload_conf()")


@contextmanager
def new_database(server_url: str, template: str, *nodes: str) -> Iterator[str]:
    """URL of a database that is dropped at the end of the block, from the other nodes that it is made on too."""
    url = _create(server_url, template, *nodes)
    try:
        yield url
    finally:
        for node in (server_url, *nodes):
            _drop(node, url)


@dataclass
class _Used:
    """A database between two tests, and what its template gave it: its shape, and the rows of its filled tables."""

    url: str
    shape: list[str]
    given: dict[str, int]
    uses: int = 0


class Recycled:
    """A migrated database for one test after the other, without rows but the template's; `close` drops it."""

    def __init__(self, server_url: str, template: str) -> None:
        self._server_url = server_url
        self._template = template
        self._kept: _Used | None = None

    @contextmanager
    def lent(self) -> Iterator[str]:
        """URL of a database with the rows and the shape that the migrations gave it."""
        used, self._kept = self._kept or self._new(), None
        used.uses += 1
        reusable = False
        try:
            yield used.url
            reusable = used.uses < _USES and self._emptied(used)
        finally:
            if reusable:
                self._kept = used
            else:
                _drop(self._server_url, used.url)

    def _new(self) -> _Used:
        url = _create(self._server_url, self._template)
        with psycopg.connect(url, autocommit=True) as connection:
            given = {table: _rows(connection, table) for table in _column(connection, _WRITTEN)}
            return _Used(url, _column(connection, _SHAPE), given)

    def _emptied(self, used: _Used) -> bool:
        """Whether its service's role could go, its shape is as it was, and its few rows are gone; nobody uses it."""
        with psycopg.connect(used.url, autocommit=True) as connection:
            connection.execute(_END_OTHERS)
            if _column(connection, _SHAPE) != used.shape:
                return False
            try:
                connection.execute(_DROP_ROLE.format(role=sql.Identifier(service_role(connection.info.dbname))))
            except psycopg.errors.DependentObjectsStillExist:
                return False
            written = _column(connection, _WRITTEN)
            if any(_rows(connection, table) != rows for table, rows in used.given.items()):
                return False
            connection.execute("SET session_replication_role = replica")  # no foreign key, nothing that is append-only
            return all(
                connection.execute(f"DELETE FROM {table}").rowcount < _FEW_ROWS
                for table in written
                if table not in used.given
            )

    def close(self) -> None:
        """Drop the database."""
        if self._kept:
            _drop(self._server_url, self._kept.url)


def _create(server_url: str, template: str, *nodes: str) -> str:
    name = f"test_{uuid4().hex[:12]}"
    if nodes:
        for node in (server_url, *nodes):
            create_on(node, name, template)
        return with_database(server_url, name)
    # Files are copied, not logged page by page: nothing of the test server outlives it, and a copy costs half.
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
        sql.Identifier(name), sql.Identifier(template)
    )
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(create)
    return with_database(server_url, name)


def _drop(server_url: str, url: str) -> None:
    name = urlsplit(url).path.removeprefix("/")
    run_while_unused(server_url, name, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(_DROP_ROLE.format(role=sql.Identifier(service_role(name))))


def _column(connection: psycopg.Connection, statement: str) -> list[str]:
    return [str(value) for (value,) in connection.execute(statement.encode())]


def _rows(connection: psycopg.Connection, table: str) -> int:
    return int(_column(connection, f"SELECT count(*) FROM {table}")[0])
