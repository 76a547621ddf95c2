"""How long the command line takes: help of commands, and a small query against a running service.

    python -m lab.command_line [--runs 9]

Each figure is the median of some runs, absolute and as a multiple of `python -c pass` on the same machine in the same
minute; goals are those of a quiet machine of two cores. Exit code 1 if one is missed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

HELP_SECONDS: Final = 0.3
QUERY_SECONDS: Final = 0.7
_HELPS: Final = (["--help"], ["postings", "--help"], ["statement", "import", "--help"], ["demo", "--help"])
_QUERIES: Final = (["postings", "Shop", "--json"], ["account", "list", "Shop"], ["shop", "list"])


def main() -> int:
    """Measures and prints; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs: int = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="paymatch-bench-") as folder:
        environment = {**os.environ, "PAYMATCH_DATA_DIR": str(Path(folder) / "data"), "PAYMATCH_LOG_LEVEL": "error"}
        environment.pop("PAYMATCH_DATABASE_URL", None)
        bare = _median([sys.executable, "-c", "pass"], environment, runs)
        print(f"{'python -c pass':<28} {bare:6.3f} s")
        missed = sum(not _measured(words, environment, runs, bare, HELP_SECONDS) for words in _HELPS)
        service = _service(environment)
        try:
            _run([*_COMMAND, "shop", "create", "Shop"], environment)
            missed += sum(not _measured(words, environment, runs, bare, QUERY_SECONDS) for words in _QUERIES)
        finally:
            service.terminate()
            service.wait(60)
    return 1 if missed else 0


_COMMAND: Final = (sys.executable, "-m", "paymatch")
_PORT: Final = 8479


def _measured(words: Sequence[str], environment: dict[str, str], runs: int, bare: float, goal: float) -> bool:
    seconds = _median([*_COMMAND, *words], environment, runs)
    met = "ok" if seconds <= goal else "MISSED"
    name = f"paymatch {' '.join(words)}"
    print(f"{name:<36} {seconds:6.3f} s  {seconds / bare:5.1f} x python -c pass   goal {goal} s  {met}")
    return seconds <= goal


def _median(command: Sequence[str], environment: dict[str, str], runs: int) -> float:
    return statistics.median(_run(command, environment) for _ in range(runs))


def _run(command: Sequence[str], environment: dict[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def _service(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """`paymatch serve` with its embedded database, once a command can use it."""
    process = subprocess.Popen([*_COMMAND, "serve", "--port", str(_PORT)], env=environment)
    while subprocess.run([*_COMMAND, "shop", "list"], env=environment, check=False, capture_output=True).returncode:
        time.sleep(0.5)
    return process


if __name__ == "__main__":
    sys.exit(main())
