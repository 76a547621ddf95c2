"""Database probe: checks that the database answers, over a dedicated connection that never waits for others."""

from __future__ import annotations

import select
import time
from contextlib import closing
from typing import Final

import psycopg
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn

SECONDS: Final = 2


def answers(url: str) -> bool:
    """Whether the database takes a connection and says that it takes changes, within about SECONDS for each."""
    try:
        opened = psycopg.connect(
            url, connect_timeout=SECONDS, tcp_user_timeout=SECONDS * 1000, application_name="paymatch readiness"
        )
        with closing(opened) as connection:
            return _takes_changes(connection.pgconn)
    except psycopg.Error:
        return False


def _takes_changes(pgconn: PGconn) -> bool:
    """Asks, and waits for no longer than SECONDS: a pooler keeps a statement for as long as the database is away."""
    ends = time.monotonic() + SECONDS
    pgconn.send_query(b"SHOW transaction_read_only")
    socket = select.poll()
    socket.register(pgconn.socket, select.POLLIN)
    while pgconn.is_busy():
        if not socket.poll(max(ends - time.monotonic(), 0) * 1000):
            return False
        pgconn.consume_input()
    result = pgconn.get_result()
    return result is not None and result.status == ExecStatus.TUPLES_OK and result.get_value(0, 0) == b"off"
