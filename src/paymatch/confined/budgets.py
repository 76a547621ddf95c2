"""Budgets of a process, and the ways in which one ends without a result."""

from __future__ import annotations

import math
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from paymatch.domain.words.faults import Fault
from paymatch.domain.words.message import Message


class Resource(StrEnum):
    """What a process may run out of."""

    MEMORY = "memory"
    CPU = "computing time"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class ProcessBudget:
    """What a process may use: memory on top of what the program itself takes, computing time, time by the clock."""

    memory_bytes: int
    cpu_seconds: int
    wall_seconds: float

    def message(self, what: Resource) -> Message:
        """The bound, for a person: `1024 MB of memory`."""
        amount = {
            Resource.MEMORY: f"{self.memory_bytes // 1024**2} MB",
            Resource.CPU: f"{self.cpu_seconds} s",
            Resource.TIME: f"{self.wall_seconds:.0f} s",
        }
        return Message(_BOUNDS[what], amount=amount[what])

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Bounds this process during the block.

        The kernel ends it beyond computing time and time; memory runs out as MemoryError. What a process may take of
        memory is fixed with its first budget.
        """
        for number in _ENDED_BY:
            signal.signal(number, signal.SIG_DFL)
        _lower(resource.RLIMIT_CORE, 0)
        _lower(resource.RLIMIT_AS, _address_space() + self.memory_bytes)
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        allowed = _within(hard, math.ceil(used.ru_utime + used.ru_stime) + self.cpu_seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))
        signal.setitimer(signal.ITIMER_REAL, self.wall_seconds)
        yield
        signal.setitimer(signal.ITIMER_REAL, 0)


class Overrun(Exception):
    """The process was ended because it would have used more than its budget of `what`."""

    def __init__(self, what: Resource, budget: ProcessBudget) -> None:
        self.message = Message("file-more-than", budget=budget.message(what))
        super().__init__(str(self.message))
        self.what = what


class Crashed(Fault):
    """The process ended without a word: it was killed, or a library of it crashed. `message` says how it ended."""


class Killed(Crashed):
    """It was ended by SIGKILL from outside: a person, the kernel that ran out of memory, or the end of its starter."""


class WorkFailed(Exception):
    """The function raised what it should not: a fault of ours; the text names it, the log has the traceback."""


_BOUNDS: Final = {Resource.MEMORY: "budget-memory", Resource.CPU: "budget-cpu", Resource.TIME: "budget-time"}
_ENDED_BY: Final = {signal.SIGXCPU: Resource.CPU, signal.SIGALRM: Resource.TIME}


def ending(exit_code: int, budget: ProcessBudget) -> Overrun | Crashed:
    """Why a process ended without a result; `exit_code` is negative for a signal."""
    if -exit_code in _ENDED_BY:
        return Overrun(_ENDED_BY[signal.Signals(-exit_code)], budget)
    if exit_code == -signal.SIGKILL:
        return Killed(Message("process-signal", signal=signal.SIGKILL.name))
    if exit_code < 0:
        return Crashed(Message("process-signal", signal=signal.Signals(-exit_code).name))
    return Crashed(Message("process-exit-code", number=exit_code))


def _lower(limit: int, value: int) -> None:
    """Sets both bounds of a resource, never above what the process has already."""
    _, hard = resource.getrlimit(limit)
    bound = _within(hard, value)
    resource.setrlimit(limit, (bound, bound))


def _within(hard: int, value: int) -> int:
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def _address_space() -> int:
    """Bytes of address space that this process has taken; none where the kernel does not say."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0


def peak_memory() -> int:
    """The most bytes of memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
