"""Random shops over months with a moved clock: on no day is somebody written to who owes nothing, or was let off.

What counts is the order as it stands in the moment of sending, so a payment that was imported on the same day counts.
`LIVES=200 pytest ...` lives more of them.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from paymatch.domain.calendar import is_bank_day, minus_bank_days
from paymatch.domain.collection.cases import CollectionRefused
from paymatch.domain.money import EUR
from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.outbound.letters import LetterReport, OutgoingLetter, Posted
from paymatch.outbound.mail.outgoing import OutgoingMail
from paymatch.store.database import Database
from paymatch.usecases.collection.cases import hand_over, hand_over_due, set_agency
from paymatch.usecases.collection.lapses import lapse_due
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.orders import orders
from paymatch.usecases.refunds import refunds
from paymatch.usecases.reminders import bounces
from paymatch.usecases.reminders.stops import stop
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.length import times
from tests.usecases.letters.test_letters import ADDRESS
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

LIVES = int(os.environ.get("LIVES", times(1, 3)))
DAYS = 56
"""Over all lives."""
CHANGES = ("paid", "cancel", "remove", "stop", "stopReminder", "collection", "amount", "amount")
WARNED = "SELECT number FROM orders WHERE shop_id = $1 AND dunning_level > 0 ORDER BY number"
WAITING = "SELECT order_number FROM letters WHERE shop_id = $1 AND status IN ('NEW', 'SPOOLED') ORDER BY 1"
PLANS = ("1", "3,+5:2.50", "7,21,35", "5:1.00,+10,+10,+10")


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=3, keyring=KEYRING)
    yield opened
    opened.close()


@dataclass
class Witness(Door):
    """Takes mail and letters, and looks at the orders that they are about in that moment."""

    world: MailWorld | None = None
    reports: bool = True
    let_off: set[str] = field(default_factory=set)
    """Orders whose reminders were stopped."""
    handed: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    """What must not be: said at the end, because what a door raises puts off one mail alone."""
    seen: Counter[str] = field(default_factory=Counter)
    """What was seen how often: kinds of mail, letters, handovers, lapses, ways of paying."""
    given_back: dict[str, dict[str, int]] = field(default_factory=dict)
    """Order -> the refunds of it that are under way, each with what goes back."""
    booked: dict[str, date] = field(default_factory=dict)
    """Orders whose whole amount is on the account, by the bank's own books: the day, whether imported or not."""

    def send(self, item: OutgoingMail | OutgoingLetter) -> str:
        if isinstance(item, OutgoingLetter):
            self._look_at_letter(item)
        else:
            self._look_at_mail(item)
        return ""

    def report(self, shop: str, letter_id: str) -> LetterReport:
        return LetterReport(Posted.POSTED)

    def _rows(self, statement: str, *params: str) -> list[tuple[Any, ...]]:
        assert self.world is not None
        found = self.world.rows(statement, *params)
        assert found
        return found

    def _look_at_mail(self, mail: OutgoingMail) -> None:
        rows = self._rows(
            "SELECT m.order_number, m.thanks, m.dunning_level, o.status, o.amount_minor - o.postings_minor,"
            " m.correction, o.amount_minor, (SELECT e.told_minor FROM mails e WHERE e.shop_id = $1"
            " AND e.order_number = o.number AND e.status = 'SENT' AND NOT e.thanks ORDER BY e.finished_at DESC LIMIT 1)"
            " FROM mails m JOIN orders o ON o.shop_id = m.shop_id AND o.number = m.order_number"
            " WHERE m.shop_id = $1 AND m.status = 'PENDING'"
            " AND m.message_id = (SELECT message_id FROM mails WHERE shop_id = $1 AND id = $2)",
            mail.id,
        )
        for number, thanks, level, status, left, correction, amount, told in rows:
            if thanks:
                self._refute(status != "PAID", f"{number} is {status} and thanked for")
            else:
                self._look(number, status, left, level)
            self._refute(bool(correction) and told == amount, f"{number} was told {amount} before")
            self.seen["thanks" if thanks else "correction" if correction else "mail"] += 1
        self.seen["mail about several"] += len(rows) > 1
        self.seen["warning of lapse"] += b"cancel the order" in mail.content or b"stornieren" in mail.content

    def _look_at_letter(self, letter: OutgoingLetter) -> None:
        ((number, level, status, left),) = self._rows(
            "SELECT o.number, l.dunning_level, o.status, o.amount_minor - o.postings_minor FROM letters l"
            " JOIN orders o ON o.shop_id = l.shop_id AND o.number = l.order_number WHERE l.shop_id = $1 AND l.id = $2",
            letter.id,
        )
        self._look(number, status, left, level)
        self.seen["letter"] += 1

    def _look(self, number: str, status: str, left: int, level: int) -> None:
        assert self.world is not None
        day = self.booked.get(number)
        late = level > 0 and day is not None and day <= minus_bank_days(self.world.now.date(), 1)
        self._refute(late, f"{number} is reminded on {self.world.now:%d %B}, its money came on {day}")
        self._refute(status not in ("UNPAID", "PAID_PARTIAL") or left <= 0, f"{number} is {status}, {left} open")
        self._refute(level > 0 and number in self.let_off, f"{number} was stopped")
        back = self.goes_back(number)
        self._refute(left <= back, f"{number} is asked for {left}, of which {back} go back")
        self.seen["part that goes back"] += back > 0

    def goes_back(self, number: str) -> int:
        return sum(self.given_back.get(number, {}).values())

    def _refute(self, is_wrong: bool, words: str) -> None:
        if is_wrong:
            self.wrong.append(words)

    def look_at_handovers(self) -> None:
        """After the day's work for the agency: nobody was handed over who was let off, or owed nothing."""
        assert self.world is not None
        rows = self.world.rows(
            "SELECT order_number, from_status, cause FROM events WHERE shop_id = $1"
            " AND cause IN ('handed over to collection', 'lapsed')"
        )
        for number, status, cause in rows:
            if number not in self.handed:
                assert status in ("UNPAID", "PAID_PARTIAL") and number not in self.let_off, f"{number}: {cause}"
                ((left,),) = self._rows(
                    "SELECT amount_minor - postings_minor FROM orders WHERE shop_id = $1 AND number = $2", number
                )
                assert left > self.goes_back(number), f"{number}: {cause}, and {left} go back"
                self.handed.add(number)
                self.seen[cause] += 1


@dataclass
class Orders:
    """The shop's orders that nobody has paid, cancelled or handed over by hand: how they were submitted."""

    world: MailWorld
    chance: random.Random
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    minor: dict[str, int] = field(default_factory=dict)
    made: int = 0

    def submit(self, day: date) -> None:
        self.made += 1
        number = f"A-{1000 + self.made}"
        self.minor[number] = (self.made + 10) * 100
        reach = {"customerEmail": f"{self.chance.randint(1, 4)}@example.com", "billing": ADDRESS}
        if self.chance.random() < 0.4:
            reach.pop(self.chance.choice(["customerEmail", "billing"]))
            reach.setdefault("customerEmail", "")
        self.bodies[number] = {
            "date": f"{day:%d-%m-%Y}", "dueDate": f"{day + timedelta(self.chance.randint(0, 9)):%d-%m-%Y}",
            "type": self.chance.choice(["PREPAYMENT", "INVOICE"]), "language": "en", **reach,
        }  # fmt: skip
        self._send(number)

    def change(self, number: str, witness: Witness, what: str) -> None:
        """Somebody does something to the order between the statement and the mail of the day."""
        world = self.world
        if number in witness.booked:
            return
        if what == "amount":
            self.minor[number] += 50
            self._send(number)
            return
        if what == "stopReminder":
            self.bodies[number]["stopReminder"] = True
            self._send(number)
        with suppress(OrderRefused, CollectionRefused), world.database.of_shop(world.shop, at=world.now) as tx:
            match what:
                case "paid":
                    orders.set_paid(tx, number)
                case "cancel":
                    orders.cancel(tx, number)
                case "remove":
                    orders.remove(tx, number)
                case "stop":
                    stop(tx, number)
                case "collection":
                    hand_over(tx, number)
        if what in ("stop", "stopReminder"):
            witness.let_off.add(number)
        else:
            witness.handed.add(number)
            self.forget([number])

    def forget(self, numbers: Collection[str]) -> None:
        for number in numbers:
            self.bodies.pop(number, None)

    def _send(self, number: str) -> None:
        minor = self.minor[number]
        self.world.order(number, f"{minor // 100}.{minor % 100:02}", **self.bodies[number])


@dataclass
class Bank:
    """The account as the bank keeps it, its statements (some come days late), and the clerk who decides postings."""

    world: MailWorld
    chance: random.Random
    known: Orders
    witness: Witness
    opening: int = 0
    late: list[tuple[date, int, list[tuple[int, str]]]] = field(default_factory=list)
    undone: set[str] = field(default_factory=set)

    def work(self, day: date) -> None:
        """The customers pay on a day; its statement comes on the next, or some days later with those behind it."""
        paid = [payment for number in [*self.known.bodies] for payment in self._payment(number, day)]
        self.late.append((day, self.opening, paid))
        self.opening += sum(minor for minor, _ in paid)
        if self.chance.random() < 0.8:
            for then, opening, payments in self.late:
                self.world.statement(then, opening, *payments)
            self.witness.seen["late statement"] += len(self.late) > 1
            self.late.clear()

    def _payment(self, number: str, day: date) -> list[tuple[int, str]]:
        if self.chance.random() >= 0.05 or number in self.witness.booked:
            return []
        minor = self.known.minor[number]
        how = self.chance.choice(["whole", "whole", "short", "typing error", "more", "part"])
        self.witness.seen[how] += 1
        if how not in {"part", "short"}:
            self.witness.booked[number] = day
        amount = {"short": minor - 90, "more": minor + 500, "part": minor // 3}.get(how, minor)
        return [(amount, number.replace("-", " 0") if how == "typing error" else number)]

    def decide(self) -> None:
        """A person takes a suggestion, or undoes a match; what was undone is open again, and may be reminded of.

        A suggestion of another order than the one that was paid (by chance its amount is exact) is set right.
        """
        world = self.world
        rows = world.rows("SELECT id, facts::json->'remittance_lines'->>0 FROM postings WHERE shop_id = $1 ORDER BY id")
        for posting, text in rows:
            ((status,),) = world.rows("SELECT status FROM postings WHERE shop_id = $1 AND id = $2", posting)
            if status == "suggested" and self.chance.random() < 0.3:
                paid = f"A-{text[-4:]}"
                parts = assigning.suggested_parts(world.database, world.shop, posting)
                if {part.order_number for part in parts} != {paid}:
                    parts = [assigning.Part(paid)]
                assigning.match(world.database, world.shop, posting, parts, world.now)
                self.witness.seen["matched by hand"] += 1
            elif status == "matched" and self.chance.random() < 0.01:
                for number in assigning.unmatch(world.database, world.shop, posting, world.now):
                    self.witness.booked.pop(number, None)
                self.witness.seen["undone"] += 1


@dataclass
class Refunds:
    """The shop asks for refunds of orders that are open, and now and then takes one back."""

    world: MailWorld
    chance: random.Random
    known: Orders
    witness: Witness
    filed: int = 0

    def work(self) -> None:
        world, tomorrow = self.world, self.world.now.date() + timedelta(days=1)
        for number in [each for each in self.known.bodies if each not in self.witness.booked]:
            under_way = self.witness.given_back.setdefault(number, {})
            with world.database.of_shop(world.shop, at=world.now) as tx:
                if under_way and self.chance.random() < 0.02:
                    refund_id, _ = under_way.popitem()
                    refunds.cancel(tx, refund_id)
                    self.witness.seen["refund taken back"] += 1
                elif self.chance.random() < 0.02:
                    self.filed += 1
                    minor = self.known.minor[number] // self.chance.choice([1, 1, 3])
                    wanted = SubmittedRefund(f"RET-{self.filed}", minor, EUR, 2, tomorrow)
                    filed = json.loads(refunds.create(tx, number, wanted))
                    under_way[filed["id"]] = minor
                    self.witness.seen["refund"] += 1


def live(world: MailWorld, chance: random.Random, plan: str) -> Witness:
    witness, known = Witness(world=world), Orders(world, chance)
    bank, refunding = Bank(world, chance, known, witness), Refunds(world, random.Random(plan), known, witness)
    world.door = witness
    world.plan(
        levels=plan, grace_days=str(chance.randint(1, 10)), term_days=str(chance.randint(0, 14)),
        letters_from=chance.choice(["0", "2"]), letters_without_mail="on",
    )  # fmt: skip
    for place in range(DAYS):
        day = date(2026, 3, 2) + timedelta(days=place)
        world.now = datetime(day.year, day.month, day.day, 4, tzinfo=UTC)
        for _ in range(chance.randint(1, 2) if place < DAYS - 20 else 0):
            known.submit(day)
        if is_bank_day(day):
            bank.work(day - timedelta(days=1) if place else day)
        write(world, witness, letters=chance.random() < 0.5)  # between an import and what a person decides
        match_due(world.database, world.shop, world.now)
        bank.decide()
        world.now = datetime(day.year, day.month, day.day, 10, tzinfo=UTC)
        for number in [each for each in known.bodies if chance.random() < 0.03]:
            known.change(number, witness, chance.choice(CHANGES))
        busy = [(number, 0.08) for (number,) in world.rows(WARNED)] + [(each, 0.5) for (each,) in world.rows(WAITING)]
        for number, often in busy:  # who was warned is let off or pays more often than others, or while a letter waits
            if number in known.bodies and chance.random() < often:
                known.change(number, witness, chance.choice(["stop", "stopReminder", "paid"]))
        for number in sorted(witness.given_back):  # who gets a part back is written to again, about the rest
            if number in known.bodies and witness.goes_back(number) and chance.random() < 0.08:
                known.change(number, witness, "amount")
        refunding.work()
        bounce(world, chance)
        write(world, witness, letters=chance.random() < 0.5)
        known.forget(witness.handed)
    return witness


def write(world: MailWorld, witness: Witness, *, letters: bool = True) -> None:
    """What the worker does: mails, letters (or later: much may happen meanwhile), what goes to the agency or lapses."""
    world.send()
    while letters and work_due(world.database, world.shop, LetterGateways(witness), world.now):
        pass
    hand_over_due(world.database, world.shop, world.now)
    lapse_due(world.database, world.shop, world.now)
    witness.look_at_handovers()


def bounce(world: MailWorld, chance: random.Random) -> None:
    """Now and then a mail comes back."""
    sent = world.rows("SELECT message_id FROM mails WHERE shop_id = $1 AND status = 'SENT' ORDER BY 1")
    if sent and chance.random() < 0.05:
        bounces.take(world.database, Bounce("", "5.1.1 unknown", chance.choice(sent)[0], confirmed=True), world.now)


def test_nobody_is_written_to_who_owes_nothing(database: Database) -> None:
    """Of each way of writing to somebody, and of each end, there is so much that the looks at it mean something."""
    seen = Counter[str]()
    for seed in range(LIVES):
        witness = month_of(database, seed)
        assert (witness.wrong, witness.seen["mail"] > 5) == ([], True), f"seed {seed}"
        seen.update(witness.seen)
    wanted = ["mail", "mail about several", "thanks", "correction", "warning of lapse", "letter", "lapsed"]
    wanted += ["refund", "refund taken back", "part that goes back"]
    wanted += ["late statement", "whole", "short", "part", "more", "typing error", "matched by hand", "undone"]
    unseen = {each for each in (*wanted, "handed over to collection") if not seen[each]}
    assert unseen == set() if LIVES >= 3 else len(unseen) < 9, unseen


def month_of(database: Database, seed: int) -> Witness:
    """The witness of a month of a new shop, whose books are proven."""
    world = new_world(
        database, payment_information="off" if seed % 3 == 2 else "on", payment_thanks="on", letters="on",
        letters_by="provider", street="Weg", house_number="1", postcode="10115", city="Berlin", lapse_after="3",
    )  # fmt: skip
    with database.of_shop(world.shop) as tx:
        set_agency(tx, {"name": "Inkasso", "after-days": "5"})
    witness = live(world, random.Random(seed), PLANS[seed % len(PLANS)])
    broken = [each for each in check_shop(database, world.shop) if each.rule.split()[0] != "callback"]
    assert broken == [], f"seed {seed}"
    return witness
