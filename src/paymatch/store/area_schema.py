"""The schema of the merchant area's own tables: Django makes the tables, the owner of the database hands them over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import sql

from paymatch.store.migrate import alone
from paymatch.store.row_security import AREA

SCHEMA: Final = "area"
"""The schema of Django's tables: people, sessions, second factors. Money is never in it."""

_LOCK: Final = 7_021_530_185  # any number, the same for every process that migrates the area

_RIGHTS: Final = """
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"""


def is_in(url: str, state: str) -> bool:
    """Whether the area's tables are in this state."""
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute("SELECT FROM migrations WHERE name = %s", (state,)).fetchone() is not None


@contextmanager
def brought_into(url: str, state: str) -> Iterator[None]:
    """Creates and locks the schema; after the block its tables belong to the area, in this state."""
    names = {"schema": sql.Identifier(SCHEMA), "role": sql.Identifier(AREA)}
    with alone(url, _LOCK), psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {schema}").format(**names))
        yield
        connection.execute(sql.SQL(_RIGHTS).format(**names))
        connection.execute("INSERT INTO migrations VALUES (%s, clock_timestamp()) ON CONFLICT DO NOTHING", (state,))
