"""Database probe: checks that the database accepts changes, over a dedicated connection that never waits for others."""

from __future__ import annotations

import select
import time
from contextlib import closing
from typing import Final

import psycopg
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn

from paymatch.store.row_security import OPERATOR

SECONDS: Final = 2
_FILLER: Final = 2_000
"""Characters of a probe: four fill a page, so that a full disk is noticed with one of the next four."""
_WRITE: Final = (
    f"BEGIN; SELECT set_config('role', '{OPERATOR}', true); SAVEPOINT before;"
    f" INSERT INTO write_probes VALUES (repeat('.', {_FILLER})); ROLLBACK TO SAVEPOINT before; COMMIT"
).encode()
"""The commit reaches the disk like any other, and leaves no row.

No statement may read the table: that would make room on its pages, and a full disk would not be noticed.
"""
_FINE: Final = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)


def takes_changes(url: str) -> bool:
    """Whether the database accepts a connection and commits a change, within about SECONDS for each."""
    try:
        opened = psycopg.connect(
            url, connect_timeout=SECONDS, tcp_user_timeout=SECONDS * 1000, application_name="paymatch readiness"
        )
        with closing(opened) as connection:
            return _commits(connection.pgconn)
    except psycopg.Error:
        return False


def _commits(pgconn: PGconn) -> bool:
    """Writes, and waits for no longer than SECONDS: a pooler keeps a statement while the database is down."""
    ends = time.monotonic() + SECONDS
    pgconn.send_query(_WRITE)
    socket = select.poll()
    socket.register(pgconn.socket, select.POLLIN)
    while True:
        while pgconn.is_busy():
            if not socket.poll(max(ends - time.monotonic(), 0) * 1000):
                return False
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            return True
        if result.status not in _FINE:
            return False
