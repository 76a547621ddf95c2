"""Alerts about the shop's receiver: raised by the worker right after the cause, closed when it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from paymatch.jobs.worker import Worker
from paymatch.outbound.http import HttpAnswer, HttpCall, NullHttp
from paymatch.store.database import Database
from paymatch.usecases import callbacks
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.alerts import list_alerts
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import START, World, new_world, with_callbacks


@pytest.fixture
def world(migrated_url: str) -> Iterator[World]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    yield new_world(database)
    database.close()


class Shop:
    """A receiver whose answer the test chooses, and the worker that calls it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.status = 200

    def __call__(self, _call: HttpCall) -> HttpAnswer:
        return HttpAnswer(self.status, b"", truncated=False, retry_after=None, elapsed_seconds=0.0, address="")

    def work(self) -> list[tuple[str, str]]:
        """One worker does what is due, callbacks and then what they have woken; the open alerts."""
        with capture_logs():
            for _ in range(2):
                Worker(self.world.database, NullHttp(self), self.world.clock).drain()
        return [(row["kind"], row["text"]) for row in self.alerts()]

    def alerts(self) -> list[dict[str, Any]]:
        return list_alerts(self.world.database, self.world.shop)


@pytest.fixture
def shop(world: World) -> Shop:
    return Shop(world)


PAUSED = (
    "callbacks-paused",
    "The receiver answered 410, so callbacks are paused until you resume them",
)


def test_receiver_that_is_gone(world: World, shop: Shop) -> None:
    world.add_order("1")
    world.set_paid("1")
    shop.status = 410
    assert shop.work() == [PAUSED]
    assert shop.alerts()[0]["subject"] == "2026-03-02T09:30:00"
    world.pass_time(hours=12)
    assert shop.work() == [PAUSED]
    shop.status = 200
    with world.database.of_shop(world.shop) as tx:
        callbacks.resume(tx)
    assert shop.work() == []


def test_receiver_that_comes_back_broken_is_no_longer_paused(world: World, shop: Shop) -> None:
    world.add_order("1")
    world.set_paid("1")
    shop.status = 410
    shop.work()
    shop.status = 500
    with world.database.of_shop(world.shop) as tx:
        callbacks.resume(tx)
    assert shop.work() == []


def test_receiver_that_fails_for_hours(world: World, shop: Shop) -> None:
    world.add_order("1")
    world.add_order("2")
    world.set_paid("1")
    world.pass_time(minutes=30)
    world.set_paid("2")
    shop.status = 500
    seen = []
    for _ in range(4 * 7):
        if found := shop.work():
            seen.append((world.now, found))
        world.pass_time(minutes=15)
    ((raised_at, alerts), *later) = seen
    text = "1 callback has been failing since 2026-03-02 09:30 UTC: receiver answered 500"
    assert alerts == [("callbacks-failing", text)]
    assert timedelta(hours=6) <= raised_at - START <= timedelta(hours=6, minutes=16)
    assert [found for _, found in later] == [alerts] * len(later)
    done = world.rows("SELECT done FROM shop_jobs WHERE shop_id = $1 AND kind = 'alerts'")
    assert done == [(1,)]  # the alert is open: further failures are no news
    shop.status = 200
    world.pass_time(minutes=15)
    assert shop.work() == []


def test_callbacks_that_were_given_up(world: World, shop: Shop) -> None:
    for number in ("1", "2"):
        world.add_order(number)
        world.set_paid(number)
    shop.status = 503
    shop.work()
    world.pass_time(days=7)
    assert shop.work() == [
        (
            "callbacks-given-up",
            "2 callbacks were given up on 2026-03-09, first of order 1: receiver answered 503."
            " Send them again once the receiver works",
        )
    ]
    shop.status = 200
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert callbacks.resend_failed(tx, world.now - timedelta(days=8)) == 2
    assert shop.work() == []


def test_test_events_and_shops_without_callbacks_raise_nothing(world: World, shop: Shop) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callbacks.send_test(tx)
    shop.status = 500
    assert shop.work() == []
    world.add_order("1")
    world.set_paid("1")
    shop.status = 410
    shop.work()
    with_callbacks(world.database, world.shop, "https://shop.example/callback", on=False)
    world.pass_time(days=1)
    assert shop.work() == []
    row = next(row for row in shop_jobs.jobs(world.database, world.shop) if row.kind == "alerts")
    assert row.last_result == "0 raised, 1 resolved"
