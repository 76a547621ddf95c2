"""Tables that have grown are counted anew, so that PostgreSQL's plans fit what is in them (D-135)."""

from __future__ import annotations

from paymatch.store.database import Database
from paymatch.store.server.row_counts import count_most_grown


def count_grown(database: Database) -> list[str]:
    """Has each table counted that has grown, the one that grew most first; their names.

    A transaction for each table: none is locked longer than its own count takes. Reading and writing go on meanwhile.
    """
    found: list[str] = []
    while True:
        with database.of_all_shops() as tx:
            name = count_most_grown(tx)
        if not name or name in found:  # another process is counting that one
            return found
        found.append(name)
