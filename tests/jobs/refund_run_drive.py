"""A worker for one round, to be run in a process of its own."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from paymatch.jobs.worker import Worker
from paymatch.outbound.http import NullHttp
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.usecases.work.job_kinds import JobGateways
from tests.keys import KEYRING


def main(url: str, folder: Path, now: datetime) -> None:
    """Does what is due at the moment, unless the environment says where to die."""
    database = Database(url, size=6, at_boundary=boundary_from_environment(), keyring=KEYRING)
    Worker(database, NullHttp(), lambda: now, doors=JobGateways(folder)).drain()
    database.close()
