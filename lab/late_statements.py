"""Years of statements that come late at random, while exports leave by themselves: nothing is missing, nothing twice.

`python -m lab.late_statements --years 10`
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books
from tests.usecases.reports.late_statements import OTHER, LateStatements

from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases.shops import shops

_YEAR = 365


def year(database: Database, seed: int) -> LateStatements:
    """One year of a shop, checked at its end; AssertionError if a posting is missing, or left twice."""
    chance, now = random.Random(seed), datetime(2026, 1, 5, 9, tzinfo=UTC)
    shop = shops.create(database, f"Late {seed}", now - timedelta(days=9), ibans=[ACCOUNT, OTHER]).shop
    every, wait = chance.choice(("day", "week", "month")), chance.choice((0, 2, 5, 20))
    life = LateStatements(Books(database, shop, now), seed, every=every, wait=wait, latest=chance.choice((3, 10, 40)))
    life.live(_YEAR)
    life.check()
    return life


def main() -> int:
    """Lives the years; exit code 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="seed of the first year")
    given = parser.parse_args()
    started, failed = time.monotonic(), 0
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-late-") as folder,
        running_server(Path(folder), durable=False) as url,
        structlog.testing.capture_logs() as logs,
    ):
        migrate(url)
        database = Database(url, size=2, keyring=KEYRING)
        for seed in range(given.first, given.first + given.years):
            try:
                life = year(database, seed)
            except AssertionError as error:
                failed += 1
                print(f"year {seed}: {error}", flush=True)
            else:
                took = time.monotonic() - started
                print(
                    f"year {seed}: {life.posted} postings, {len(life.supplements)} supplements, {took:.0f} s",
                    flush=True,
                )
            logs.clear()
        database.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
