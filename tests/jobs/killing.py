"""Workers that are killed at random while they deliver, and what the receiver saw of it."""

from __future__ import annotations

import json
import os
import random
import socket
import time
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from multiprocessing.process import BaseProcess

from paymatch.clock import utc_now
from paymatch.domain.orders.settlement import Mark
from paymatch.jobs.callbacks import CallbackSender
from paymatch.outbound.http import HttpClient, HttpLimits
from paymatch.store.database import Database
from paymatch.store.orders import orders as order_store
from paymatch.usecases.settlement.ledger import settle
from tests.fakes.receivers import plain, receiver
from tests.hard_stop import PROCESSES
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import World, add_orders, new_world

LEASE = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it. `repeated` counts requests beyond the first of their webhook-id."""

    callbacks: int
    kills: int
    undelivered: int
    missing: int
    foreign: int
    repeated: int
    out_of_sequence: int


def work(url: str) -> None:
    """A worker process that sends until it is killed."""
    database = Database(url, size=4, keyring=KEYRING)
    client = HttpClient(allow_private=True, limits=HttpLimits(connect_seconds=1, total_seconds=1))
    CallbackSender(database, client, utc_now, lease=LEASE, poll_seconds=0.05).start()
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)  # the process that should kill it is gone


def killed_workers(url: str, *, orders: int, changes: int, kills: int, seed: int, workers: int = 2) -> Outcome:
    """Delivers `orders` x `changes` callbacks with `workers` workers at a time, of which `kills` are killed."""
    chance = random.Random(seed)
    seen: list[str] = []

    def answer(connection: socket.socket, request: bytes) -> bool:
        head = request.partition(b"\r\n\r\n")[0].decode()
        seen.append(next(line[12:] for line in head.split("\r\n") if line.startswith("webhook-id: ")))
        time.sleep(0.004)
        connection.sendall(plain())
        return True

    database = Database(url, size=2, keyring=KEYRING)
    with receiver(answer) as running:
        world = new_world(database, running.url)
        _change(world, orders, changes)
        running_workers = [_started(url) for _ in range(workers)]
        for _ in range(kills):
            so_far = len(seen)
            while len(seen) < so_far + chance.randint(1, 30) and _open(world):
                time.sleep(0.002)
            victim = running_workers.pop(0)
            victim.kill()
            victim.join()
            running_workers.append(_started(url))
        while _open(world):
            time.sleep(0.05)
        for process in running_workers:
            process.kill()
            process.join()
    found = _compared(world, seen, kills)
    database.close()
    return found


def _change(world: World, orders: int, changes: int) -> None:
    numbers = [str(number) for number in range(orders)]
    add_orders(world.database, world.id, numbers, utc_now())
    for change in range(changes):
        with world.database.of_shop(world.shop) as tx:
            order_store.set_mark(tx, numbers, Mark.PAID if change % 2 == 0 else None, utc_now())
            settle(tx, numbers, cause="test", now=utc_now())


def _started(url: str) -> BaseProcess:
    process = PROCESSES.Process(target=work, args=(url,))
    process.start()
    return process


def _open(world: World) -> bool:
    return bool(world.rows("SELECT 1 FROM callbacks WHERE shop_id = $1 AND status <> 'DELIVERED' LIMIT 1"))


def _compared(world: World, seen: list[str], kills: int) -> Outcome:
    rows = world.rows(
        "SELECT id, order_number, status FROM callbacks WHERE shop_id = $1 ORDER BY order_number, order_seq"
    )
    first = {webhook_id: place for place, webhook_id in reversed(list(enumerate(seen)))}
    known = {str(row[0]) for row in rows}
    in_sequence = [
        first.get(str(earlier[0]), -1) < first.get(str(later[0]), -1)
        for earlier, later in pairwise(rows)
        if earlier[1] == later[1]
    ]
    return Outcome(
        callbacks=len(rows),
        kills=kills,
        undelivered=sum(row[2] != "DELIVERED" for row in rows),
        missing=len(known - set(seen)),
        foreign=len(set(seen) - known),
        repeated=sum(count - 1 for count in Counter(seen).values()),
        out_of_sequence=in_sequence.count(False),
    )


def as_json(outcome: Outcome) -> str:
    """One line of JSON."""
    return json.dumps({name: getattr(outcome, name) for name in Outcome.__slots__})
