"""Analyses grown tables: by the worker, within seconds of a load, never in a request (D-135)."""

from __future__ import annotations

from typing import Final

import structlog

from paymatch.jobs.polling_thread import PollingThread
from paymatch.store.database import Database
from paymatch.store.transactions import passes
from paymatch.usecases.work.row_counts import count_grown

REST_SECONDS: Final = 5.0
"""PostgreSQL's own housekeeping looks once a minute: too late for a shop that has just submitted its orders."""
_log = structlog.get_logger("paymatch.jobs")


class RowCounter(PollingThread):
    """Looks for tables that have grown. Several workers may: a table is counted by one of them."""

    def __init__(self, database: Database) -> None:
        super().__init__("row-counts", REST_SECONDS)
        self._database = database

    def look(self) -> int:
        """One look; how many tables were counted. Without a count calls are slower, but right: a failure waits."""
        try:
            counted = count_grown(self._database)
        except Exception as error:
            if not passes(error):  # while the database is away there is enough in the log
                _log.warning("rows could not be counted", exc_info=True)
            return 0
        if counted:
            _log.debug("rows counted", tables=counted)
        return len(counted)
