"""Sealing in the background: values stored plain or under an older key, once after the worker starts (D-44)."""

from __future__ import annotations

import threading

import structlog

from paymatch.store.database import Database
from paymatch.store.resealing import reseal_all
from paymatch.store.sealing import SealRefused
from paymatch.store.transactions import Unreachable

RETRY_SECONDS = 60.0
_log = structlog.get_logger("paymatch.jobs")


class Sealer(threading.Thread):
    """Seals until nothing is left or `stopping` is set. A key is new only after a restart, so once is enough."""

    def __init__(self, database: Database, stopping: threading.Event) -> None:
        super().__init__(name="sealer")
        self._database = database
        self._stopping = stopping

    def run(self) -> None:
        """Tries again while the database is away."""
        while not self._stopping.is_set():
            try:
                self.seal()
            except Unreachable:
                self._stopping.wait(RETRY_SECONDS)
            except SealRefused as error:
                _log.error("a stored value does not open and stays as it is", reason=str(error))
                return
            else:
                return

    def seal(self) -> None:
        """Does it once; says how many values were sealed, if any were."""
        count = reseal_all(self._database, self._stopping.is_set)
        if count:
            _log.info("values sealed under the newest key", values=count)
