"""Random shops over months with a moved clock: on no day is somebody written to who owes nothing, or was let off.

What counts is the order as it stands in the moment of sending, so a payment that was imported on the same day counts.
`LIVES=200 pytest ...` lives more of them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import pytest

from paymatch.domain.bank_days import is_bank_day
from paymatch.outbound.mail import OutgoingMail
from paymatch.store.database import Database
from paymatch.usecases.collection.cases import hand_over, set_agency
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.stops import stop
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

LIVES = int(os.environ.get("LIVES", "3"))
DAYS = 75
PLANS = ("7,21,35", "3,+5,+5:2.50", "1", "5:1.00,+10,+10,+10")


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=3, keyring=KEYRING)
    yield opened
    opened.close()


@dataclass
class Witness(Door):
    """Takes mail, and looks at the orders that it is about in that moment."""

    world: MailWorld | None = None
    stopped: set[str] = field(default_factory=set)
    asked: int = 0
    thanked: int = 0

    def send(self, mail: OutgoingMail) -> str:
        assert self.world is not None
        rows = self.world.rows(
            "SELECT m.order_number, m.thanks, m.dunning_level, o.status, o.amount_minor - o.postings_minor"
            " FROM mails m JOIN orders o ON o.shop_id = m.shop_id AND o.number = m.order_number"
            " WHERE m.shop_id = $1 AND m.status = 'PENDING'"
            " AND m.message_id = (SELECT message_id FROM mails WHERE shop_id = $1 AND id = $2)",
            mail.id,
        )
        assert rows
        for number, thanks, level, status, left in rows:
            assert status == "PAID" if thanks else (status in ("UNPAID", "PAID_PARTIAL") and left > 0), number
            assert thanks or level == 0 or number not in self.stopped, f"{number} was stopped"
            self.asked += not thanks
            self.thanked += thanks
        return ""


def live(world: MailWorld, chance: random.Random) -> Witness:
    witness = Witness(world=world)
    world.door = witness
    world.plan(levels=chance.choice(PLANS), grace_days=str(chance.randint(1, 10)), term_days=str(chance.randint(0, 14)))
    opening, open_orders, made = 0, list[str](), 0
    for place in range(DAYS):
        day = date(2026, 3, 2) + timedelta(days=place)
        world.now = datetime(day.year, day.month, day.day, 4, tzinfo=UTC)
        for _ in range(chance.randint(0, 2) if place < DAYS - 20 else 0):
            made += 1
            number = f"A-{1000 + made}"
            world.order(
                number, f"{made + 10}.00", date=f"{day:%d-%m-%Y}",
                dueDate=f"{day + timedelta(chance.randint(0, 9)):%d-%m-%Y}",
                type=chance.choice(["PREPAYMENT", "INVOICE"]), customerEmail=f"{chance.randint(1, 4)}@example.com",
            )  # fmt: skip
            open_orders.append(number)
        paid = [number for number in open_orders if chance.random() < 0.03]
        if is_bank_day(day):
            postings = [((int(number[2:]) - 1000 + 10) * 100, number) for number in paid]
            world.statement(day - timedelta(days=1) if place else day, opening, *postings)
            opening += sum(minor for minor, _ in postings)
            open_orders = [number for number in open_orders if number not in paid]
        world.send()
        world.now = datetime(day.year, day.month, day.day, 10, tzinfo=UTC)
        _by_hand(world, witness, chance, open_orders)
        world.send()
    return witness


def _by_hand(world: MailWorld, witness: Witness, chance: random.Random, open_orders: list[str]) -> None:
    """What people do to orders between the statement and the mail of the day."""
    for number in [each for each in open_orders if chance.random() < 0.02]:
        with world.database.transaction(world.id) as tx:
            match chance.choice(["paid", "cancel", "stop", "collection"]):
                case "paid":
                    orders.set_paid(tx, world.shop, number, world.now)
                case "cancel":
                    orders.cancel(tx, world.shop, number, world.now)
                case "stop":
                    stop(tx, world.shop, number, world.now)
                    witness.stopped.add(number)
                    continue
                case "collection":
                    hand_over(tx, world.shop, number, world.now)
        open_orders.remove(number)


@pytest.mark.parametrize("seed", range(LIVES))
def test_nobody_is_written_to_who_owes_nothing(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    world = new_world(database, payment_information=chance.choice(["on", "off"]), payment_thanks="on")
    with database.transaction(world.id) as tx:
        set_agency(tx, world.shop, {"name": "Inkasso"})
    witness = live(world, chance)
    assert witness.asked > 20 and witness.thanked > 2, "mail was sent, so that the looks at it mean something"
    assert [each for each in check_shop(database, world.shop) if "mail" in each.rule or "reminder" in each.rule] == []
