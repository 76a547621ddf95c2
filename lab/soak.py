"""Random lives of shops against the reference model, as many as wanted: `python -m lab.soak --lives 5000`."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import structlog
from tests.scenarios.lives import live

from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate

_CHUNK = 10


def _own_database(url: str) -> str:
    """URL of a new database of this process: its workers meet no shop of another one's lives."""
    name = f"lives_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    own = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    migrate(own)
    return own


class _Process:
    """What a process of the pool keeps between its chunks."""

    database: Database


def _begin(url: str) -> None:
    _Process.database = Database(_own_database(url), size=2)


def _lives(seeds: list[int]) -> tuple[Counter[str], list[tuple[int, str]]]:
    """What was done in the lives, and (seed, what went wrong) of those that differ from the model."""
    did: Counter[str] = Counter()
    failed: list[tuple[int, str]] = []
    with structlog.testing.capture_logs() as logs:
        for seed in seeds:
            try:
                life = live(_Process.database, seed)
            except Exception:
                failed.append((seed, traceback.format_exc(limit=-3)))
            else:
                did += life.did
                did["crash"] += life.boundaries.crashes
            logs.clear()
    return did, failed


def main() -> int:
    """Lives the lives; exit code 1 if one differs from the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first life")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.lives)
    chunks = [list(seeds[start : start + _CHUNK]) for start in range(0, len(seeds), _CHUNK)]
    started, lived, failed = time.monotonic(), 0, 0
    did: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-soak-") as folder,
        running_server(Path(folder), durable=False) as url,
        multiprocessing.get_context("spawn").Pool(given.processes, _begin, (url,)) as pool,
    ):
        for done, differing in pool.imap_unordered(_lives, chunks):
            for seed, text in differing:
                print(f"life {seed} differs from the model:\n{text}", flush=True)
            did += done
            failed += len(differing)
            lived = min(lived + _CHUNK, len(seeds))
            print(f"{lived} of {len(seeds)} lives, {failed} differ, {time.monotonic() - started:.0f} s", flush=True)
        pool.close()
        pool.join()  # their connections end before the server does
    print(
        "what was done:", ", ".join(f"{name.strip('_').replace('_', ' ')} {count}" for name, count in did.most_common())
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
