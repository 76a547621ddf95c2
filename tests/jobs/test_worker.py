"""The worker: what it does beside sending."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from paymatch.jobs.worker import Worker
from paymatch.outbound.http import NullHttp
from paymatch.store.database import Database
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, new_world
from tests.usecases.callbacks.test_callbacks import answer, claim, record


@pytest.fixture
def world(migrated_url: str) -> Iterator[World]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    yield new_world(database)
    database.close()


def attempts(world: World) -> list[tuple[object, ...]]:
    return world.rows("SELECT attempt FROM callback_attempts WHERE shop_id = $1 ORDER BY attempt")


def test_drain_sends_what_is_due_and_forgets_old_attempts(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    record(world, claim(world)[0], answer(500))
    world.pass_time(days=31)
    door = NullHttp()
    Worker(world.database, door, world.clock).drain()
    assert len(door.calls) == 1
    assert attempts(world) == [(2,)]


def test_attempts_of_the_last_thirty_days_are_kept(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    record(world, claim(world)[0], answer(500))
    world.pass_time(days=29)
    Worker(world.database, NullHttp(), world.clock).drain()
    assert attempts(world) == [(1,), (2,)]
    (row,) = world.rows("SELECT finished_at FROM callbacks WHERE shop_id = $1")
    assert isinstance(row[0], datetime)
