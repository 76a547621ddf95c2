"""Analyses grown tables again, so PostgreSQL's plans fit their contents (D-135)."""

from __future__ import annotations

from paymatch.store.database import Database
from paymatch.store.server.row_counts import count_most_grown


def count_grown(database: Database) -> list[str]:
    """Analyses each grown table, the fastest-growing first; returns their names.

    One transaction per table: none is locked longer than its own analysis takes. Reads and writes continue meanwhile.
    """
    found: list[str] = []
    while True:
        with database.of_all_shops() as tx:
            name = count_most_grown(tx)
        if not name or name in found:  # another process is counting that one
            return found
        found.append(name)
