"""A year of a bank feed with twenty gaps, each reported within a bank day and once: `python -m lab.feed_year`.

Once by EBICS and once by account information.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import structlog
from tests.usecases.bank_feeds import consent_year
from tests.usecases.bank_feeds.consent_world import ConsentWorld
from tests.usecases.bank_feeds.ebics_world import EbicsWorld
from tests.usecases.bank_feeds.feed_year import live_through

from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.sealing import Keyring


def main() -> int:
    """Lives the years; an AssertionError names the gap that was reported late, twice or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gaps", type=int, default=20)
    parser.add_argument("--feed", choices=("ebics", "account-information", "both"), default="both")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "database") as url:
        migrate(url)
        database = Database(url, size=4, keyring=Keyring(("a secret key of the lab, which guards nothing",)))
        with structlog.testing.capture_logs():
            if given.feed != "account-information":
                _live_by_ebics(database, Path(folder), given.gaps)
            if given.feed != "ebics":
                _live_by_consents(database, Path(folder), given.gaps)
        database.close()
    return 0


def _live_by_ebics(database: Database, folder: Path, gaps: int) -> None:
    started, world = time.monotonic(), EbicsWorld.new(database, folder)
    began = world.now.date()
    live_through(world, gaps)
    days, took = (world.now.date() - began).days, time.monotonic() - started
    print(f"EBICS: {days} days, {gaps} gaps, each reported within a bank day and once ({took:.0f} s)")


def _live_by_consents(database: Database, folder: Path, gaps: int) -> None:
    started, world = time.monotonic(), ConsentWorld.new(database, folder)
    counted = consent_year.live_through(world, gaps)
    took = time.monotonic() - started
    print(f"account information: {counted}, each gap reported within a bank day and once ({took:.0f} s)")


if __name__ == "__main__":
    sys.exit(main())
