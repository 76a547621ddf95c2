"""Fault injection: stops the process hard at the n-th transaction boundary, so that tests need no luck."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from typing import Final

STOP_AT: Final = "PAYMATCH_TEST_STOP_AT"
"""Environment variable: `5` kills at the fifth boundary (each commit has two: before and after)."""


def boundary_from_environment() -> Callable[[str], None] | None:
    """What `Database` calls at each boundary; None outside of fault tests."""
    text = os.environ.get(STOP_AT, "")
    if not text:
        return None
    place, counter = int(text), itertools.count(1)

    def stop_at(_: str) -> None:
        if next(counter) == place:
            os.kill(os.getpid(), signal.SIGKILL)

    return stop_at
