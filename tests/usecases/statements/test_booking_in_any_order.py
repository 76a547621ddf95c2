"""The same payments in any order, with overlaps, in any mix of formats, end in the same books."""

from __future__ import annotations

import io
import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.contract.bodies import check_order, decode_orders
from paymatch.store.database import Database
from paymatch.store.statements.posting_documents import opened_facts, to_facts
from paymatch.usecases.matching.assigning import ignore
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.booking.scratch import LOT_SIZE
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.length import some, times
from tests.usecases.statements.bank_world import ACCOUNT, NOW, World, announcement, camt, downloads, mt940, table


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


def new_shop(database: Database, world: World) -> Shop:
    """A shop with an order for every second payment of the world."""
    new = shops.create(database, "Any order", NOW - timedelta(days=90), ibans=[ACCOUNT]).shop
    wanted: dict[str, str] = {}
    for line in world.lines:
        for part in line.parts:
            number = part.text.split()[1]
            if part.amount_minor > 0 and int(number[3:]) % 2:
                wanted[number] = f"{part.amount_minor / 100:.2f}"
    bodies = [
        {
            "number": number, "date": "01-03-2026", "type": "PREPAYMENT", "amount": amount, "currency": "EUR",
            "billing": {"lastName": f"Kundin {number}", "countryCode": "DE"},
        }
        for number, amount in wanted.items()
    ]  # fmt: skip
    checked = [check_order(body) for body in decode_orders(json.dumps(bodies).encode())]
    with database.of_shop(new, at=NOW) as tx:
        for start in range(0, len(checked), 100):
            orders.submit(tx, checked[start : start + 100])
    return new


def bring(database: Database, shop: Shop, files: Sequence[bytes], lot_size: int = LOT_SIZE) -> None:
    for place, content in enumerate(files):
        import_file(
            database,
            shop,
            io.BytesIO(content),
            f"{place}",
            NOW + timedelta(minutes=place),
            channel=StatementChannel.COMMAND_LINE,
            lot_size=lot_size,
        )


def import_of(database: Database, shop: Shop, content: bytes, lot_size: int) -> str:
    """The id of the import of a file."""
    at = NOW + timedelta(hours=1)
    way = StatementChannel.COMMAND_LINE
    return import_file(database, shop, io.BytesIO(content), "later", at, channel=way, lot_size=lot_size).import_id


def books(database: Database, shop: Shop) -> tuple[Counter[Any], Counter[Any]]:
    """Postings with all facts, and how the orders stand; without ids and moments."""
    with database.of_shop(shop) as tx:
        postings = tx.rows("SELECT facts, source, format FROM postings WHERE shop_id = $1", shop.id)
        found = tx.rows("SELECT number, status FROM orders WHERE shop_id = $1", shop.id)
        vault = tx.vault()  # each shop seals accounts in its own way
    said = [(to_facts(opened_facts(facts, vault)), source, file_format) for facts, source, file_format in postings]
    return Counter(said), Counter(found)


def sums(world: World) -> Counter[tuple[str, int]]:
    """What the account must show: day and amount of every payment."""
    return Counter((str(part.booking_date), part.amount_minor) for line in world.lines for part in line.parts)


def sums_of(database: Database, shop: Shop) -> Counter[tuple[str, int]]:
    with database.of_shop(shop) as tx:
        rows = tx.rows("SELECT booking_date::text, amount_minor FROM postings WHERE shop_id = $1", shop.id)
    return Counter((row[0], row[1]) for row in rows)


SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
WORLDS = [
    World(1, 40, days=6),
    World(2, 40, days=6, references=1.0, batches=0.2),
    World(3, 40, days=6, references=0.0, batches=0.0, twins=0.5, shifted=0.0),
    World(4, 40, days=6, references=0.3, twins=0.4),
    World(37, 60, days=6, references=0.6, batches=0.5, twins=0.0, shifted=0.2, amounts=(1000, 2000, 3000)),
]


@pytest.mark.parametrize("world", some(WORLDS, 3), ids=lambda world: f"seed {world.seed}")
def test_every_order_ends_in_the_same_books(database: Database, world: World) -> None:
    files = [*downloads(world), table(world, 0, world.days - 1), table(world, 1, 3)]
    wanted: tuple[Counter[Any], Counter[Any]] | None = None
    for seed in range(20 if SOAK else times(2, 3)):
        shop = new_shop(database, world)
        mixed = [*files, *random.Random(seed).sample(files, 3)]
        random.Random(seed).shuffle(mixed)
        bring(database, shop, mixed)
        assert sums_of(database, shop) == sums(world), f"order {seed}"
        found = books(database, shop)
        wanted = wanted or found
        assert found == wanted, f"order {seed}"
        assert check_shop(database, shop) == []


def test_a_thousand_lines(database: Database) -> None:
    """50 orders of a thousand lines in `make soak`, two of two hundred in `make long`, of a hundred otherwise."""
    world = World(7, 1000 if SOAK else times(100, 200), days=10)
    files = [*downloads(world), table(world, 0, world.days - 1)]
    wanted: tuple[Counter[Any], Counter[Any]] | None = None
    for seed in range(50 if SOAK else 2):
        shop = new_shop(database, world)
        bring(database, shop, random.Random(seed).sample(files, len(files)))
        assert sums_of(database, shop) == sums(world), f"order {seed}"
        found = books(database, shop)
        wanted = wanted or found
        assert found == wanted, f"order {seed}"


@pytest.mark.long
@pytest.mark.parametrize("amounts", [(1990,), ()] if SOAK else [(1990,)], ids=str)
def test_files_longer_than_a_lot(database: Database, amounts: tuple[int, ...]) -> None:
    """More than 2,000 entries in each file: ten orders of six files and more in `make soak`, both of two otherwise."""
    world = World(8, LOT_SIZE + 100, days=3, amounts=amounts)
    last = world.days - 1
    assert len(world.lines) > LOT_SIZE
    files = [camt(world, 0, last), mt940(world, 0, last)]
    if SOAK:
        files += [table(world, 0, last)]
        files += [
            announcement(world, message, world.lines) for message in (CamtMessage.INTRADAY, CamtMessage.NOTIFICATION)
        ]
        files.append(camt(world, 0, last, version="001.02", divided=False))
    wanted: tuple[Counter[Any], Counter[Any]] | None = None
    for seed in range(10 if SOAK else 2):
        shop = shops.create(database, "Long files", NOW - timedelta(days=90), ibans=[ACCOUNT]).shop
        bring(database, shop, random.Random(seed).sample(files, len(files)) if SOAK else files[:: 1 - 2 * seed])
        assert sums_of(database, shop) == sums(world), f"order {seed}"
        found = books(database, shop)
        wanted = wanted or found
        assert found == wanted, f"order {seed}"


HARD: dict[str, Any] = {"references": 0.6, "batches": 0.4, "twins": 0.0, "shifted": 0.2, "amounts": (1000, 2000, 3000)}
LOT_SIZES = (LOT_SIZE, 3, 5)


@pytest.mark.parametrize("seed", range(1000) if SOAK else (20396, 4))
def test_some_files_in_any_order_with_undo_in_between(database: Database, seed: int) -> None:
    """Incomplete worlds: the same files give the same books, and what is undone leaves no trace.

    However many entries are booked at once: in lots of few nearly every sum is read some days at a time.
    """
    world = World(seed, count=8, days=4, **HARD)
    files = downloads(world)
    chance = random.Random(seed)
    some = chance.sample(files, 4)
    wanted: tuple[Counter[Any], Counter[Any]] | None = None
    for lot_size in LOT_SIZES:
        shop = new_shop(database, world)
        first, *rest = chance.sample(some[:3], 3)
        bring(database, shop, [first], lot_size)
        undone = import_of(database, shop, some[3], lot_size)
        bring(database, shop, rest, lot_size)
        undo_import(database, shop, undone, NOW + timedelta(hours=2), lot_size)
        found = books(database, shop)
        wanted = wanted or found
        assert found == wanted
        assert check_shop(database, shop) == []


@pytest.mark.parametrize("seed", range(100) if SOAK else (11,))
def test_what_a_person_decided_stays_in_any_order(database: Database, seed: int) -> None:
    world = World(seed, count=8, days=4, **HARD)
    files = downloads(world)
    chance = random.Random(seed)
    first, *rest = chance.sample(files, 5)
    wanted: tuple[Counter[Any], Counter[Any]] | None = None
    for lot_size in LOT_SIZES:
        shop = new_shop(database, world)
        bring(database, shop, [first], lot_size)
        decided = [row for row in by_day(database, shop) if row.status != "matched"]
        for row in decided[::2]:
            ignore(database, shop, row.id, "no order", NOW)
        bring(database, shop, chance.sample(rest, len(rest)), lot_size)
        after = {(row.id, row.amount_minor) for row in by_day(database, shop)}
        assert {(row.id, row.amount_minor) for row in decided[::2]} <= after
        found = books(database, shop)
        wanted = wanted or found
        assert found == wanted
        assert check_shop(database, shop) == []


def by_day(database: Database, shop: Shop) -> list[Any]:
    """Postings in an order of what they say."""
    with database.of_shop(shop) as tx:
        return tx.rows(
            "SELECT id, amount_minor, status FROM postings WHERE shop_id = $1"
            " ORDER BY booking_date, amount_minor, bank_reference, remittance",
            shop.id,
        )
