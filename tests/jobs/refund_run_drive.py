"""A worker process for one round: `python -m tests.jobs.refund_run_drive URL FOLDER MOMENT`."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

from paymatch.jobs.worker import Worker
from paymatch.outbound.http import NullHttp
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.usecases.job_kinds import Doors


def main(url: str, folder: str, moment: str) -> None:
    """Does what is due at the moment, unless the environment says where to die."""
    now = datetime.fromisoformat(moment)
    database = Database(url, size=6, at_boundary=boundary_from_environment())
    Worker(database, NullHttp(), lambda: now, doors=Doors(Path(folder))).drain()
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
