"""Further workers, forked from a process that has the program loaded: `python -m lab.faults.workers COUNT`.

Each is what `paymatch worker` runs, but lives a fifth of a second after its start, so that very many can be killed. One
that dies is followed by the next at once.
"""

from __future__ import annotations

import os
import sys
import time
from typing import NoReturn

from paymatch.app import run_worker
from paymatch.installation import database_url, service_login
from paymatch.settings import load_settings

_REST_SECONDS = 0.5


def _work(parent: int) -> NoReturn:
    code = 1
    try:
        run_worker(load_settings(), once=False, parent=parent)
        code = 0
    finally:
        os._exit(code)


def _started() -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _work(parent)
    return pid


def main() -> None:
    """Keeps so many workers running until it is killed; they end with it."""
    settings = load_settings()
    with database_url(settings) as given:  # as `serve` starts its own worker
        os.environ |= {"PAYMATCH_DATABASE_URL": service_login(settings, given), "PAYMATCH_DATABASE_OWNER_URL": ""}
    pids = {_started() for _ in range(int(sys.argv[1]))}
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid in pids:
            pids.discard(pid)
            if os.waitstatus_to_exitcode(status) >= 0:  # the database is away, perhaps
                time.sleep(_REST_SECONDS)
            pids.add(_started())


if __name__ == "__main__":
    main()
