"""PostgreSQL counts the rows of tables that have grown, so that its plans fit what is in them (D-135)."""

from __future__ import annotations

from collections.abc import Iterator

from paymatch.store.database import Database


def count_grown(database: Database) -> Iterator[str]:
    """Has each table counted that has grown, the one that grew most first; their names, each once counted.

    A transaction for each table: none is locked longer than its own count takes. Reading and writing go on meanwhile.
    """
    seen: set[str] = set()
    while True:
        with database.of_all_shops() as tx:
            name = tx.value("SELECT count_grown_rows()")
        if not name or name in seen:  # another process is counting that one
            return
        seen.add(name)
        yield name
