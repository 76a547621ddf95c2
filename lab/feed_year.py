"""A year of a bank feed with twenty gaps, each reported within a bank day and once: `python -m lab.feed_year`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import structlog
from tests.usecases.bank_feeds.ebics_world import EbicsWorld
from tests.usecases.bank_feeds.feed_year import live_through

from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate


def main() -> int:
    """Lives the year; an AssertionError names the gap that was reported late, twice or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gaps", type=int, default=20)
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "database") as url:
        migrate(url)
        database = Database(url, size=4)
        world = EbicsWorld.new(database, Path(folder))
        began = world.now.date()
        with structlog.testing.capture_logs():
            live_through(world, given.gaps)
        days = (world.now.date() - began).days
        database.close()
    took = time.monotonic() - started
    print(f"{days} days, {given.gaps} gaps: each reported within a bank day and once ({took:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
