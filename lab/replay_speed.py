"""A shop's year replayed: postings per second, from files to figures.

`python -m lab.replay_speed [--postings 100000] [--days 250] [--profile FILE]`

Orders of a large shop over a year, each paid by a transfer some days later: most name the order, some the invoice, some
nothing but the payer; one in twenty pays late and is reminded. The other system's decisions are the truth, but for one
in fifty, which names another order. The goal: 100,000 postings in ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import cProfile
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from lab.api_world import postgres_cpu_seconds, postgres_of
from lab.many_orders import IBAN, Customer, large_shop
from paymatch.clock import utc_now
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.embedded import running_server
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.gc_tuning import collect_rarely
from paymatch.logs import set_up_logs
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases.replays import beginning, playing, summing
from paymatch.usecases.replays.beginning import ReplayFile, ReplayFiles
from paymatch.usecases.shops import shops

FIRST: Final = date(2025, 1, 2)
GOAL_SECONDS: Final = 600


@dataclass(frozen=True, slots=True)
class YearOrder:
    """An order of the year, when it was made and when its money was booked."""

    customer: Customer
    ordered: date
    paid: date


def year(count: int, days: int, seed: int = 1) -> list[YearOrder]:
    """The orders of a year and their payments, the same every time."""
    rng = random.Random(seed)
    found = []
    for place in range(count):
        ordered = FIRST + timedelta(days=rng.randrange(max(days - 40, 1)))
        paid = ordered + timedelta(days=rng.choice((1, 2, 3, 5, 8)) if rng.random() < 0.95 else rng.randint(20, 40))
        paid += timedelta(days=max(0, 7 - paid.isoweekday()) if paid.isoweekday() > 5 else 0)
        found.append(YearOrder(large_shop(rng, place), ordered, paid))
    return found


def orders_file(orders: list[YearOrder]) -> bytes:
    """The orders as a table."""
    lines = ["Order number;Date;Due;Customer;E-mail;Amount;Invoice"]
    for each in orders:
        who = each.customer
        due = each.ordered + timedelta(days=10)
        lines.append(
            f"{who.number};{each.ordered};{due};{who.first} {who.last};{who.number.lower()}@example.com;"
            f"{who.minor // 100}.{who.minor % 100:02d};{who.invoice}"
        )
    return "\r\n".join(lines).encode()


def _text(rng: random.Random, who: Customer) -> str:
    chance = rng.random()
    if chance < 0.75:
        return f"Bestellung {who.number}"
    return f"Rechnung {who.invoice}" if chance < 0.9 else "Danke"


def statement_files(orders: list[YearOrder]) -> Iterator[ReplayFile]:
    """One camt file a month, each with one statement."""
    rng = random.Random(2)
    by_month: dict[tuple[int, int], list[YearOrder]] = {}
    for each in sorted(orders, key=lambda one: one.paid):
        by_month.setdefault((each.paid.year, each.paid.month), []).append(each)
    opening = 0
    for month, own in sorted(by_month.items()):
        bookings = [
            WrittenEntry((
                Posting(
                    account=IBAN, currency=EUR, amount_minor=each.customer.minor, booking_date=each.paid,
                    value_date=each.paid, bank_reference=f"R{each.customer.number}",
                    counterparty_name=f"{each.customer.first} {each.customer.last}",
                    counterparty_iban=f"DE{each.customer.number[1:]:0>20}",
                    remittance_lines=(_text(rng, each.customer),), bank_code="PMNT/RCDT/ESCT",
                ),
            ))
            for each in own
        ]  # fmt: skip
        name = f"{month[0]}-{month[1]:02d}"
        statement = CamtStatement(IBAN, EUR, opening, own[0].paid, own[-1].paid, name, month[1], tuple(bookings))
        opening += sum(each.customer.minor for each in own)
        yield ReplayFile(f"{name}.xml", write_camt([statement], datetime(2026, 1, 1, tzinfo=UTC)))


def decisions_file(orders: list[YearOrder]) -> bytes:
    """What the other system assigned, wrong once in fifty."""
    rng = random.Random(3)
    lines = ["Booking date;Amount;Payer;Order number"]
    for each in orders:
        who = each.customer
        number = who.number if rng.random() > 0.02 else rng.choice(orders).customer.number
        lines.append(f"{each.paid};{who.minor // 100}.{who.minor % 100:02d};{who.first} {who.last};{number}")
    return "\r\n".join(lines).encode()


def main() -> int:
    """Replays the year; exit code 1 if it takes longer than its share of ten minutes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postings", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=360)
    parser.add_argument("--profile", default="", help="write a cProfile of the playing to this file")
    given = parser.parse_args()
    collect_rarely()
    set_up_logs("console", "warning")
    orders = year(given.postings, given.days)
    files = ReplayFiles(
        [ReplayFile("orders.csv", orders_file(orders))], [*statement_files(orders)],
        [ReplayFile("decisions.csv", decisions_file(orders))],
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="paymatch-replay-") as folder, running_server(Path(folder)) as url:
        migrate(url)
        database = Database(url, size=3)
        shop = shops.create(database, "Year", utc_now(), ibans=[IBAN]).shop
        begun, cpu = time.monotonic(), time.process_time()
        beginning.begin(database, shop, files, utc_now())
        profile = cProfile.Profile() if given.profile else None
        if profile is not None:
            profile.enable()

        def tell(what: str, percent: int) -> None:
            print(f"{time.monotonic() - begun:6.0f} s  {percent:3d} %  {what}", flush=True)

        playing.play(database, shop, utc_now, tell=tell)
        if profile is not None:
            profile.disable()
            profile.dump_stats(given.profile)
        seconds = time.monotonic() - begun
        with database.of_shop(shop) as tx:
            row = beginning.state(tx)
            server_cpu = postgres_cpu_seconds(postgres_of(url))
        assert row is not None
        result = summing.result_of(row)
        assert result is not None, row.error
        database.close()
    cpu = time.process_time() - cpu
    print(asdict(result) | {"clicks_saved": result.clicks_saved})
    allowed = GOAL_SECONDS * given.postings / 100_000
    print(
        f"{given.postings:,} postings in {seconds:,.0f} s: {given.postings / seconds:,.0f}/s, {allowed:,.0f} s allowed"
    )
    print(f"CPU: {cpu:,.0f} s here, {server_cpu:,.0f} s in PostgreSQL")
    return 0 if seconds <= allowed else 1


if __name__ == "__main__":
    raise SystemExit(main())
