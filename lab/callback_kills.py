"""10,000 callbacks while workers are killed 100 times: each arrives, repetitions carry the same webhook-id.

    PYTHONPATH=src:. python -m lab.callback_kills [--orders 2500] [--changes 4] [--kills 100] [--seed 1]

Prints one line of JSON; exit code 1 if a callback is missing, unknown, undelivered or out of its order's sequence.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.jobs.killing import as_json, killed_workers

from paymatch.embedded import running_server
from paymatch.store.migrate import migrate


def main() -> int:
    """0 if nothing was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=2500)
    parser.add_argument("--changes", type=int, default=4)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as url:
        migrate(url)
        found = killed_workers(url, orders=wanted.orders, changes=wanted.changes, kills=wanted.kills, seed=wanted.seed)
    print(as_json(found))
    return 1 if found.undelivered or found.missing or found.foreign or found.out_of_sequence else 0


if __name__ == "__main__":
    sys.exit(main())
