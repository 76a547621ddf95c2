"""From the bytes of a settlement file to credited orders: `python -m lab.settlement_speed [--rows 20000,100000]`.

A file in the manner of Stripe whose sales, refunds and payouts are all known, imported in a process of its own: payouts
of 500 rows, or with `--layout one` a single payout. Tells rows per second of this process's CPU, and of the clock with
the database, and the most memory that the process has held.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from lab.import_speed import peak_mb
from lab.many_orders import only_shop
from lab.statement_costs import profiled
from paymatch.domain.statement_channels import StatementChannel
from paymatch.embedded import running_server
from paymatch.formats.contract import bodies
from paymatch.gc_tuning import collect_rarely
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.statements import import_file

GOAL_PER_SECOND: Final = 3000
NOW: Final = datetime(2026, 11, 20, 9, tzinfo=UTC)
_BEGIN: Final = datetime(2026, 10, 1, 8, tzinfo=UTC)
_PER_PAYOUT: Final = 500
_LOT: Final = 500


def settlement(rows: int, per_payout: int = _PER_PAYOUT) -> str:
    """A payout reconciliation in which every twentieth row is a refund."""
    lines = [
        "automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,currency,gross,fee,net,"
        "reporting_category,charge_id,description,payment_metadata[order_id]"
    ]
    for row in range(rows):
        week = row // per_payout
        at = _BEGIN + timedelta(minutes=row % 40_000)
        sent = _BEGIN + timedelta(days=week % 40 + 1)
        is_refund = row % 20 == 19
        sale = row - 1 if is_refund else row
        gross, fee = (-500, 0) if is_refund else (1000 + sale % 9000, 35)
        amounts = ",".join(f"{minor / 100:.2f}" for minor in (gross, fee, gross - fee))
        lines.append(
            f"po_{week:08d},{sent:%Y-%m-%d} 00:00:00,txn_{row:08d},{at:%Y-%m-%d %H:%M:%S},eur,{amounts},"
            f"{'refund' if is_refund else 'charge'},ch_{sale:08d},Lamp,{'' if is_refund else f'SO-{sale:07d}'}"
        )
    return "\n".join(lines)


def prepare(url: str, rows: int) -> None:
    """A shop with the orders of all sales."""
    database = Database(url, size=1)
    shop = shops.create(database, "Speed", NOW - timedelta(days=90), ibans=["DE89370400440532013000"]).shop
    numbers = [row for row in range(rows) if row % 20 != 19]
    for start in range(0, len(numbers), _LOT):
        body = [
            {
                "number": f"SO-{row:07d}", "date": "01-10-2026", "type": "PREPAYMENT", "currency": "EUR",
                "amount": f"{(1000 + row % 9000) / 100:.2f}", "billing": {"lastName": "Muster", "countryCode": "DE"},
            }
            for row in numbers[start : start + _LOT]
        ]  # fmt: skip
        checked = [bodies.check_order(each) for each in bodies.decode_orders(json.dumps(body).encode())]
        with database.of_shop(shop, at=NOW) as tx:
            orders.submit(tx, checked)
    database.close()


def import_one(url: str, rows: int, path: Path, *, with_profile: bool = False) -> None:
    """Imports the file in this process and prints what it cost as JSON."""
    collect_rarely()
    database = Database(url, size=1)
    shop = only_shop(database)
    cpu, began = time.process_time(), time.monotonic()
    booked: dict[str, float] = {}

    def tell(what: str, _count: int) -> None:
        if what == "matching":
            booked.setdefault("cpu", time.process_time() - cpu)

    with profiled() if with_profile else nullcontext(), path.open("rb") as stream:
        report = import_file(
            database, shop, stream, "stripe.csv", NOW, channel=StatementChannel.COMMAND_LINE, progress=tell
        )
    cpu, seconds = time.process_time() - cpu, time.monotonic() - began
    database.close()
    said: dict[str, Any] = {
        "rows": rows, "cpu": round(cpu, 2), "seconds": round(seconds, 2), "booked": round(booked.get("cpu", cpu), 2),
        "per_second_of_cpu": round(rows / cpu), "per_second": round(rows / seconds),
        "peak_mb": round(peak_mb()), "new": report.new,
        "matched": report.matched,
    }  # fmt: skip
    print(json.dumps(said))


def main() -> int:
    """1 if a file is read more slowly than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="20000")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument(
        "--layout", choices=["many", "one"], default="many", help="payouts of 500 rows, or a single one"
    )
    parser.add_argument("--import-at", default="", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, default=Path(), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.import_at:
        import_one(given.import_at, int(given.rows), given.file, with_profile=given.profile)
        return 0
    too_slow = False
    for rows in map(int, given.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "data", durable=False) as url:
            migrate(url)
            prepare(url, rows)
            path = Path(folder) / "stripe.csv"
            path.write_text(settlement(rows, rows if given.layout == "one" else _PER_PAYOUT))
            command = [sys.executable, "-m", "lab.settlement_speed", "--rows", str(rows)]
            command += ["--import-at", url, "--file", str(path)]
            command += ["--profile"] if given.profile else []
            found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        print(found.stdout.strip())
        too_slow |= json.loads(found.stdout)["per_second_of_cpu"] < GOAL_PER_SECOND
    return int(too_slow)


if __name__ == "__main__":
    sys.exit(main())
