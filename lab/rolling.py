"""Servers replaced one after the other under load, for long: `python -m lab.rolling --rounds 20`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import psycopg
from tests.upgrades.rolling import roll

from paymatch.embedded import running_server
from paymatch.store.migrate import migrate


def main() -> int:
    """Rolls; exit code 1 if a shop saw an error, or if an order is missing or was never acknowledged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--shops", type=int, default=8)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two restarts")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paymatch-rolling-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o711)
        with running_server(folder, durable=False) as url:
            migrate(url)
            shops = roll(url, folder, servers=given.servers, shops=given.shops, rounds=given.rounds, pause=given.pause)
            with psycopg.connect(url) as connection:
                found = {str(row[0]) for row in connection.execute("SELECT number FROM orders")}
    acknowledged = {number for shop in shops for number in shop.acknowledged}
    wrong = [text for shop in shops for text in shop.wrong]
    print(f"restarts: {given.rounds * given.servers}, orders acknowledged: {len(acknowledged)}")
    print(f"connections refused, and tried again: {sum(shop.refused for shop in shops)}")
    print(f"lost: {len(acknowledged - found)}, never acknowledged: {len(found - acknowledged)}, errors: {len(wrong)}")
    print("\n".join(wrong[:20]), end="")
    return 1 if wrong or found != acknowledged else 0


if __name__ == "__main__":
    sys.exit(main())
