"""Generated weeks at payment services, at length: `python -m lab.settlement_weeks [--services sumup] [--seeds 50]`.

Each seed is two shops with all their files in two orders, with files that are missing at first and undone in the end;
and two more, in one of which files, the bank's statement and an advice are undone at any point and come again. What
orders, payouts and books must be is reckoned beside the product, in `tests/usecases/payouts`. Prints each seed that
ends otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.usecases.payouts.test_service_weeks import SERVICES, restless_walk, walk

from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate


def main() -> int:
    """1 if the weeks of a seed end otherwise than they must."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", default=",".join(sorted(SERVICES)))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "data", durable=False) as url:
        migrate(url)
        database = Database(url, size=2)
        for code in given.services.split(","):
            began, wrong = time.monotonic(), 0
            for seed in range(given.first, given.first + given.seeds):
                try:
                    for each in (walk, restless_walk):
                        each(database, SERVICES[code], seed)
                except Exception as error:  # every seed is looked at
                    wrong += 1
                    frames = traceback.extract_tb(error.__traceback__)
                    line = next((each for each in reversed(frames) if "/tests/" in each.filename), frames[-1])
                    where = f"{Path(line.filename).name}:{line.lineno}"
                    print(f"{code} seed {seed}: {where} {type(error).__name__}: {str(error)[:600]}", flush=True)
            print(f"{code}: {given.seeds} seeds, {wrong} wrong, {time.monotonic() - began:.0f} s", flush=True)
            failed += wrong
        database.close()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
