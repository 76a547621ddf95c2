"""Retention: what goes after how long, in bounded batches, and what stays."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.sandbox import sandbox as sandbox_store
from paymatch.store.sandbox.sandbox import SimulatedBankFile
from paymatch.store.shops import shops as shop_store
from paymatch.store.work import alerts as alert_store
from paymatch.usecases import callbacks
from paymatch.usecases.privacy.retention import Forgotten, forget_old
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import START, World, new_world
from tests.usecases.callbacks.test_callbacks import answer, claim, record


@pytest.fixture
def world(module_url: str) -> Iterator[World]:
    database = Database(module_url, size=2, keyring=KEYRING)
    yield new_world(database)
    database.close()


def forgotten(world: World) -> dict[str, int]:
    found = forget_old(world.database, world.shop, world.now)
    assert not found.more
    return found.counts


def test_keys_go_ninety_days_after_they_became_invalid(world: World) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        (first,) = shop_store.keys(tx)
        shops.roll_key(tx, first.id, timedelta(days=1))
        shops.create_key(tx, expires=world.now + timedelta(days=400))
    world.pass_time(days=91)
    assert forgotten(world) == {}
    world.pass_time(seconds=1)
    assert forgotten(world) == {"invalid API keys": 1}
    with world.database.of_shop(world.id) as tx:
        assert first.id not in {key.id for key in shop_store.keys(tx)}
        assert len(shop_store.keys(tx)) == 2


def test_replaced_signing_secret_goes_with_its_overlap(world: World) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        new = callbacks.rotate_secret(tx)
    world.pass_time(hours=24)
    assert forgotten(world) == {}
    world.pass_time(seconds=1)
    assert forgotten(world) == {"replaced signing secrets": 1}
    with world.database.of_shop(world.id) as tx:
        assert shop_store.callback_secrets(tx)[1:] == (new, "", None)


def test_test_events_go_and_callbacks_of_orders_stay(world: World) -> None:
    world.add_order("1")
    world.set_paid("1")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        callbacks.send_test(tx)
    for outgoing in claim(world):
        record(world, outgoing, answer(200))
    world.pass_time(days=31)
    assert forgotten(world) == {"attempts of callbacks": 2, "test events": 1}
    assert world.rows("SELECT order_number, status FROM callbacks WHERE shop_id = $1") == [("1", "DELIVERED")]


def test_alerts_that_closed_by_themselves_go_after_a_year(world: World) -> None:
    with world.database.of_shop(world.id) as tx:
        for subject in ("open", "closed", "by hand"):
            assert alert_store.add(tx, AlertKind.UNREADABLE, subject, Message("alert-mail-kept"), world.now)
        ids = {row.subject: row.id for row in alert_store.alerts(tx)}
        alert_store.resolve(tx, [ids["closed"]], world.now, by_hand=False)
        alert_store.resolve(tx, [ids["by hand"]], world.now, by_hand=True)
    world.pass_time(days=366)
    assert forgotten(world) == {"closed alerts": 1}
    with world.database.of_shop(world.id) as tx:
        left = {row.subject for row in alert_store.alerts(tx, with_resolved=True)}
    assert left == {"open", "by hand"}


def test_files_of_the_simulated_bank_go_but_for_the_latest_by_the_shops_clock(world: World) -> None:
    shop = shops.create(world.database, "Sandbox", START, sandbox=True, start=START).shop
    with world.database.of_shop(shop) as tx:
        for name, at in (("a", START), ("b", START + timedelta(days=1)), ("c", START + timedelta(days=2))):
            sandbox_store.add_file(tx, SimulatedBankFile(name, name, "x", START.date(), b""), at)
            sandbox_store.set_imported(tx, name, at)
    real = START + timedelta(days=1000)
    assert forget_old(world.database, shop, real) == Forgotten({}, more=False)
    with world.database.of_shop(shop) as tx:
        sandbox_store.set_clock(tx, START + timedelta(days=200), held_until=START)
        moved = shop_store.load(tx)
    assert moved is not None
    assert forget_old(world.database, moved, real) == Forgotten({"files of the simulated bank": 2}, more=False)
    with world.database.of_shop(shop) as tx:
        assert [file.id for file in sandbox_store.files(tx, waiting=False)] == ["c"]


def test_a_run_is_bounded_and_the_next_goes_on(world: World) -> None:
    with world.database.of_shop(world.id) as tx:
        tx.run(
            "INSERT INTO callback_attempts SELECT $1, 'cb', n, $2, 1, 200, '', '', '', NULL"
            " FROM generate_series(1, 50) AS n RETURNING callback_id",
            world.id,
            START,
        )
    world.pass_time(days=31)
    first = forget_old(world.database, world.shop, world.now, batch=2)
    assert first == Forgotten({"attempts of callbacks": 40}, more=True)
    assert forget_old(world.database, world.shop, world.now, batch=2) == Forgotten(
        {"attempts of callbacks": 10}, more=False
    )
