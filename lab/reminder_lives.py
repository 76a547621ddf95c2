"""Whole lives of orders: how many customers are reminded although their money stood in a file that was read.

`python -m lab.reminder_lives [--orders 20000] [--days 120] [--seed 1] [--clerk]`

Each order is played from its submission to its payment by a replay (D-124), with everything that makes reminders
wrong: payments late and on the day of a reminder, in halves, short by a bank's charge, from another person without a
word, payouts for several orders that name nothing. The truth is the generator's, not the service's: a reminder is wrong
if the customer's money was booked before it and the statement had come, whether it was assigned or not. With `--clerk`
a person assigns each morning what was left open; without, nobody ever does.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from lab.many_orders import IBAN, Customer, large_shop
from lab.replay_speed import FIRST, YearOrder, orders_file
from paymatch.clock import utc_now
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.embedded import running_server
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.gc_tuning import collect_rarely
from paymatch.logs import set_up_logs
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.transactions import ShopId
from paymatch.usecases.replays import beginning, playing
from paymatch.usecases.replays.beginning import ReplayFile, ReplayFiles
from paymatch.usecases.shops import shops

KINDS: Final = {
    "number": 58, "invoice": 12, "name only": 8, "late": 10, "halves": 3, "bank charge": 3, "another person": 2,
    "payout without names": 2, "never": 2,
}  # fmt: skip
"""How an order is paid -> of a hundred orders."""
_PAYOUT: Final = 6


@dataclass(frozen=True, slots=True)
class LifeOrder:
    """An order with how it is paid: (day of booking, minor units, payer, text) of each payment."""

    order: YearOrder
    kind: str
    paid: tuple[tuple[date, int, str, str], ...]


def _bank_day(day: date) -> date:
    return day + timedelta(days=8 - day.isoweekday()) if day.isoweekday() > 5 else day


def lives(count: int, days: int, seed: int) -> list[LifeOrder]:
    """The orders and their payments, the same every time."""
    rng = random.Random(seed)
    kinds = rng.choices([*KINDS], [*KINDS.values()], k=count)
    found = []
    for place, kind in enumerate(kinds):
        who = large_shop(rng, place)
        ordered = FIRST + timedelta(days=rng.randrange(max(days - 60, 1)))
        wait = rng.randint(12, 45) if kind == "late" or rng.random() < 0.1 else rng.choice((1, 2, 3, 5, 8, 10))
        day = _bank_day(ordered + timedelta(days=wait))
        found.append(LifeOrder(YearOrder(who, ordered, day), kind, _payments(rng, kind, who, day)))
    return found


def _payments(rng: random.Random, kind: str, who: Customer, day: date) -> tuple[tuple[date, int, str, str], ...]:
    name, half = f"{who.first} {who.last}", who.minor // 2
    match kind:
        case "never" | "payout without names":
            return ()
        case "halves":
            later = _bank_day(day + timedelta(days=rng.randint(1, 20)))
            return ((day, half, name, who.number), (later, who.minor - half, name, who.number))
        case "bank charge":
            return ((day, who.minor - rng.choice((1, 15, 50, 149)), name, f"Order {who.number}"),)
        case "another person":
            return ((day, who.minor, "Maria Anders", "thanks"),)
        case "name only":
            return ((day, who.minor, name, "thanks"),)
        case "invoice":
            return ((day, who.minor, name, who.invoice),)
        case _:
            return ((day, who.minor, name, f"Order {who.number}"),)


def payouts(found: Sequence[LifeOrder]) -> Iterator[tuple[date, int, list[str]]]:
    """(day, minor units, orders) of payments for several orders that name none of them."""
    own = sorted((each.order for each in found if each.kind == "payout without names"), key=lambda each: each.paid)
    for start in range(0, len(own), _PAYOUT):
        some = own[start : start + _PAYOUT]
        yield some[-1].paid, sum(each.customer.minor for each in some), [each.customer.number for each in some]


def statement_file(found: Sequence[LifeOrder]) -> ReplayFile:
    """All bookings of the time in one statement."""
    rows = [row for each in found for row in each.paid]
    rows += [(day, minor, "Marketplace Ltd", "Payout") for day, minor, _ in payouts(found)]
    rows.sort()
    bookings = tuple(
        WrittenEntry((
            Posting(
                account=IBAN, currency=EUR, amount_minor=minor, booking_date=day, value_date=day,
                bank_reference=f"R{place}", counterparty_name=name, counterparty_iban=f"DE{place:020d}",
                remittance_lines=(text,), bank_code="PMNT/RCDT/ESCT",
            ),
        ))
        for place, (day, minor, name, text) in enumerate(rows)
    )  # fmt: skip
    written = CamtStatement(IBAN, EUR, 0, rows[0][0], rows[-1][0], "lives", 1, bookings)
    return ReplayFile("lives.xml", write_camt([written], datetime(2026, 1, 1, tzinfo=UTC)))


def decisions_file(found: Sequence[LifeOrder]) -> ReplayFile:
    """Whose money it is, as a person knows who asks the customer."""
    lines = ["Booking date;Amount;Payer;Order number"]
    told = [(*row[:3], each.order.customer.number) for each in found for row in each.paid]
    told += [(day, minor, "Marketplace Ltd", number) for day, minor, numbers in payouts(found) for number in numbers]
    lines += [f"{day};{minor // 100}.{minor % 100:02d};{name};{number}" for day, minor, name, number in told]
    return ReplayFile("truth.csv", "\r\n".join(lines).encode())


def money_of(found: Sequence[LifeOrder]) -> dict[str, list[tuple[date, int]]]:
    """Order -> (the morning on which its money was known, minor units)."""
    money: dict[str, list[tuple[date, int]]] = defaultdict(list)
    for each in found:
        for day, minor, _, _ in each.paid:
            money[each.order.customer.number].append((day + timedelta(days=1), minor))
    amounts = {each.order.customer.number: each.order.customer.minor for each in found}
    for day, _, numbers in payouts(found):
        for number in numbers:
            money[number].append((day + timedelta(days=1), amounts[number]))
    return money


def main() -> int:
    """Lives the lives; exit code 1 if somebody was reminded wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clerk", action="store_true", help="a person assigns each morning what is left open")
    given = parser.parse_args()
    collect_rarely()
    set_up_logs("console", "warning")
    found, begun = lives(given.orders, given.days, given.seed), time.monotonic()
    table = ReplayFile("orders.csv", orders_file([each.order for each in found]))
    files = ReplayFiles([table], [statement_file(found)], [decisions_file(found)] if given.clerk else [])
    with tempfile.TemporaryDirectory(prefix="paymatch-lives-") as folder, running_server(Path(folder)) as url:
        migrate(url)
        database = Database(url, size=3)
        shop = shops.create(database, "Lives", utc_now(), ibans=[IBAN]).shop
        beginning.begin(database, shop, files, utc_now())
        playing.play(database, shop, utc_now)
        with database.of_shop(shop) as tx:
            row = beginning.state(tx)
        assert row is not None
        with database.of_shop(ShopId(row.replay_shop)) as tx:
            sent = tx.rows("SELECT order_number, sent_date FROM reminders WHERE shop_id = $1", tx.shop_id)
        database.close()
    return _tell(given, found, sent, time.monotonic() - begun)


def _tell(
    given: argparse.Namespace, found: Sequence[LifeOrder], sent: Sequence[tuple[str, date]], seconds: float
) -> int:
    kinds = {each.order.customer.number: each.kind for each in found}
    amounts = {each.order.customer.number: each.order.customer.minor for each in found}
    money, wrong = money_of(found), Counter[str]()
    for number, day in sent:
        known = sum(minor for came, minor in money.get(number, ()) if came <= day)
        wrong[kinds[number]] += known >= amounts[number]
    every = sum(wrong.values())
    who = "with a clerk" if given.clerk else "without a clerk"
    print(
        f"{given.orders:,} lives of {given.days} days, seed {given.seed}, {who}: {len(sent):,} reminders, {every} wrong"
    )
    print("wrong by kind of payment:", {kind: count for kind, count in sorted(wrong.items()) if count})
    print(f"{seconds:,.0f} s")
    return 1 if every else 0


if __name__ == "__main__":
    raise SystemExit(main())
