"""Garbage collector thresholds: cycles are collected rarely, because reference counting frees nearly everything."""

from __future__ import annotations

import atexit
import gc
from typing import Final

_THRESHOLDS: Final = (10_000, 20, 20)


def collect_rarely() -> None:
    """Looks for cycles after 10,000 new objects instead of 700, which took an eighth of the time of matching."""
    gc.set_threshold(*_THRESHOLDS)


def keep_what_is_there() -> None:
    """What has been loaded so far is not looked at again: it stays, and a process that is forked copies none of it."""
    gc.collect()
    gc.freeze()


def end_without_looking() -> None:
    """The process looks for no garbage at its end, which took a sixth of a short command's time; all of it goes."""
    atexit.register(gc.freeze)
