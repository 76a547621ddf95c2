"""What statements cost: CPU of PostgreSQL and waiting for each, and where Python spends its time; for profiles."""

from __future__ import annotations

import cProfile
import pstats
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from paymatch.store.connection import Pipeline

_SHOWN: Final = 150


@contextmanager
def profiled(lines: int = 40) -> Iterator[None]:
    """Prints to the error output what each statement cost, sent alone, the dearest first; then a profile of Python."""
    ask: Any = Pipeline.ask
    cpu, waited, counts = Counter[str](), Counter[str](), Counter[str]()

    def measuring(self: Pipeline, statements: Sequence[Any]) -> Any:
        answers = []
        for statement in statements:
            name = " ".join(statement.text.split())
            name = name[: name.find("=") if name.startswith("SET LOCAL") else _SHOWN]
            spent, begun = backend_seconds(self), time.perf_counter()
            answers += ask(self, [statement])
            waited[name] += round(1e6 * (time.perf_counter() - begun))
            cpu[name] += round(1e6 * (backend_seconds(self) - spent))
            counts[name] += 1
        return answers

    changed: Any = Pipeline
    changed.ask = measuring
    profile = cProfile.Profile()
    profile.enable()
    try:
        yield
    finally:
        profile.disable()
        changed.ask = ask
        print(f"{sum(cpu.values()) / 1e6:8.2f} s CPU of PostgreSQL, {sum(counts.values())} statements", file=sys.stderr)
        for name, micros in cpu.most_common(lines):
            print(f"{micros / 1e6:8.3f} s {waited[name] / 1e6:8.3f} s {counts[name]:6} x {name}", file=sys.stderr)
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(lines)


def backend_seconds(pipe: Pipeline) -> float:
    """CPU that the connection's process in PostgreSQL has had so far; 0 where the system does not tell."""
    told = Path(f"/proc/{pipe.pgconn.backend_pid}/schedstat")
    return int(told.read_text().split()[0]) / 1e9 if told.exists() else 0.0
