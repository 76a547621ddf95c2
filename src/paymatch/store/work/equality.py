"""Comparison of two databases: a count and a digest of every table, and the position of every sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import psycopg
from psycopg import sql

_SETTINGS: Final = (
    "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET bytea_output = 'hex';"
    " SET extra_float_digits = 1"
)
"""How values are written as text, the same on every server."""
_TABLES: Final = """
SELECT n.nspname, c.relname, c.relkind = 'S' FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'S') AND c.relpersistence = 'p'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_toast%'
ORDER BY 1, 2"""
_ROWS: Final = """
SELECT count(*), coalesce(sum(('x' || left(md5(t::text), 16))::bit(64)::bigint), 0)::text FROM {table} t"""
_PLACE: Final = "SELECT last_value, is_called::text FROM {table}"
_OTHERS: Final = """
SELECT DISTINCT coalesce(nullif(application_name, ''), usename) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY 1"""


def digests(url: str, tell: Callable[[int], None]) -> dict[str, tuple[int, str]]:
    """Table -> (rows, digest that does not depend on their order); sequence -> (place, whether it was used).

    All as of one moment. `url` is of a role that row-level security does not bind; `tell` gets the number of rows read.
    """
    found, done = {}, 0
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_SETTINGS)
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for schema, name, is_sequence in connection.execute(_TABLES).fetchall():
            table = sql.Identifier(schema, name)
            row = connection.execute(sql.SQL(_PLACE if is_sequence else _ROWS).format(table=table)).fetchone()
            assert row is not None
            found[f"{schema}.{name}"] = (int(row[0]), str(row[1]))
            done += 0 if is_sequence else int(row[0])
            tell(done)
    return found


def users_of(url: str) -> list[str]:
    """The other connections to the database, by their application names."""
    with psycopg.connect(url, autocommit=True) as connection:
        return [str(row[0]) for row in connection.execute(_OTHERS)]


def close_to_service(url: str) -> bool:
    """Stops all roles except superusers from connecting; False if the role of `url` may not do this."""
    with psycopg.connect(url, autocommit=True) as connection:
        statement = sql.SQL("ALTER DATABASE {} CONNECTION LIMIT 0").format(sql.Identifier(connection.info.dbname))
        try:
            connection.execute(statement)
        except psycopg.errors.InsufficientPrivilege:
            return False
    return True
