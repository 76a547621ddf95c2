"""The figures of /metrics: read from the database, so that they are the same whichever process is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.store.database import Database
from paymatch.store.work import metrics as store
from paymatch.store.work.metrics import JobFigures, Waiting
from paymatch.usecases.work.job_kinds import BY_NAME


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that /metrics tells, over all real shops."""

    tallies: dict[str, int]
    callbacks: Waiting
    jobs: list[JobFigures]
    open_postings: dict[str, int]


def figures(database: Database, clock: datetime) -> Figures:
    """The figures of this moment."""
    with database.transaction(None) as tx:
        return Figures(
            store.tallies(tx), store.callbacks(tx, clock), store.jobs(tx, clock, list(BY_NAME)), store.open_postings(tx)
        )
