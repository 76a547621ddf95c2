"""What a search costs in a shop with 100,000 orders and 100,000 postings: milliseconds for each caller's wording.

python -m lab.search [--orders 100000]

Names are of the frequencies of a large shop: a few hundred family names are common, thousands are rare.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
from tests.keys import KEYRING

from lab.api_world import postgres_cpu_seconds, postgres_of
from lab.many_orders import FIRST_NAMES, SYLLABLES
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.store.migrate import migrate
from paymatch.store.sealing import POSTING_ACCOUNT_END, POSTING_PARTY, Vault
from paymatch.store.statements.posting_documents import sealed_facts
from paymatch.store.statements.posting_queue import QueueFilter
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.matching import queue
from paymatch.usecases.orders import order_lists
from paymatch.usecases.search.finding import find
from paymatch.usecases.search.writing import gather_segments, write_missing
from paymatch.usecases.shops import shops

MOST_MS: Final = 150
TIMES: Final = 7
IBAN: Final = "DE53677979049691425502"
NOW: Final = datetime(2026, 11, 4, 9, tzinfo=UTC)
DAY: Final = date(2026, 11, 3)
_COMMON: Final = 300
_ORDER_COLUMNS: Final = (
    "shop_id, number, doc, type, order_date, currency, digits, amount_minor, status, reference, postings_minor,"
    " created_at, updated_at, since_date"
)
_POSTING_COLUMNS: Final = (
    "shop_id, id, import_id, statement_id, account, currency, digits, amount_minor, booking_date, bank_reference,"
    " entry_reference, batch_id, is_return, end_to_end_id, counterparty_name, counterparty_iban,"
    " counterparty_account_end, remittance, facts, source, format, status, allocated_minor, created_at, since_date"
)
_ALLOCATION_COLUMNS: Final = (
    "shop_id, posting_id, order_number, amount_minor, order_amount_minor, kind, by_hand, created_at"
)


def family_names(rng: random.Random) -> Iterator[str]:
    """Names without end: two in three are common ones."""
    common = ["".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 3))).capitalize() for _ in range(_COMMON)]
    while True:
        rare = "".join(rng.choice(SYLLABLES) for _ in range(4)).capitalize()
        yield rng.choice(common) if rng.random() < 0.67 else rare


def rows(shop: ShopId, vault: Vault, count: int) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]]:
    """(order, posting, allocation) of each customer; the last one is who telephones."""
    rng = random.Random(1)
    names = family_names(rng)
    for place in range(count):
        first, last = rng.choice(FIRST_NAMES), next(names)
        if place == count // 2:
            first, last = "Marie", "Iversen"
        number, minor, day = (
            f"WT-{100_000 + place}",
            rng.randint(500, 20_000),
            DAY - timedelta(days=rng.randint(0, 365)),
        )
        doc = {
            "number": number, "customerNumber": str(7_000_000 + place), "customerEmail": f"{first}.{last}@post.example",
            "invoiceNumbers": [f"RE 2026-{200_000 + place}"],
            "billing": {
                "firstName": first, "lastName": last, "street": f"{next(names)}straße {rng.randint(1, 99)}",
                "postCode": f"{rng.randint(1000, 99999):05}", "city": next(names), "countryCode": "DE",
            },
        }  # fmt: skip
        reference = f"RF{rng.randint(10, 97)}{rng.randint(10**9, 10**10)}"
        bank = rng.choice([37040044, 50010517, 20041155, 76026000])
        account = f"DE{rng.randint(10, 97)}{bank}{rng.randint(10**9, 10**10 - 1)}"
        text = f"Bestellung {number} vom {day:%d.%m.%Y} {reference if rng.random() < 0.3 else 'vielen Dank'}"
        posting = Posting(
            account=IBAN, currency=EUR, amount_minor=minor, booking_date=day, bank_reference=f"B{place:012}",
            counterparty_name=f"{last} {first}", counterparty_iban=account, remittance_lines=(text,),
        )  # fmt: skip
        order = (
            shop,
            number,
            json.dumps(doc),
            "PREPAYMENT",
            day,
            "EUR",
            2,
            minor,
            "PAID",
            reference,
            minor,
            NOW,
            NOW,
            day,
        )
        booked = (
            shop, f"pst_{place:020}", "i", "s", IBAN, "EUR", 2, minor, day, posting.bank_reference, "", "", False, "",
            posting.counterparty_name, vault.seal(POSTING_PARTY, account),
            vault.seal(POSTING_ACCOUNT_END, account[-4:]), text,
            sealed_facts(posting, vault), "FINAL", "CAMT053", "matched", minor, NOW, day,
        )  # fmt: skip
        yield order, booked, (shop, booked[1], number, minor, minor, "payment", False, NOW)


def fill(url: str, database: Database, shop: Shop, count: int) -> tuple[str, str]:
    """Copies the rows in; the account and the reference of who telephones."""
    vault = KEYRING.vault(shop.id)
    kept = list(rows(ShopId(shop.id), vault, count))
    with psycopg.connect(url) as connection:
        for table in ("orders", "postings", "allocations"):
            connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY".encode())
        for place, (table, columns) in enumerate(
            (("orders", _ORDER_COLUMNS), ("postings", _POSTING_COLUMNS), ("allocations", _ALLOCATION_COLUMNS))
        ):
            with connection.cursor().copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy:
                for row in kept:
                    copy.write_row(row[place])
        for table in ("orders", "postings", "allocations"):
            connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY".encode())
    begun = time.perf_counter()
    while write_missing(database, ShopId(shop.id)).more:
        pass
    print(f"{count} orders and postings made searchable in {time.perf_counter() - begun:.0f} s")
    begun = time.perf_counter()
    gathered = gather_segments(database, ShopId(shop.id))
    print(f"{gathered} rows gathered into segments in {time.perf_counter() - begun:.0f} s")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        for table in ("order_search", "posting_search", "search_segments"):
            size = connection.execute("SELECT pg_total_relation_size(%s)", (table,)).fetchone() or (0,)
            print(f"{table}: {size[0] / count:.0f} bytes a row with its index")
    order, posting, _allocation = kept[count // 2]
    return vault.open(POSTING_PARTY, posting[15]), order[9]


def measure(database: Database, shop: Shop, ask: Callable[[ShopTx], Any], server: int) -> float:
    """Milliseconds that a question computes, here and in PostgreSQL: those of its answer on a machine of its own."""
    before, own = postgres_cpu_seconds(server), time.process_time()
    for _ in range(TIMES):
        with database.of_shop(shop, at=NOW) as tx:
            ask(tx)
    return 1000 * (time.process_time() - own + postgres_cpu_seconds(server) - before) / TIMES


def wordings_of(number: int, account: str, reference: str) -> list[str]:
    """What callers say: rare and frequent, exact and mistyped, words, numbers, amounts, long texts."""
    return [
        "Marie Iversen", "iversen marie", "Iverson", "Marie Iverson", "Marei Iverson", "Marie", "Hans", "Anna Bodo",
        "anna babebi", "Gerde", "Gerde Bodu", "Paul Roessler", "Paul Rößler", "Jan", "an", "a", "xq", "9",
        f"WT {number}", f"wt{number}", f"wt{number}".replace("5", "6"), str(number), "42", "0042", "2026", "15 01 2026",
        "20260101 99999", reference, f"{reference[:4]} {reference[4:8]} {reference[8:]}", account, account[4:12],
        account[10:14], account[-4:], account[12:20], "58,30", "19,90", "19.90 EUR", "100", "vielen Dank",
        "vielen Dunk", "Bestellung", "bestellung vom", "post.example", "strasse", "straße 12", "nothing",
        f"Bestellung WT-{number} vom 24.12.2025 Marie Iversen vielen Dank fuer die schnelle Lieferung und alles Gute",
        "Sehr geehrte Damen und Herren, ich habe am Dienstag den Betrag von 58,30 Euro an Sie ueberwiesen " * 2,
    ]  # fmt: skip


def main() -> None:
    """Prints a line for each wording: the dialog, the list of orders, the list of postings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=100_000)
    count = parser.parse_args().orders
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder), durable=False) as url:
        migrate(url)
        database = Database(url, size=2, keyring=KEYRING)
        shop = shops.create(database, "Search", NOW, ibans=[IBAN]).shop
        account, reference = fill(url, database, shop, count)
        wordings = wordings_of(100_000 + count // 2, account, reference)
        server = postgres_of(url)
        print(f"{'':28} {'dialog':>8} {'orders':>8} {'postings':>8} ms")
        for text in wordings:
            wanted = QueueFilter("automatic", text)
            taken = [
                measure(database, shop, partial(find, text=text, limit=5), server),
                measure(database, shop, partial(order_lists.page, text=text, asked=AskedPage(50, counts=True)), server),
                measure(database, shop, partial(queue.list_postings, wanted=wanted, limit=50), server),
            ]
            over = "  !" if max(taken) > MOST_MS else ""
            print(f"{text[:28]:28} {taken[0]:8.1f} {taken[1]:8.1f} {taken[2]:8.1f}{over}")
        database.close()


if __name__ == "__main__":
    main()
