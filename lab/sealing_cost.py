"""What sealing costs in an import: the same statements with keys and without, alternately, in one process.

    PYTHONPATH=src:. python -m lab.sealing_cost [--orders 14000] [--statements 12] [--payments 1000]

Two copies of one prepared database; each statement is imported into both, the one that begins changes. Compared is the
CPU time of this process and of PostgreSQL together, over all statements but the first pair, which warms up. Ends with
1 if sealing costs more than its goal, 3 % of an import (lab/results/performance.md).
"""

from __future__ import annotations

import argparse
import io
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import psutil

from lab import many_orders
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.gc_tuning import collect_rarely
from paymatch.store.database import Database
from paymatch.store.sealing import NO_KEYS, Keyring
from paymatch.usecases.statements.statements import import_file

GOAL: Final = 1.03
_KEYS: Final = Keyring(["a secret key of this benchmark, long enough"])


class Side:
    """A copy of the database, sealed or not."""

    def __init__(self, url: str, keyring: Keyring) -> None:
        self.database = Database(url, size=1, keyring=keyring)
        self.shop: Shop = many_orders.only_shop(self.database)
        with self.database.of_all_shops() as tx:
            self._server = psutil.Process(tx.value("SELECT pg_backend_pid()"))

    def cost(self, content: bytes, name: str) -> float:
        """CPU seconds of importing the statement, those of PostgreSQL included."""
        begun = self._cpu()
        import_file(
            self.database, self.shop, io.BytesIO(content), name, many_orders.NOW, channel=StatementChannel.COMMAND_LINE
        )
        return self._cpu() - begun

    def sealed(self) -> int:
        """How many postings hold a sealed account."""
        with self.database.of_all_shops() as tx:
            return int(tx.value("SELECT count(*) FROM postings WHERE counterparty_iban LIKE '~1.%'"))

    def _cpu(self) -> float:
        times = self._server.cpu_times()
        return float(time.process_time() + times.user + times.system)


def main() -> int:
    """Prints the ratio; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=14_000)
    parser.add_argument("--statements", type=int, default=12)
    parser.add_argument("--payments", type=int, default=1_000)
    given = parser.parse_args()
    collect_rarely()
    customers = random.Random(2).sample(
        many_orders.customers("large", given.orders), (given.statements + 1) * given.payments
    )
    pairs: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="paymatch-sealing-") as scratch:
        prepared = many_orders.prepare(Path(scratch), "large", given.orders)
        with many_orders.copied(prepared) as first, many_orders.copied(prepared) as second:
            plain, sealed = Side(first, NO_KEYS), Side(second, _KEYS)
            for place in range(given.statements + 1):
                payers = customers[place * given.payments :][: given.payments]
                name = f"S{place}"
                content = many_orders.statement(random.Random(name), payers, name)
                sides = (plain, sealed) if place % 2 else (sealed, plain)
                costs = {id(side): side.cost(content, name) for side in sides}
                pairs.append((costs[id(plain)], costs[id(sealed)]))
            assert (plain.sealed(), sealed.sealed()) == (0, len(customers)), "the twin seals, or the other does not"
            plain.database.close()
            sealed.database.close()
    counted = pairs[1:]
    before, after = (sum(side) for side in zip(*counted, strict=True))
    ratio, ratios = after / before, [sealed / plain for plain, sealed in counted]
    print(
        f"{given.statements} statements of {given.payments:,} payments, {given.orders:,} open orders:"
        f" {1e6 * before / given.statements / given.payments:,.0f} us CPU a payment, sealed {ratio:.3f} times that"
        f" (pairs {min(ratios):.3f} to {max(ratios):.3f}, median {statistics.median(ratios):.3f})"
    )
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
