"""Measures the engine alone, in one process: `matching_speed.py [--orders 10000,100000] [--postings 20000]`.

Per number of open orders: postings decided a second of processor time (prepare, lookup, decide, in batches of 500), the
time of a single posting decided alone without warm-up, and the memory of the orders with their index in memory. Beyond
some 100,000 open orders the database holds the index; the figure for a million shows that the cost per posting stays
the same.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from time import process_time

from paymatch.domain.matching.decide import decide
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import Decision, MatchOutcome, OrderFacts, OrderState, PostingFacts, ShopFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.gc_tuning import collect_rarely

TODAY = date(2026, 3, 31)
BATCH = 500
_FIRST_NAMES = """
    Anna Peter Claire Hans Uwe Silke Jörg Maria Heike Ralf Bärbel Sven Ida Nora Emil Kurt Lena Tom Rita Axel Elif Murat
    Olga Ivan Jan Piet Sanne Luc Marie Paul Zofia Adam Ewa Karl Inge Otto Vera Nils Petra Horst
"""
_PARTS = """
    ba be bau ber den dorf fel gro haus hof kel kra lin mann mei müll ner ott rei schm schul stein tal wag wein zim zöll
"""
_FIRST = _FIRST_NAMES.split()
_SYLLABLES = _PARTS.split()
_STREET_SHOPS = ("GmbH", "AG", "KG", "GmbH & Co. KG", "e.K.", "OHG")
_TEXTS = (
    "{number}",
    "Bestellung {number}",
    "Bestell-Nr.: {number} vom {day}",
    "Rechnung {invoice}",
    "RE {invoice} Kd-Nr {customer}",
    "Danke! {number}",
    "Kundennummer {customer}",
    "Vielen Dank",
    "Order {number} EREF+2026117367644996",
    "Zahlung zu Auftragsnr {number} {last}",
)


def surnames(rng: random.Random, count: int) -> list[str]:
    """`count` invented surnames."""
    return ["".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 3))).capitalize() for _ in range(count)]


def make_orders(count: int, seed: int = 7) -> list[OrderFacts]:
    """`count` open orders of a large shop: eight-digit numbers, common amounts, a third of them companies."""
    rng = random.Random(seed)
    names = surnames(rng, max(200, count // 20))
    prices = [rng.randint(5, 300) * 100 - rng.choice((1, 5, 10, 0)) for _ in range(400)]
    orders = []
    for index in range(count):
        last = rng.choice(names)
        person = f"{rng.choice(_FIRST)} {last}"
        company = f"{last} {rng.choice(names)} {rng.choice(_STREET_SHOPS)}" if rng.random() < 0.3 else ""
        amount = sum(rng.choice(prices) for _ in range(rng.randint(1, 3)))
        orders.append(
            OrderFacts(
                number=str(10_000_000 + index * 3 + rng.randint(0, 2)),
                currency="EUR",
                amount_minor=amount,
                open_minor=amount,
                state=OrderState.OPEN,
                order_date=TODAY - timedelta(days=rng.randint(1, 30)),
                type="PREPAYMENT",
                customer_number=str(100_000 + rng.randint(0, max(1000, count // 2))),
                invoice_numbers=(f"RE2026{index:07d}",),
                shipping_numbers=(f"0034043416{rng.randint(0, 9999999999):010d}",),
                item_numbers=(f"A{rng.randint(10000, 19999)}", f"P-{rng.randint(20000, 29999)}"),
                names=tuple(name for name in (person, company) if name),
            )
        )
    return orders


def make_postings(orders: list[OrderFacts], count: int, seed: int = 8) -> list[PostingFacts]:
    """`count` postings of customers who pay these orders, each order once at most."""
    rng = random.Random(seed)
    postings = []
    for index, order in enumerate(rng.sample(orders, min(count, len(orders)))):
        name = order.names[-1]
        text = rng.choice(_TEXTS).format(
            number=order.number,
            day=order.order_date.strftime("%d.%m.%Y"),
            invoice=order.invoice_numbers[0],
            customer=order.customer_number,
            last=name.split()[-1],
        )
        posting = Posting(
            account="DE53677979049691425502",
            currency=EUR,
            amount_minor=order.amount_minor,
            booking_date=TODAY,
            counterparty_name=name.upper() if rng.random() < 0.3 else name,
            counterparty_iban=f"DE{rng.randint(10**19, 10**20 - 1)}",
            end_to_end_id=f"ZV{rng.randint(10**12, 10**13)}" if rng.random() < 0.4 else "",
            remittance_lines=(text,),
            booking_text="GUTSCHRIFT",
        )
        postings.append(PostingFacts(f"P{index}", posting, order.amount_minor))
    return postings


def batches(postings: list[PostingFacts]) -> Iterator[list[PostingFacts]]:
    """The postings in lots of `BATCH`."""
    for start in range(0, len(postings), BATCH):
        yield postings[start : start + BATCH]


def run(index: MemoryIndex, postings: list[PostingFacts], shop: ShopFacts) -> list[Decision]:
    """The postings prepared, looked up and decided."""
    prepared = prepare(postings, shop)
    return decide(prepared, index.known_orders(prepared.keys), shop, {})


def resident_mb() -> float:
    """Memory of the process now, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(count: int, postings_count: int) -> str:
    """One row of the table for `count` open orders."""
    gc.collect()
    before = resident_mb()
    orders = make_orders(count)
    started = process_time()
    index = MemoryIndex(orders)
    indexed = process_time() - started
    postings = make_postings(orders, postings_count)
    gc.collect()
    memory = resident_mb() - before
    shop = ShopFacts(open_orders=count)
    started = process_time()
    run(index, postings[:1], shop)
    single_ms = (process_time() - started) * 1000
    gc.freeze()
    matched = 0
    started = process_time()
    for batch in batches(postings):
        matched += sum(d.outcome is MatchOutcome.MATCHED for d in run(index, batch, shop))
    seconds = process_time() - started
    rate = len(postings) / seconds
    return (
        f"{count:>10,} {rate:>12,.0f} {1e6 / rate:>10.0f} {single_ms:>12.2f} {memory:>10.0f} "
        f"{1e6 * indexed / count:>14.0f} {100 * matched / len(postings):>9.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", default="10000,100000")
    parser.add_argument("--postings", type=int, default=20000)
    arguments = parser.parse_args()
    collect_rarely()  # as every process of paymatch does
    sys.stdout.write("    orders   postings/s us/posting first one ms  memory MB index us/order matched %\n")
    for count in map(int, arguments.orders.split(",")):
        print(measure(count, arguments.postings), flush=True)


if __name__ == "__main__":
    main()
