"""Messages between an owner and the processes that work for it: lines of JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from paymatch.confined.budgets import ProcessBudget
from paymatch.logs import LogFormat, LogLevel

MAX_FILES: Final = 4
"""Files that may be handed to one job."""

Tell = Callable[[str, int], None]
"""Tells the owner what is being done, and how many of it are done."""


class Job(msgspec.Struct, frozen=True):
    """What is to be run: the function `name` of `module` with these arguments."""

    module: str
    name: str
    arguments: dict[str, Any]
    budget: ProcessBudget
    log_format: LogFormat
    log_level: LogLevel


class WorkerMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that comes back; exactly one of the fields is set."""

    progress: tuple[str, int] | None = None
    result: list[Any] | None = None  # in a list, so that None is a result too
    failed: str | None = None
    out_of_memory: bool = False
    exit_code: int | None = None
