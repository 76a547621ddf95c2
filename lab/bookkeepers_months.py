"""Random months of a bookkeeper, reckoned beside the product in plain integers: `python -m lab.bookkeepers_months`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import structlog
from tests.keys import KEYRING
from tests.usecases.reports.full_month import FullMonth
from tests.usecases.reports.month_checks import check_month

from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate


def main() -> int:
    """Lives the months; exit code 1 if one differs by a cent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--months", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first month")
    given = parser.parse_args()
    started, failed, did = time.monotonic(), 0, Counter[str]()
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-months-") as folder,
        running_server(Path(folder), durable=False) as url,
        structlog.testing.capture_logs() as logs,
    ):
        migrate(url)
        database = Database(url, size=2, keyring=KEYRING)
        for seed in range(given.first, given.first + given.months):
            month = FullMonth(database, seed)
            try:
                month.live()
                check_month(month)
            except Exception:
                failed += 1
                print(f"month {seed}:\n{traceback.format_exc(limit=-3)}", flush=True)
            did += month.did
            logs.clear()
            print(f"month {seed}, {failed} differ, {time.monotonic() - started:.0f} s", flush=True)
        database.close()
    print("what was done:", ", ".join(f"{name} {count}" for name, count in did.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
