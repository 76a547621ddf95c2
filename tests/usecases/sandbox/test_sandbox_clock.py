"""The clock of a sandbox shop: who may move it, in which direction, and how far at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from paymatch.clock import utc_now
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.shops.shop import Shop
from paymatch.jobs.worker import Worker
from paymatch.outbound.http import NullHttp
from paymatch.store.callbacks import callbacks as callback_store
from paymatch.store.database import Database
from paymatch.store.matching import matching as match_store
from paymatch.store.shops import shops as shop_store
from paymatch.store.shops.shops import SHOP_NOW
from paymatch.store.transactions import ShopId
from paymatch.usecases.orders import orders
from paymatch.usecases.sandbox.simulated_bank import book_other
from paymatch.usecases.shops import shops
from paymatch.usecases.work.sandbox_clock import ClockAdvance, hold_due_work, move
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import add_orders

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


def sandbox(database: Database, *, real: bool = False) -> Shop:
    new = shops.create(database, "Sandbox", START, sandbox=not real, start=None if real else START)
    with database.of_shop(new.shop) as tx:
        shops.change(tx, {"callbacks": "on", "callback-url": "https://shop.example/"})
        loaded = shop_store.load(tx)
    assert loaded is not None
    return loaded


def test_whoever_moves_the_clock_has_the_due_work_alone(database: Database) -> None:
    shop = sandbox(database)
    add_orders(database, ShopId(shop.id), ["A-1"], START)
    with database.of_shop(shop, at=START) as tx:
        orders.set_paid(tx, "A-1")
        book_other(tx, 1000, "X", "y")

    def seen() -> tuple[int, int]:
        with database.of_all_shops() as tx:
            return len(callback_store.due_targets(tx, utc_now())), len(match_store.shops_to_rematch(tx, utc_now()))

    assert seen() == (1, 0)
    with hold_due_work(database, shop, utc_now):
        assert seen() == (0, 0)
        with (
            pytest.raises(SandboxRefused, match="being moved by another caller"),
            hold_due_work(database, shop, utc_now),
        ):
            pass
        door = NullHttp()
        moved = move(database, shop, START + timedelta(days=1), door, utc_now)
        assert (moved.done, moved.files, moved.postings, moved.callbacks_delivered) == (True, 1, 1, 1)
        assert len(door.calls) == 1
    assert seen() == (0, 0)
    with hold_due_work(database, shop, utc_now):
        pass  # given back


def test_a_clock_that_was_left_held_is_free_again_after_a_while(database: Database) -> None:
    shop = sandbox(database)
    later = utc_now() + timedelta(minutes=3)
    with hold_due_work(database, shop, utc_now), hold_due_work(database, shop, lambda: later):
        pass


def test_the_clock_never_goes_back_nor_too_far(database: Database) -> None:
    shop = sandbox(database)
    with hold_due_work(database, shop, utc_now):
        for until, words in (
            (START - timedelta(seconds=1), "never goes back"),
            (START + timedelta(days=4000), "at most 10 years"),
        ):
            with pytest.raises(SandboxRefused, match=words):
                move(database, shop, until, NullHttp(), utc_now)
    with database.of_shop(shop) as tx:
        loaded = shop_store.load(tx)
    assert loaded is not None and loaded.sandbox_now == START


def test_a_journey_that_takes_too_long_goes_on_with_the_next_call(database: Database) -> None:
    shop = sandbox(database)
    with database.of_shop(shop, at=START) as tx:
        book_other(tx, 1000, "X", "y")
    until = START + timedelta(days=2)
    with hold_due_work(database, shop, utc_now):
        first = move(database, shop, until, NullHttp(), utc_now, seconds=-1)
        assert (first.done, first.reached, first.files) == (False, START, 0)
        second = move(database, shop, until, NullHttp(), utc_now)
        assert (second.done, second.reached, second.files) == (True, until, 1)


def test_real_shops_have_neither_clock_nor_bank(database: Database) -> None:
    shop = sandbox(database, real=True)
    with pytest.raises(SandboxRefused, match="Only sandbox shops"), hold_due_work(database, shop, utc_now):
        pass
    with database.of_shop(shop, at=START) as tx, pytest.raises(SandboxRefused, match="Only sandbox shops"):
        book_other(tx, 1000, "X", "y")


class Following:
    """A sandbox shop without a start of its own, in a real time that the test moves."""

    def __init__(self, database: Database) -> None:
        self.now = START
        self.database = database
        self.id = ShopId(shops.create(database, "Following", START, sandbox=True).shop.id)

    def __call__(self) -> datetime:
        return self.now

    @property
    def shop(self) -> Shop:
        with self.database.of_shop(self.id) as tx:
            loaded = shop_store.load(tx)
        assert loaded is not None
        return loaded

    def move(self, until: datetime) -> ClockAdvance:
        with hold_due_work(self.database, self.shop, self):
            return move(self.database, self.shop, until, NullHttp(), self)


def test_a_clock_follows_the_real_time_until_it_is_moved_ahead(database: Database) -> None:
    world = Following(database)
    assert world.shop.now(world()) == START
    world.now += timedelta(days=3)
    assert world.shop.now(world()) == START + timedelta(days=3)
    with pytest.raises(SandboxRefused, match="never goes back: it is 2026-03-05 08:00 UTC already"):
        world.move(START + timedelta(days=2))
    ahead = START + timedelta(days=10)
    assert world.move(ahead).reached == ahead
    world.now += timedelta(days=5)
    assert world.shop.now(world()) == ahead  # it stands until the real time catches up
    world.now = ahead + timedelta(hours=1)
    assert world.shop.now(world()) == ahead + timedelta(hours=1)
    assert world.move(ahead + timedelta(hours=2)).moments == 1


def test_a_clock_that_was_given_a_start_stands_there(database: Database) -> None:
    shop = sandbox(database)
    assert shop.now(START + timedelta(days=400)) == START
    with hold_due_work(database, shop, utc_now):
        moved = move(database, shop, START + timedelta(days=1), NullHttp(), utc_now)
    assert moved.reached == START + timedelta(days=1)
    with database.of_shop(shop) as tx:
        loaded = shop_store.load(tx)
    assert loaded is not None and loaded.now(utc_now()) == START + timedelta(days=1)


def test_the_bank_of_a_shop_that_follows_the_real_time_delivers_by_itself(database: Database) -> None:
    world = Following(database)
    with database.of_shop(world.shop, at=world()) as tx:
        book_other(tx, 1000, "X", "y")
    standing = sandbox(database)
    with database.of_shop(standing, at=START) as tx:
        book_other(tx, 1000, "X", "y")

    def postings() -> tuple[int, int]:
        Worker(database, NullHttp(), world).drain()
        with database.of_all_shops() as tx:
            counts = dict(tx.rows("SELECT shop_id, count(*) FROM postings WHERE status <> 'new' GROUP BY 1"))
        return counts.get(world.id, 0), counts.get(standing.id, 0)

    world.now += timedelta(hours=8)  # 17:00 in Berlin
    assert postings() == (0, 0)
    world.now += timedelta(hours=2)
    with hold_due_work(database, world.shop, world):
        assert postings() == (0, 0)
    assert postings() == (1, 0)
    assert postings() == (1, 0)


def test_all_questions_to_the_database_know_the_same_moment(database: Database) -> None:
    following, standing = Following(database), sandbox(database)
    real = shops.create(database, "Real", START).shop
    for clock in (START - timedelta(days=1), START, START + timedelta(days=1)):
        for shop in (following.shop, standing, real):
            with database.of_shop(shop) as tx:
                told = tx.value(f"SELECT {SHOP_NOW} FROM shops s WHERE s.shop_id = $2", clock, shop.id)
            assert told == shop.now(clock)
