"""Databases of tests: new ones, and used ones that are emptied, because the files of a new one cost half a second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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

# What the tables, rights, rules, settings and migrations of a database are: a test that changed them is found out.
_SHAPE = """
SELECT md5(string_agg(what, ';' ORDER BY what)) FROM (
  SELECT 'class ' || oid || ' ' || relname || ' ' || relfilenode || coalesce(relacl::text, '') || relrowsecurity
    FROM pg_class WHERE relnamespace >= 2200 AND relkind <> 't' AND relpersistence = 'p'
  UNION ALL SELECT 'column ' || attrelid || ' ' || attname || ' ' || atttypid || attnotnull || atthasdef
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace >= 2200 AND attnum > 0
  UNION ALL SELECT 'rule ' || oid || ' ' || polname FROM pg_policy
  UNION ALL SELECT 'bound ' || oid || ' ' || conname FROM pg_constraint
  UNION ALL SELECT 'trigger ' || oid || ' ' || tgname || tgenabled::text FROM pg_trigger
  UNION ALL SELECT 'function ' || oid || ' ' || md5(prosrc) FROM pg_proc WHERE pronamespace >= 2200
  UNION ALL SELECT 'schema ' || oid || ' ' || nspname || coalesce(nspacl::text, '') FROM pg_namespace
  UNION ALL SELECT 'setting ' || setrole || setconfig::text FROM pg_db_role_setting
    WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
  UNION ALL SELECT 'migration ' || name FROM public.migrations
) AS shape(what)
"""
_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_DROP_ROLE = sql.SQL("DROP ROLE IF EXISTS {role}")
_TABLES = """
SELECT format('%I.%I', nspname, relname) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1
"""


@contextmanager
def new_database(server_url: str, template: str, *nodes: str) -> Iterator[str]:
    """URL of a database that is dropped at the end of the block, from the other nodes that it is made on too."""
    url = _create(server_url, template, *nodes)
    try:
        yield url
    finally:
        for node in (server_url, *nodes):
            _drop(node, url)


class Recycled:
    """A migrated database for one test after the other, always without rows; `close` drops it."""

    def __init__(self, server_url: str, template: str) -> None:
        self._server_url = server_url
        self._template = template
        self._kept: str | None = None
        self._shape = ""
        self._uses = 0

    @contextmanager
    def lent(self) -> Iterator[str]:
        """URL of a database without rows, and of the shape that the migrations gave it."""
        url, self._kept = self._kept, None
        if url is None:
            url, self._uses = _create(self._server_url, self._template), 0
            with psycopg.connect(url) as connection:
                self._shape = _value(connection, _SHAPE)
        self._uses += 1
        reusable = False
        try:
            yield url
            reusable = self._uses < _USES and self._emptied(url)
        finally:
            if reusable:
                self._kept = url
            else:
                _drop(self._server_url, url)

    def _emptied(self, url: str) -> bool:
        """Whether its service's role could go, its shape is as it was, and its few rows are gone; nobody uses it."""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_END_OTHERS)
            if _value(connection, _SHAPE) != self._shape:
                return False
            try:
                connection.execute(_DROP_ROLE.format(role=sql.Identifier(service_role(connection.info.dbname))))
            except psycopg.errors.DependentObjectsStillExist:
                return False
            connection.execute("SET session_replication_role = replica")  # no foreign key, nothing that is append-only
            return all(
                connection.execute(f"DELETE FROM {table}").rowcount < _FEW_ROWS for table in self._filled(connection)
            )

    @staticmethod
    def _filled(connection: psycopg.Connection) -> list[str]:
        """The tables with rows, but for the list of migrations."""
        tables = [name for (name,) in connection.execute(_TABLES) if name != "public.migrations"]
        looks = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in tables)
        return [name for (name,) in connection.execute(looks)]

    def close(self) -> None:
        """Drop the database."""
        if self._kept:
            _drop(self._server_url, self._kept)


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


def _value(connection: psycopg.Connection, statement: str) -> str:
    row = connection.execute(statement).fetchone()
    assert row is not None
    return str(row[0])
