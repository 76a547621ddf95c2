"""Migrations: numbered SQL files, each applied once in its own transaction, safe to start from several processes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Final

import psycopg
from psycopg import sql

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.store.distribution.placing import is_distributed, place
from paymatch.store.row_security import guard_tables
from paymatch.store.service_role import create_group_roles

_LOCK: Final = 7_021_530_184  # any number, the same for every migrating process of a database
_TABLE: Final = "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)"
_LOCK_TIMEOUT: Final = "5s"  # a migration that waits longer for a table would block the shop


class DatabaseNewer(Refused):
    """A newer paymatch has migrated the database: this one does not know its tables."""

    def __init__(self, name: str) -> None:
        super().__init__(Message("database-newer-newer-paymatch-migration-start", name=name))


def files() -> list[tuple[str, str]]:
    """(name, SQL) of all migrations in order."""
    folder = resources.files("paymatch.store").joinpath("migrations")
    found = [item for item in folder.iterdir() if re.fullmatch(r"\d{4}_[a-z0-9_]+\.sql", item.name)]
    return [(item.name, item.read_text("utf-8")) for item in sorted(found, key=lambda item: item.name)]


def migrate(url: str, known: Sequence[tuple[str, str]] | None = None) -> list[str]:
    """Brings the database up to date as its owner; the names of the migrations that this call applied.

    `known`: (name, SQL) of all migrations, those of this version if None. DatabaseNewer, and nothing is changed, if the
    database has one that is not known.
    """
    known = files() if known is None else known
    applied: list[str] = []
    with alone(url, _LOCK), psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
        create_group_roles(connection)
        connection.execute(_TABLE)
        done = _applied_migrations(connection, known)
        for name, text in known:
            if name not in done:
                _apply(connection, name, text)
                applied.append(name)
    return applied


@contextmanager
def alone(url: str, lock: int) -> Iterator[None]:
    """Takes an advisory lock of the database during the block, waiting for its present owner.

    In a separate transaction: behind a pooler a session lock would outlive us.
    """
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock,))
        yield


def pending_migrations(url: str) -> list[str]:
    """Names of the migrations that the database still lacks. DatabaseNewer if it has one that is not known."""
    with psycopg.connect(url, autocommit=True) as connection:
        known = connection.execute("SELECT to_regclass('migrations')").fetchone()
        if known is None or known[0] is None:
            return [name for name, _ in files()]
        done = _applied_migrations(connection, files())
    return [name for name, _ in files() if name not in done]


def refuse_unknown(names: Iterable[str], known: Sequence[tuple[str, str]] | None = None) -> None:
    """DatabaseNewer if one of these migrations is not known; this version knows its own, `known` names others."""
    unknown = sorted(set(names) - {name for name, _ in (files() if known is None else known)})
    if unknown:
        raise DatabaseNewer(unknown[-1])


def _applied_migrations(connection: psycopg.Connection, known: Sequence[tuple[str, str]]) -> set[str]:
    """Names of the migrations that the database has; the merchant area records its states in the same table."""
    done = {str(row[0]) for row in connection.execute("SELECT name FROM migrations WHERE name LIKE '%.sql'")}
    refuse_unknown(done, known)
    return done


def _apply(connection: psycopg.Connection, name: str, text: str) -> None:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(_LOCK_TIMEOUT))
        connection.execute(text.encode())
        if is_distributed(connection):
            place(connection)
        else:
            guard_tables(connection)
        connection.execute("INSERT INTO migrations VALUES (%s, clock_timestamp())", (name,))
