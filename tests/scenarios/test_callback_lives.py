"""Random lives of a shop's callbacks on a simulated clock: outages, pauses, crashed workers, resending."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator

import pytest

from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, NoAnswerReason
from paymatch.store.database import Database
from paymatch.usecases import callbacks
from paymatch.usecases.callbacks import Outgoing
from tests.keys import KEYRING
from tests.length import some
from tests.usecases.callbacks.callback_world import World, new_world
from tests.usecases.callbacks.test_callbacks import answer, claim, record

ORDERS = ("1", "2", "3", "4")


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


class Life:
    """A shop, its receiver, and what the receiver acknowledged in which order."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = random.Random(seed)
        self.is_up = True
        self.accepted: dict[str, list[Outgoing]] = defaultdict(list)
        self.paid = dict.fromkeys(ORDERS, False)
        self.changes = 0
        self.resends = seed % 2 == 1
        for number in ORDERS:
            world.add_order(number)

    def change(self) -> None:
        """An order becomes PAID or UNPAID."""
        number = self.chance.choice(ORDERS)
        (self.world.set_unpaid if self.paid[number] else self.world.set_paid)(number)
        self.paid[number] = not self.paid[number]
        self.changes += 1

    def work(self) -> None:
        """A worker takes some of what is due, in any order, and may die on the way."""
        claimed = claim(self.world, limit=self.chance.randint(1, 6))
        self.chance.shuffle(claimed)
        for outgoing in claimed:
            if self.chance.random() < 0.1:
                continue  # died before it called
            result = self.receive(outgoing)
            if self.chance.random() < 0.1:
                continue  # died after it had called
            record(self.world, outgoing, result)

    def receive(self, outgoing: Outgoing) -> HttpAnswer | CallFailed:
        """What the receiver makes of a call."""
        if not self.is_up:
            failures: list[HttpAnswer | CallFailed] = [
                answer(500),
                answer(429, retry_after="3600"),
                CallFailed(NoAnswerReason.TIMEOUT, Message("call-late", seconds="15"), 15.0),
            ]
            return self.chance.choice(failures)
        if self.chance.random() < 0.01:
            return answer(410)
        self.accepted[outgoing.order_number].append(outgoing)
        return answer(200)

    def intervene(self) -> None:
        """The merchant resumes, or in every other life sends something again."""
        with self.world.database.of_shop(self.world.shop, at=self.world.now) as tx:
            if not self.resends or self.chance.random() < 0.5:
                callbacks.resume(tx)
            elif rows := callbacks.page(tx, limit=20):
                callbacks.resend(tx, self.chance.choice(rows).id)

    def step(self) -> None:
        """Something happens, and time passes."""
        act = self.chance.choices([self.change, self.work, self.intervene, self.toggle], [4, 8, 1, 1])[0]
        act()
        self.world.pass_time(minutes=self.chance.choice([0, 0, 1, 20, 400]))

    def toggle(self) -> None:
        """The receiver goes down or comes back."""
        self.is_up = not self.is_up

    def end_well(self) -> None:
        """The receiver is up, and workers run until nothing is left."""
        self.is_up = True
        for _ in range(400):
            with self.world.database.of_shop(self.world.shop) as tx:
                callbacks.resume(tx)
            self.work()
            self.world.pass_time(minutes=15)


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_nothing_is_lost_and_each_order_stays_in_sequence(database: Database, seed: int) -> None:
    life = Life(new_world(database), seed)
    for _ in range(150):
        life.step()
    life.end_well()
    rows = life.world.rows("SELECT order_number, id, status FROM callbacks WHERE shop_id = $1 ORDER BY 1, order_seq")
    assert len(rows) == life.changes
    assert {row[2] for row in rows} <= {"DELIVERED", "GIVEN_UP"}
    for number in ORDERS:
        wanted = [str(row[1]) for row in rows if row[0] == number]
        delivered = [str(row[1]) for row in rows if row[0] == number and row[2] == "DELIVERED"]
        first_seen = list(dict.fromkeys(outgoing.id for outgoing in life.accepted[number]))
        assert set(delivered) <= set(first_seen) <= set(wanted)
        if not life.resends:
            assert first_seen == [callback_id for callback_id in wanted if callback_id in first_seen]
        if delivered and delivered[-1] == wanted[-1]:
            last = next(o for o in reversed(life.accepted[number]) if o.id == wanted[-1])
            assert json.loads(last.body)["paymentStatus"] == ("PAID" if life.paid[number] else "UNPAID")
