"""The sender of callbacks against PostgreSQL and receivers on loopback."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from paymatch.clock import utc_now
from paymatch.domain.words.message import Message
from paymatch.jobs.callbacks import CallbackSender
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, HttpClient, HttpLimits, NoAnswerReason, NullHttp
from paymatch.store.database import Database
from tests.fakes.receivers import answering, plain, receiver
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, add_orders, new_world
from tests.waiting import PATIENCE_SECONDS, wait_until


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=6, keyring=KEYRING)
    yield opened
    opened.close()


def paid(world: World, numbers: list[str]) -> None:
    add_orders(world.database, world.id, numbers, world.now)
    for number in numbers:
        world.set_paid(number)


def counts(world: World) -> dict[str, int]:
    found = world.rows("SELECT status, count(*)::int FROM callbacks WHERE shop_id = $1 GROUP BY 1")
    return {str(status): int(str(count)) for status, count in found}


def ok() -> HttpAnswer:
    return HttpAnswer(200, b"", truncated=False, retry_after=None, elapsed_seconds=0.001, address="")


def test_drain_sends_everything_that_is_due_and_ends(database: Database) -> None:
    world = new_world(database, "https://drain.example/")
    numbers = [str(number) for number in range(100)]
    paid(world, numbers)
    for number in numbers[:20]:
        world.set_unpaid(number)
    door = NullHttp()
    CallbackSender(database, door, world.clock).drain()
    assert counts(world) == {"DELIVERED": 120}
    sent = [json.loads(call.body)["number"] for call in door.calls]
    assert sorted(sent) == sorted(numbers + numbers[:20])
    assert len({dict(call.headers)["webhook-id"] for call in door.calls}) == 120


def test_drain_of_one_shop_leaves_the_others_alone(database: Database) -> None:
    world, other = new_world(database, "https://one.example/"), new_world(database, "https://other.example/")
    paid(world, ["1", "2"])
    paid(other, ["1"])
    CallbackSender(database, NullHttp(), world.clock, shop=world.id).drain()
    assert (counts(world), counts(other)) == ({"DELIVERED": 2}, {"PENDING": 1})


def test_callbacks_of_an_order_are_sent_in_sequence(database: Database) -> None:
    world = new_world(database, "https://sequence.example/")
    add_orders(database, world.id, ["1", "2", "3"], world.now)
    for _ in range(5):
        for number in ("1", "2", "3"):
            world.set_paid(number)
            world.set_unpaid(number)
    under_way: set[str] = set()
    lock = threading.Lock()
    overlapping: list[str] = []
    ids: list[str] = []

    def answer(call: HttpCall) -> HttpAnswer:
        number = json.loads(call.body)["number"]
        with lock:
            if number in under_way:
                overlapping.append(number)
            under_way.add(number)
            ids.append(dict(call.headers)["webhook-id"])
        time.sleep(0.001)
        with lock:
            under_way.remove(number)
        return ok()

    CallbackSender(database, NullHttp(answer), world.clock).drain()
    expected = world.rows("SELECT order_number, id FROM callbacks WHERE shop_id = $1 ORDER BY order_number, order_seq")
    assert overlapping == []
    for number in ("1", "2", "3"):
        of_order = [str(row[1]) for row in expected if row[0] == number]
        assert [found for found in ids if found in of_order] == of_order


def test_two_senders_share_the_work(database: Database) -> None:
    world = new_world(database, "https://shared.example/")
    paid(world, [str(number) for number in range(60)])
    doors = [NullHttp(), NullHttp()]
    threads = [threading.Thread(target=CallbackSender(database, door, world.clock).drain) for door in doors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = [dict(call.headers)["webhook-id"] for door in doors for call in door.calls]
    assert (len(ids), len(set(ids))) == (60, 60)
    assert counts(world) == {"DELIVERED": 60}


def test_failure_is_recorded_and_does_not_stop_others(database: Database) -> None:
    world, other = new_world(database, "https://broken.example/"), new_world(database, "https://fine.example/")
    paid(world, ["1", "2"])
    paid(other, ["1"])

    def answer(call: HttpCall) -> HttpAnswer:
        if "broken" in call.url:
            raise CallFailed(NoAnswerReason.NOT_CONNECTED, Message("call-refused"), 0.001)
        return ok()

    CallbackSender(database, NullHttp(answer), world.clock).drain()
    assert (counts(world), counts(other)) == ({"PENDING": 2}, {"DELIVERED": 1})
    assert world.rows("SELECT DISTINCT last_error FROM callbacks WHERE shop_id = $1") == [
        ("receiver refused the connection",)
    ]


def test_bug_while_sending_is_a_failed_attempt(database: Database) -> None:
    world = new_world(database, "https://bug.example/")
    paid(world, ["1"])

    def answer(call: HttpCall) -> HttpAnswer:
        raise ZeroDivisionError

    CallbackSender(database, NullHttp(answer), world.clock).drain()
    assert world.rows("SELECT status, attempts, last_error FROM callbacks WHERE shop_id = $1") == [
        ("PENDING", 1, "internal error while sending")
    ]


def test_busy_host_is_no_attempt(database: Database) -> None:
    world = new_world(database, "https://busy.example/")
    paid(world, ["1"])
    busy = iter([True, False])

    def answer(call: HttpCall) -> HttpAnswer:
        if next(busy):
            raise CallFailed(NoAnswerReason.BUSY, Message("call-busy"), 0.1)
        return ok()

    CallbackSender(database, NullHttp(answer), world.clock).drain()
    assert world.rows("SELECT status, attempts FROM callbacks WHERE shop_id = $1") == [("DELIVERED", 1)]


def test_forbidden_url_is_a_failed_attempt_and_sends_nothing(database: Database) -> None:
    with receiver(answering(plain())) as running:
        world = new_world(database, running.url)
        paid(world, ["1"])
        CallbackSender(database, HttpClient(), world.clock).drain()
        assert running.connections == 0
    (row,) = world.rows("SELECT status, last_error FROM callbacks WHERE shop_id = $1")
    assert row == ("PENDING", "URL must begin with https://, not http://")


def test_change_reaches_a_healthy_receiver_beside_hanging_ones(database: Database) -> None:
    """The running sender polls by itself; the hanging receivers outnumber the quick lane's senders of one host."""
    deaf = [socket.create_server(("127.0.0.1", 0)) for _ in range(12)]
    worlds = [new_world(database, f"http://hanging-{i}.example:{s.getsockname()[1]}/") for i, s in enumerate(deaf)]
    client = HttpClient(
        allow_private=True,
        limits=HttpLimits(connect_seconds=1, total_seconds=2),
        resolver=lambda _host, _port: ["127.0.0.1"],
    )
    for world in worlds:
        world.now = utc_now()
        paid(world, ["1", "2"])
    with receiver(answering(plain(), stay=True)) as running:
        healthy = new_world(database, running.url)
        healthy.now = utc_now()
        sender = CallbackSender(database, client, utc_now, poll_seconds=0.05)
        sender.start()
        paid(healthy, ["1", "2", "3"])
        wait_until(lambda: counts(healthy) == {"DELIVERED": 3}, lambda: counts(healthy))
        assert [counts(world) for world in worlds] == [{"PENDING": 2}] * 12
        sender.stop()
        assert len(running.requests) == 3
    client.close()
    for listener in deaf:
        listener.close()


def test_stopping_gives_claims_back(database: Database) -> None:
    world = new_world(database, "https://stopped.example/")
    world.now = utc_now()
    paid(world, ["0"])
    entered, release = threading.Event(), threading.Event()

    def answer(call: HttpCall) -> HttpAnswer:
        if len(door.calls) > 1:
            entered.set()
            release.wait(PATIENCE_SECONDS)
        return ok()

    door = NullHttp(answer)
    sender = CallbackSender(database, door, utc_now, poll_seconds=0.02)
    sender.start()
    wait_until(lambda: counts(world) == {"DELIVERED": 1})
    paid(world, [str(number) for number in range(1, 21)])
    assert entered.wait(PATIENCE_SECONDS)
    stopper = threading.Thread(target=sender.stop)
    stopper.start()
    release.set()
    stopper.join()
    assert world.rows("SELECT count(*)::int FROM callbacks WHERE shop_id = $1 AND claimed_until IS NOT NULL") == [(0,)]
    assert counts(world).get("DELIVERED", 0) == len(door.calls)
