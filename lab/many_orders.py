"""Databases with very many open orders, for measuring: filled by COPY with the rows and keys that a submission writes.

Folders are kept and found again: a million orders take some minutes to prepare and a second to open.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.embedded import running_server
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.formats.contract import bodies
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops

IBAN: Final = "DE53677979049691425502"
NOW: Final = datetime(2026, 11, 4, 9, tzinfo=UTC)
DAY: Final = date(2026, 11, 3)
BULK: Final = 1000
_NAMES: Final = "Anna Bernd Clara Dieter Eva Frank Gerda Hans Ida Jan Karin Lars Mia Nils Olga Paul Rita Sven Tina Uwe"
FIRST_NAMES: Final = _NAMES.split()
SYLLABLES: Final = [a + b for a in "bdfgklmnprstw" for b in "aeiou"]


@dataclass(frozen=True, slots=True)
class Customer:
    """One order and how its customer will pay."""

    number: str
    invoice: str
    first: str
    last: str
    minor: int
    ordered: date


def large_shop(rng: random.Random, place: int) -> Customer:
    """A customer with one order; numbers of seven digits and amounts of all kinds, as a large shop has them."""
    last = "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4))).capitalize()
    first, minor, ordered = rng.choice(FIRST_NAMES), rng.randint(500, 20000), DAY - timedelta(days=rng.randint(1, 90))
    return Customer(f"B{2_000_000 + place}", f"RE{7_000_000 + place}", first, last, minor, ordered)


def subscriptions(rng: random.Random, place: int) -> Customer:
    """A subscriber: everybody owes 19.90, and one in fifty is called Meier."""
    found = large_shop(rng, place)
    last = "Meier" if rng.random() < 0.02 else found.last
    return Customer(found.number, found.invoice, found.first, last, 1990, found.ordered)


KINDS: Final = {"large": large_shop, "subscriptions": subscriptions}


def customers(kind: str, count: int, seed: int = 1) -> list[Customer]:
    """The customers of a prepared shop: the same every time."""
    rng = random.Random(seed)
    make = KINDS[kind]
    return [make(rng, place) for place in range(count)]


def body_of(customer: Customer) -> dict[str, Any]:
    """The order as the shop submits it."""
    return {
        "number": customer.number,
        "date": f"{customer.ordered:%d-%m-%Y}",
        "type": "PREPAYMENT",
        "amount": f"{customer.minor / 100:.2f}",
        "currency": "EUR",
        "invoiceNumbers": [customer.invoice],
        "billing": {
            "firstName": customer.first, "lastName": customer.last, "postCode": "12345", "countryCode": "DE",
        },
    }  # fmt: skip


def statement(rng: random.Random, payers: Sequence[Customer], name: str) -> bytes:
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
    bookings = tuple(WrittenEntry((posting,)) for posting in postings)
    return write_camt([CamtStatement(IBAN, EUR, 0, DAY, DAY, name, 1, bookings)], NOW)


def submit(database: Database, shop: Shop, wanted: Sequence[Customer]) -> None:
    """Submits the orders in bulk calls, through the use case of the API."""
    for start in range(0, len(wanted), BULK):
        body = json.dumps([_order(customer) for customer in wanted[start : start + BULK]]).encode()
        submitted = [bodies.check_order(order) for order in bodies.decode_orders(body)]
        with database.of_shop(shop, at=NOW) as tx:
            orders.submit(tx, submitted)


def _order(customer: Customer) -> dict[str, Any]:
    return {
        "number": customer.number,
        "date": f"{customer.ordered:%d-%m-%Y}",
        "type": "PREPAYMENT",
        "amount": f"{customer.minor / 100:.2f}",
        "currency": "EUR",
        "invoiceNumbers": [customer.invoice],
        "billing": {
            "firstName": customer.first,
            "lastName": customer.last,
            "postCode": "12345",
            "countryCode": "DE",
        },
    }


def prepare(folder: Path, kind: str, count: int) -> Path:
    """The data directory with a shop of this kind and `count` open orders below `folder`; filled if it is not there.

    Filled means submitted as by API. Only the indexes of the look-up keys are made at the end, in one go, and nothing
    counts the rows: PostgreSQL has no statistics until `count_rows`.
    """
    home, unfinished = folder / f"{kind}-{count}", folder / f"{kind}-{count}-unfinished"
    if not home.exists():
        shutil.rmtree(unfinished, ignore_errors=True)
        with running_server(unfinished, durable=False) as url:
            _fill(url, kind, count)
        unfinished.rename(home)
    return home


@contextmanager
def copied(prepared: Path) -> Iterator[str]:
    """The URL of a running copy of a prepared directory, which stays as it is; migrations since then are applied."""
    with tempfile.TemporaryDirectory(prefix="paymatch-", dir=prepared.parent) as folder:
        subprocess.run(["cp", "-a", "--reflink=auto", f"{prepared}/.", folder], check=True)
        with running_server(Path(folder), durable=False) as url:
            migrate(url)
            yield url


def only_shop(database: Database) -> Shop:
    """The shop of a prepared directory."""
    with database.of_all_shops() as tx:
        return shop_store.every(tx)[0]


def _fill(url: str, kind: str, count: int) -> None:
    migrate(url)
    database = Database(url, size=2)
    shop = shops.create(database, f"{kind} {count}", NOW, ibans=[IBAN]).shop
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET autovacuum = off")
        connection.execute("SELECT pg_reload_conf()")
        indexes = connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'match_keys' AND schemaname = 'public'"
        ).fetchall()
        connection.execute("ALTER TABLE match_keys DROP CONSTRAINT match_keys_pkey")
        connection.execute("DROP INDEX match_keys_by_number")
        submit(database, shop, customers(kind, count))
        connection.execute("SET maintenance_work_mem = '1GB'")
        for (definition,) in indexes:
            connection.execute(definition.encode())
        connection.execute("ALTER TABLE match_keys ADD PRIMARY KEY USING INDEX match_keys_pkey")
    database.close()


def forget_statistics(url: str) -> None:
    """PostgreSQL knows nothing of how many rows there are and what they hold, as right after they were written."""
    with psycopg.connect(url, autocommit=True) as connection:
        for (table,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall():
            connection.execute("SELECT pg_clear_relation_stats('public', %s)", (table,))
            connection.execute("DELETE FROM pg_statistic WHERE starelid = %s::regclass", (table,))


def count_rows(url: str) -> None:
    """PostgreSQL has statistics, as after its housekeeping."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
