"""The worker stops hard at each boundary of a transaction in turn, or loses its database: nothing is lost."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter
from datetime import timedelta

import psycopg

from paymatch.clock import utc_now
from paymatch.jobs.callbacks import CallbackSender
from paymatch.outbound.http import HttpAnswer, HttpCall, HttpClient, NullHttp
from paymatch.store.database import Database
from tests.fakes.receivers import plain, receiver
from tests.hard_stop import PROCESSES
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, add_orders, new_world

LEASE = timedelta(seconds=1)


def stop_at(url: str, boundary: int) -> None:
    """A worker process that ends without a word at the `boundary`th end of a transaction."""
    seen = 0
    lock = threading.Lock()

    def at_boundary(_place: str) -> None:
        nonlocal seen
        with lock:
            seen += 1
            if seen >= boundary:
                os._exit(9)

    database = Database(url, size=4, at_boundary=at_boundary, keyring=KEYRING)
    CallbackSender(database, HttpClient(allow_private=True), utc_now, lease=LEASE, poll_seconds=0.02).drain()


def three_callbacks(database: Database, url: str) -> World:
    """Two changes of one order and one of another."""
    world = new_world(database, url)
    world.now = utc_now()
    add_orders(database, world.id, ["1", "2"], world.now)
    world.set_paid("1")
    world.set_unpaid("1")
    world.set_paid("2")
    return world


def test_worker_that_stops_at_any_boundary_loses_nothing(migrated_url: str) -> None:
    seen: list[str] = []

    def answer(connection: socket.socket, request: bytes) -> bool:
        seen.append(next(line[12:] for line in request.decode().split("\r\n") if line.startswith("webhook-id: ")))
        connection.sendall(plain())
        return True

    database = Database(migrated_url, size=2, keyring=KEYRING)
    with receiver(answer) as running:
        worlds = []
        # Each look, claim and record ends a transaction, with a boundary before and one after the commit.
        for boundary in range(1, 9):
            worlds.append(three_callbacks(database, running.url))
            process = PROCESSES.Process(target=stop_at, args=(migrated_url, boundary))
            process.start()
            process.join()
            assert process.exitcode == 9
        time.sleep(LEASE.total_seconds())
        client = HttpClient(allow_private=True)
        CallbackSender(database, client, utc_now, lease=LEASE, poll_seconds=0.02).drain()
        client.close()
    for world in worlds:
        rows = world.rows("SELECT id, status FROM callbacks WHERE shop_id = $1 ORDER BY order_number, order_seq")
        assert [row[1] for row in rows] == ["DELIVERED"] * 3
        first, second, other = (str(row[0]) for row in rows)
        assert seen.index(first) < seen.index(second)
        assert {first, second, other} <= set(seen)
    assert max(Counter(seen).values()) <= 1 + 8
    assert len(set(seen)) == 3 * 8
    database.close()


def test_sender_goes_on_after_its_connections_were_cut(migrated_url: str) -> None:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    world = new_world(database, "https://cut.example/")
    world.now = utc_now()
    numbers = [str(number) for number in range(200)]
    add_orders(database, world.id, numbers, world.now)
    for number in numbers:
        world.set_paid(number)

    def answer(_call: HttpCall) -> HttpAnswer:
        time.sleep(0.005)
        return HttpAnswer(200, b"", truncated=False, retry_after=None, elapsed_seconds=0.005, address="")

    door = NullHttp(answer)
    sender = CallbackSender(database, door, utc_now, lease=LEASE, poll_seconds=0.02)
    sender.start()
    with psycopg.connect(migrated_url, autocommit=True) as operator:
        for cut in range(5):
            while _open(operator) > 170 - cut * 30:
                time.sleep(0.005)
            operator.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        while _open(operator) > 0:
            time.sleep(0.01)
        sent = [dict(call.headers)["webhook-id"] for call in door.calls]
    sender.stop()
    assert len(set(sent)) == 200
    database.close()


def _open(operator: psycopg.Connection) -> int:
    row = operator.execute("SELECT count(*) FROM callbacks WHERE status <> 'DELIVERED'").fetchone()
    assert row is not None
    return int(row[0])
