"""Whether the database is there, over a connection of its own that waits for nobody."""

from __future__ import annotations

from typing import Final

import psycopg

SECONDS: Final = 2


def answers(url: str) -> bool:
    """Whether the database takes a connection and answers a statement within about SECONDS for each."""
    limit = SECONDS * 1000
    options = f"-c statement_timeout={limit}"
    try:
        with psycopg.connect(
            url, connect_timeout=SECONDS, tcp_user_timeout=limit, options=options, application_name="paymatch readiness"
        ) as connection:
            connection.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True
