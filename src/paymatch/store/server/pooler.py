"""A pooler between us and the database, which hands each transaction another session (PgBouncer; D-73)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakKeyDictionary

from psycopg import Connection, Cursor
from psycopg.pq import TransactionStatus
from psycopg.rows import scalar_row

SESSION: Final = {
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "jit": "off",
    "client_connection_check_interval": "1000",  # statements of a killed process end, and so do its locks
    "citus.propagate_set_commands": "local",  # to the nodes of a distributed database (D-79); unused otherwise
}
"""The settings of our sessions."""

STARTUP: Final = " ".join(f"-c {name}={value}" for name, value in SESSION.items())
"""The same as libpq's `options`, which PostgreSQL reads and a pooler leaves out."""


def for_a_transaction(settings: Mapping[str, str]) -> str:
    """A statement that makes the settings those of one transaction; names and values are of our own making."""
    return "SELECT " + ", ".join(f"set_config('{name}', '{value}', true)" for name, value in settings.items())


LOCAL: Final = for_a_transaction(SESSION)
"""The same as STARTUP, for one transaction."""

_known: WeakKeyDictionary[Connection[Any], bool] = WeakKeyDictionary()


def is_pooled(connection: Connection[Any]) -> bool:
    """Whether sessions may change from transaction to transaction; one round trip, once per connection.

    A pooler invents the process id that a connection gets at its start. A pooler that keeps the session also counts.
    """
    found = _known.get(connection)
    if found is None:
        cursor = Cursor(connection, row_factory=scalar_row)
        pid = cursor.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
        found = _known[connection] = pid != connection.info.backend_pid
    return found


def cursor_of(base: type[Cursor[Any]], session: Mapping[str, str]) -> type[Cursor[Any]]:
    """A kind of `base`, but behind a pooler each transaction begins with these settings, which end with it.

    Without a pooler they are the session's, asked for when it began. A statement outside of a transaction gets one.
    """
    local = for_a_transaction(session)

    class PooledCursor(base):  # type: ignore[misc, valid-type]  # whichever it is
        """Applies the settings that a pooler's session lacks."""

        def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
            with self._in_settings():
                return super().execute(query, params, **options)

        def executemany(self, query: Any, params_seq: Any, **options: Any) -> Any:
            with self._in_settings():
                return super().executemany(query, params_seq, **options)

        @contextmanager
        def _in_settings(self) -> Iterator[None]:
            connection = self.connection
            begins = connection.info.transaction_status == TransactionStatus.IDLE
            if not begins or not is_pooled(connection):
                yield
            elif connection.autocommit:
                with connection.transaction():
                    super().execute(local)
                    yield
            else:
                super().execute(local)
                yield

    return PooledCursor
