"""The clock of a sandbox shop: who may move it, in which direction, and how far at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from paymatch.clock import utc_now
from paymatch.domain.sandbox import SandboxRefused
from paymatch.domain.shops import Shop
from paymatch.outbound.http import NullHttp
from paymatch.store import callbacks as callback_store
from paymatch.store import matching as match_store
from paymatch.store import shops as shop_store
from paymatch.store.database import Database, ShopId
from paymatch.usecases import orders, shops
from paymatch.usecases.sandbox_bank import book_other
from paymatch.usecases.sandbox_clock import held, move
from tests.usecases.callback_world import add_orders

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=2)
    yield opened
    opened.close()


def sandbox(database: Database, *, real: bool = False) -> Shop:
    new = shops.create(database, "Sandbox", START, sandbox=not real, start=None if real else START)
    with database.transaction(ShopId(new.shop.id)) as tx:
        shops.change(tx, new.shop, {"callbacks": "on", "callback-url": "https://shop.example/"})
        loaded = shop_store.load(tx, ShopId(new.shop.id))
    assert loaded is not None
    return loaded


def test_whoever_moves_the_clock_has_the_due_work_alone(database: Database) -> None:
    shop = sandbox(database)
    add_orders(database, ShopId(shop.id), ["A-1"], START)
    with database.transaction(ShopId(shop.id)) as tx:
        orders.set_paid(tx, shop, "A-1", START)
        book_other(tx, shop, 1000, "X", "y", START)

    def seen() -> tuple[int, int]:
        with database.transaction(None) as tx:
            return len(callback_store.due_targets(tx, utc_now())), len(match_store.shops_to_rematch(tx, utc_now()))

    assert seen() == (1, 0)
    with held(database, shop, utc_now):
        assert seen() == (0, 0)
        with pytest.raises(SandboxRefused, match="being moved by somebody else"), held(database, shop, utc_now):
            pass
        door = NullHttp()
        moved = move(database, shop, START + timedelta(days=1), door, utc_now)
        assert (moved.done, moved.files, moved.postings, moved.callbacks_delivered) == (True, 1, 1, 1)
        assert len(door.calls) == 1
    assert seen() == (0, 0)
    with held(database, shop, utc_now):
        pass  # given back


def test_a_clock_that_was_left_held_is_free_again_after_a_while(database: Database) -> None:
    shop = sandbox(database)
    later = utc_now() + timedelta(minutes=3)
    with held(database, shop, utc_now), held(database, shop, lambda: later):
        pass


def test_the_clock_never_goes_back_nor_too_far(database: Database) -> None:
    shop = sandbox(database)
    with held(database, shop, utc_now):
        for until, words in (
            (START - timedelta(seconds=1), "never goes back"),
            (START + timedelta(days=4000), "at most 10 years"),
        ):
            with pytest.raises(SandboxRefused, match=words):
                move(database, shop, until, NullHttp(), utc_now)
    with database.transaction(ShopId(shop.id)) as tx:
        loaded = shop_store.load(tx, ShopId(shop.id))
    assert loaded is not None and loaded.sandbox_now == START


def test_a_journey_that_takes_too_long_goes_on_with_the_next_call(database: Database) -> None:
    shop = sandbox(database)
    with database.transaction(ShopId(shop.id)) as tx:
        book_other(tx, shop, 1000, "X", "y", START)
    until = START + timedelta(days=2)
    with held(database, shop, utc_now):
        first = move(database, shop, until, NullHttp(), utc_now, seconds=-1)
        assert (first.done, first.reached, first.files) == (False, START, 0)
        second = move(database, shop, until, NullHttp(), utc_now)
        assert (second.done, second.reached, second.files) == (True, until, 1)


def test_real_shops_have_neither_clock_nor_bank(database: Database) -> None:
    shop = sandbox(database, real=True)
    with pytest.raises(SandboxRefused, match="Only sandbox shops"), held(database, shop, utc_now):
        pass
    with database.transaction(ShopId(shop.id)) as tx, pytest.raises(SandboxRefused, match="Only sandbox shops"):
        book_other(tx, shop, 1000, "X", "y", START)
