"""Dense days with chained statements and pages: the books are the same in any order, and as the balances say (D-81)."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from paymatch.domain.books.booked_postings import postings_of_entry
from paymatch.domain.books.fold import fold
from paymatch.domain.books.statement_lines import ShownEntry
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.statements import statement_lines
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.booking.known_lines import Places
from paymatch.usecases.statements.booking.scratch import LOT_SIZE
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.work.check import check_shop
from tests.formats.corpus_files import corpus_folder
from tests.keys import KEYRING
from tests.length import times
from tests.usecases.statements.bank_world import ACCOUNT, NOW
from tests.usecases.statements.dense_world import DenseWorld
from tests.usecases.statements.test_booking_in_any_order import SOAK, books, bring, import_of

AT_ONCE = 5
_ALWAYS = date(1, 1, 1), date(9999, 1, 1)


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


def new_shop(database: Database, account: str = ACCOUNT, at: datetime = NOW) -> Shop:
    return shops.create(database, "Dense", at - timedelta(days=90), ibans=[account]).shop


def folded_at_once(database: Database, shop: Shop, account: str = ACCOUNT) -> Counter[Any]:
    """Day, amount and source of each posting as all lines give them without any window."""
    with database.of_shop(shop) as tx:
        amounts = [row[0] for row in tx.rows("SELECT entry_minor FROM statement_lines WHERE shop_id = $1", shop.id)]
        rows = statement_lines.near(tx, account, "EUR", sorted(set(amounts)), *_ALWAYS)
        places = Places(tx, ShopId(shop.id)).of(account, "EUR")
        places.cover(NOW.date() - timedelta(days=400), NOW.date() + timedelta(days=400))
    entries = []
    for _, same in itertools.groupby(rows, key=lambda row: (row.by.id, row.position)):
        lines = list(same)
        by = lines[0].by.with_place(places.get(lines[0].by.id))
        entries.append(ShownEntry(by, lines[0].position, tuple(line.facts for line in lines)))
    own = [posting.resolved for booked in fold(entries) for posting in postings_of_entry(booked)]
    return Counter((str(each.posting.booking_date), each.posting.amount_minor, str(each.source)) for each in own)


def stored(database: Database, shop: Shop) -> Counter[Any]:
    with database.of_shop(shop) as tx:
        rows = tx.rows("SELECT booking_date::text, amount_minor, source FROM postings WHERE shop_id = $1", shop.id)
    return Counter(tuple(row) for row in rows)


def final_sums(found: Counter[Any]) -> Counter[date]:
    sums: Counter[date] = Counter()
    for (day, amount, source), count in found.items():
        if source == "FINAL":
            sums[date.fromisoformat(day)] += amount * count
    return sums


@pytest.mark.parametrize("first", range(0, 2000 if SOAK else times(5, 60), AT_ONCE))
def test_a_dense_world_has_one_set_of_books(database: Database, first: int) -> None:
    """Two orders, the second in lots of few and with a file that is undone in between; and what the balances prove."""
    for seed in range(first, first + AT_ONCE):
        world = DenseWorld(seed)
        files = world.files()
        chance = random.Random(seed)
        wanted: tuple[Counter[Any], Counter[Any]] | None = None
        for lot_size in (LOT_SIZE, 5):
            shop = new_shop(database)
            *before, last = chance.sample(files, len(files))
            bring(database, shop, before, lot_size)
            undone = import_of(database, shop, last, lot_size)
            if lot_size != LOT_SIZE:
                undo_import(database, shop, undone, NOW + timedelta(hours=2), lot_size)
                bring(database, shop, [last], lot_size)
            found = books(database, shop)
            wanted = wanted or found
            assert found == wanted, f"world {seed}"
            assert check_shop(database, shop) == [], f"world {seed}"
            kept = stored(database, shop)
            assert kept == folded_at_once(database, shop), f"world {seed}"
            booked, happened = final_sums(kept), world.sums()
            assert all(booked[day] == happened[day] for day in {*booked, *happened}), f"world {seed}"


def _import_all(database: Database, files: Sequence[bytes], account: str, at: datetime) -> Shop:
    shop = new_shop(database, account, at)
    bring(database, shop, files)
    return shop


@pytest.mark.corpus
def test_six_files_in_many_orders(database: Database) -> None:
    """Files whose books once depended on their order: a posting kept the day of a line that had gone to another."""
    corpus = corpus_folder()
    folder = corpus.parent / "inputs" / "any-order" if corpus is not None else None
    if folder is None or not folder.is_dir():
        pytest.skip("the files are not there")
    files = [path.read_bytes() for path in sorted(folder.iterdir())]
    orders = list(itertools.permutations(range(len(files))))
    some = [(3, 5, 4, 0, 1, 2), (1, 2, 3, 5, 0, 4), *random.Random(31).sample(orders, 720 if SOAK else times(6, 24))]
    account, at = "DE09120300000001000235", datetime(2025, 7, 14, 12, tzinfo=UTC)
    wanted: Counter[Any] | None = None
    for order in some:
        shop = _import_all(database, [files[place] for place in order], account, at)
        found = books(database, shop)[0]
        wanted = wanted or found
        assert found == wanted, f"order {order}"
        assert stored(database, shop) == folded_at_once(database, shop, account)
    assert wanted is not None
    assert wanted.total() == 33
