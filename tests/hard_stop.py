"""Work in a process of its own that is stopped hard at a transaction boundary: kill -9, the same place each time."""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

from paymatch.gc_tuning import collect_rarely
from paymatch.store.fault import STOP_AT
from tests.length import times

KILLED: Final = -9
_SECONDS: Final = 120
PROCESSES: Final = multiprocessing.get_context("forkserver")
"""What processes are forked from has imported what they run; a new interpreter for each would take a second of CPU."""
_MODULES: Final = (
    "tests.jobs.refund_run_drive", "tests.scenarios.hard_stop_drive", "tests.scenarios.mail_drive",
    "tests.scenarios.post_drive", "tests.scenarios.retention_drive", "tests.store.sealing_drive",
)  # fmt: skip
"""Modules whose functions are driven. All of them, since what processes are forked from is started once a test run."""
PROCESSES.set_forkserver_preload([*_MODULES, "tests.jobs.killing"])


def boundaries(step: int) -> Iterator[int]:
    """Where to stop: at each boundary at full length, otherwise at each `step`th, from the first on."""
    return itertools.count(1, times(step, 1))


def drive(main: Callable[..., None], *arguments: Any, stop_at: int | None = None) -> int:
    """Calls a function of a module in a process of its own; the exit code, KILLED after the hard stop.

    The processes are forked from one that has the module imported already: a test starts very many of them.
    """
    assert main.__module__ in _MODULES
    process = PROCESSES.Process(target=_run, args=(main, arguments, stop_at))
    process.start()
    process.join(_SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise TimeoutError(f"{main.__module__} went on for {_SECONDS} seconds")
    code = process.exitcode
    process.close()
    return code


def _run(main: Callable[..., None], arguments: tuple[Any, ...], stop_at: int | None) -> None:
    warnings.simplefilter("error")
    gc.freeze()  # what was there before the fork is neither looked at nor copied
    collect_rarely()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if stop_at is not None:
        os.environ[STOP_AT] = str(stop_at)
    main(*arguments)
