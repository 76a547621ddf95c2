"""Migrations: numbered SQL files, each applied once in its own transaction, safe to start from several processes."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import resources
from typing import Final

import psycopg
from psycopg import sql

from paymatch.store.row_security import ROLES, guard_tables

_LOCK: Final = 7_021_530_184  # any number, the same for every migrating process of a database
_TABLE: Final = "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)"
_LOCK_TIMEOUT: Final = "5s"  # a migration that waits longer for a table would stop the shop behind it


def files() -> list[tuple[str, str]]:
    """(name, SQL) of all migrations in order."""
    folder = resources.files("paymatch.store").joinpath("migrations")
    found = [item for item in folder.iterdir() if re.fullmatch(r"\d{4}_[a-z0-9_]+\.sql", item.name)]
    return [(item.name, item.read_text("utf-8")) for item in sorted(found, key=lambda item: item.name)]


def migrate(url: str) -> list[str]:
    """Brings the database up to date; the names of the migrations that this call applied."""
    applied: list[str] = []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        _create_roles(connection)
        connection.execute(_TABLE)
        done = {row[0] for row in connection.execute("SELECT name FROM migrations")}
        for name, text in files():
            if name not in done:
                _apply(connection, name, text)
                applied.append(name)
    return applied


def pending(url: str) -> list[str]:
    """Names of the migrations that the database still lacks."""
    with psycopg.connect(url, autocommit=True) as connection:
        known = connection.execute("SELECT to_regclass('migrations')").fetchone()
        if known is None or known[0] is None:
            return [name for name, _ in files()]
        done = {row[0] for row in connection.execute("SELECT name FROM migrations")}
    return [name for name, _ in files() if name not in done]


def _apply(connection: psycopg.Connection, name: str, text: str) -> None:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(_LOCK_TIMEOUT))
        connection.execute(text.encode())
        guard_tables(connection)
        connection.execute("INSERT INTO migrations VALUES (%s, clock_timestamp())", (name,))


def _create_roles(connection: psycopg.Connection) -> None:
    """Roles belong to the whole server: another database of it may have created them, or be doing so now."""
    for role in ROLES:
        found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        if not found:
            with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOBYPASSRLS").format(sql.Identifier(role)))
        member = connection.execute(
            "SELECT 1 FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles u ON u.oid = m.member"
            " WHERE r.rolname = %s AND u.rolname = current_user",
            (role,),
        ).fetchone()
        if not member:
            # "tuple concurrently updated": the migration of another database of the server has just granted the same.
            with suppress(psycopg.errors.UniqueViolation, psycopg.errors.InternalError):
                connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(role)))
