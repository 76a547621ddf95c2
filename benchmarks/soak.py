"""Random lives of shops against the reference model, as many as wanted: `python -m benchmarks.soak --lives 5000`."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import structlog
from tests.scenarios.lives import crashing_database, live

from paymatch.embedded import running_server
from paymatch.store.migrate import migrate


def _lives(url: str, seeds: list[int]) -> list[tuple[int, str]]:
    """(seed, what went wrong) of the lives that differ from the model."""
    failed: list[tuple[int, str]] = []
    with crashing_database(url) as (database, crashes), structlog.testing.capture_logs() as logs:
        for seed in seeds:
            try:
                live(database, crashes, seed)
            except Exception:
                failed.append((seed, traceback.format_exc(limit=-3)))
            logs.clear()
    return failed


def main() -> int:
    """Lives the lives; exit code 1 if one differs from the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first life")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.lives)
    chunks = [list(seeds[start : start + 10]) for start in range(0, len(seeds), 10)]
    started, lived, failed = time.monotonic(), 0, 0
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-soak-") as folder,
        running_server(Path(folder), durable=False) as url,
    ):
        migrate(url)
        with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
            jobs = [pool.apply_async(_lives, (url, chunk)) for chunk in chunks]
            for chunk, job in zip(chunks, jobs, strict=True):
                for seed, text in job.get():
                    failed += 1
                    print(f"life {seed} differs from the model:\n{text}", flush=True)
                lived += len(chunk)
                print(f"{lived} lives, {failed} differ, {time.monotonic() - started:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
