"""From statement bytes to committed allocations with callbacks queued, against many open orders.

`python -m benchmarks.import_speed [--orders N] [--postings N]`

One process, a real PostgreSQL in a temporary directory. The orders are submitted through the use case of the API, the
statement is read, booked, matched and settled by the use case of the command line. Then single payments against all
open orders, each decided without any warm-up of the process.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import resource
import statistics
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from paymatch.api import schema
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.shops import Shop
from paymatch.embedded import running_server
from paymatch.formats.camt_writer import Booking, CamtStatement, write_camt
from paymatch.store.database import Database, ShopId
from paymatch.store.migrate import migrate
from paymatch.usecases import orders, shops
from paymatch.usecases.statements import import_file

IBAN = "DE53677979049691425502"
NOW = datetime(2026, 11, 4, 9, tzinfo=UTC)
DAY = date(2026, 11, 3)
BULK = 1000
_NAMES = "Anna Bernd Clara Dieter Eva Frank Gerda Hans Ida Jan Karin Lars Mia Nils Olga Paul Rita Sven Tina Uwe"
FIRST_NAMES = _NAMES.split()
SYLLABLES = [a + b for a in "bdfgklmnprstw" for b in "aeiou"]


@dataclass(frozen=True)
class Customer:
    """One order and how its customer will pay."""

    number: str
    invoice: str
    first: str
    last: str
    minor: int


def customer(rng: random.Random, place: int) -> Customer:
    """A customer with one order; numbers of seven digits as a large shop has them."""
    last = "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4))).capitalize()
    return Customer(
        f"B{2_000_000 + place}", f"RE{7_000_000 + place}", rng.choice(FIRST_NAMES), last, rng.randint(500, 20000)
    )


def submit(database: Database, shop: Shop, customers: list[Customer]) -> float:
    """Submits the orders in bulk calls; orders per second."""
    started = time.perf_counter()
    for start in range(0, len(customers), BULK):
        bodies = [
            {
                "number": c.number,
                "date": "25-10-2026",
                "type": "PREPAYMENT",
                "amount": f"{c.minor / 100:.2f}",
                "currency": "EUR",
                "invoiceNumbers": [c.invoice],
                "billing": {"firstName": c.first, "lastName": c.last, "postCode": "12345", "countryCode": "DE"},
            }
            for c in customers[start : start + BULK]
        ]
        checked = [schema.check_order(body) for body in schema.decode_orders(json.dumps(bodies).encode())]
        with database.transaction(ShopId(shop.id)) as tx:
            orders.submit(tx, shop, checked, NOW)
    return len(customers) / (time.perf_counter() - started)


def statement(rng: random.Random, payers: list[Customer], name: str) -> bytes:
    """A camt.053 with one payment each: by number, by invoice, spaced number, or by name only."""
    postings = []
    for place, payer in enumerate(payers):
        chance = rng.random()
        text = f"Bestellung {payer.number}" if chance < 0.6 else f"Rechnung {payer.invoice}"
        if chance > 0.75:
            text = f"{payer.number[:4]} {payer.number[4:]} vielen Dank" if chance < 0.9 else "Danke"
        postings.append(
            Posting(
                account=IBAN, currency=EUR, amount_minor=payer.minor, booking_date=DAY, value_date=DAY,
                bank_reference=f"{name}{place:07d}", counterparty_name=f"{payer.first} {payer.last}",
                counterparty_iban=f"DE{place:020d}", remittance_lines=(text,), bank_code="PMNT/RCDT/ESCT",
            )
        )  # fmt: skip
    bookings = tuple(Booking((posting,)) for posting in postings)
    one = CamtStatement(IBAN, EUR, 0, DAY, DAY, name, 1, bookings)
    return write_camt([one], NOW)


def main() -> None:
    """Prints one line per measured figure."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--orders", type=int, default=100_000)
    arguments.add_argument("--postings", type=int, default=5_000)
    arguments.add_argument("--singles", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as url:
        migrate(url)
        database = Database(url, size=2)
        shop = shops.create(database, "Large shop", NOW, ibans=[IBAN]).shop
        customers = [customer(rng, place) for place in range(given.orders)]
        print(f"submit: {submit(database, shop, customers):,.0f} orders/s, {given.orders:,} open orders")
        chosen = rng.sample(customers, given.postings + given.singles)
        content = statement(rng, chosen[: given.postings], "A")
        started, cpu = time.perf_counter(), time.process_time()
        report = import_file(database, shop, io.BytesIO(content), "large.xml", NOW)
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        print(
            f"statement to callbacks queued: {given.postings / wall:,.0f} postings/s ({cpu / wall:.0%} of it Python),"
        )
        print(f"  {report.matched:,} of {report.new:,} matched, {report.suggested:,} suggested")
        times = []
        for place, payer in enumerate(chosen[given.postings :]):
            content = statement(rng, [payer], f"S{place}")
            started = time.perf_counter()
            import_file(database, shop, io.BytesIO(content), f"{place}.xml", NOW)
            times.append((time.perf_counter() - started) * 1000)
        middle = statistics.median(times)
        print(f"a single payment: median {middle:.1f} ms, first {times[0]:.1f} ms, worst {max(times):.1f} ms")
        print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
        database.close()


if __name__ == "__main__":
    main()
