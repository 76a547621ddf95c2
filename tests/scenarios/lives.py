"""Random lives of a shop over ninety simulated days, each replayed exactly by its seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from unittest.mock import patch

from paymatch.cli.scenario.world import Reply, World, new_world
from paymatch.clock import utc_now
from paymatch.domain.calendar import date_text
from paymatch.store import ids
from paymatch.store.database import Database
from paymatch.store.posting_report import report
from paymatch.usecases.check import check_shop
from tests.scenarios.reference import Model, ModelOrder, ModelPayment

DAYS: Final = 90
_START: Final = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
_NAMES: Final = ("Anna", "Boris", "Carla", "Dario", "Edda", "Frieda", "Gustav", "Hilde", "Ivo", "Jutta")
_SURNAMES: Final = ("Lindqvist", "Okonkwo", "Pfannkuch", "Quasthoff", "Rautenberg", "Szymanski", "Tannhauser", "Uhlig")


class Crash(BaseException):
    """The process dies at a transaction boundary; what was not committed is rolled back."""


@dataclass
class Crashes:
    """The boundary hook of a database: dies at the n-th boundary from now on; 0 is never."""

    left: int = 0
    count: int = 0

    def __call__(self, place: str) -> None:
        if self.left:
            self.left -= 1
            if not self.left:
                self.count += 1
                raise Crash(place)


class SeededSecrets:
    """Stands in for the module `secrets` where ids are made, so that a life has the same ids each time."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def randbits(self, count: int) -> int:
        return self._chance.getrandbits(count)

    def choice(self, letters: str) -> str:
        return self._chance.choice(letters)

    def token_bytes(self, count: int) -> bytes:
        return self._chance.randbytes(count)

    def token_urlsafe(self, count: int) -> str:
        return self._chance.randbytes(count).hex()


class Life:
    """One life: actions on the shop and on the model, compared after each."""

    def __init__(self, world: World, crashes: Crashes, seed: int) -> None:
        self.world = world
        self.crashes = crashes
        self.chance = random.Random(seed)
        self.model = Model()
        self.log: list[str] = []
        self.down_until = _START

    def live(self) -> None:
        """Ninety days, some of them eventful."""
        ends = _START + timedelta(days=DAYS)
        self._submit()
        while (now := self._now()) < ends:
            for _ in range(self.chance.choice((1, 1, 2, 3))):
                self._act()
            self._receiver(now)
            up = self.world.receiver.mode == "up"
            hours = self.chance.choice((3, 20, 24, 24, 49, 100, 190, 400) if up else (2, 5, 12))
            self._advance(min(now + timedelta(hours=hours), ends))
        self.world.receiver.mode = "up"
        self._advance(self._now() + timedelta(days=3))
        self._at_the_end()

    def _now(self) -> datetime:
        return self.world.shop.now(utc_now())

    def _receiver(self, now: datetime) -> None:
        """Down for a day and a half at most, so that nothing is given up."""
        if self.world.receiver.mode == "up" and self.chance.random() < 0.15:
            self.world.receiver.mode = "down"
            self.down_until = now + timedelta(hours=8)
        elif now >= self.down_until:
            self.world.receiver.mode = "up"

    def _act(self) -> None:
        actions: list[Callable[[], None]] = [
            self._submit, self._submit, self._submit_again, self._pay, self._pay, self._pay, self._give_back,
            self._mark, self._refund, self._others,
        ]  # fmt: skip
        self.chance.choice(actions)()
        self._compare()

    # What the shop does

    def _submit(self) -> None:
        place = len(self.model.orders)
        name = f"{_NAMES[place % 10]} {_SURNAMES[place // 10 % 8]}{'' if place < 80 else f'-{place}'}"
        order = ModelOrder(
            f"L-{40_000 + place * 137 + self.chance.randrange(50)}",
            name,
            self.chance.randrange(500, 30_000),
            self._today(),
        )
        assert self._post(f"order/{order.number}", self._body(order)).status == 200
        self.model.orders[order.number] = order
        self.model.note_changes()

    def _submit_again(self) -> None:
        order = self._any_order()
        was = order.due_minor
        if self.chance.random() < 0.5:
            order.due_minor = max(100, order.due_minor + self.chance.randrange(-400, 900))
        refused = order.due_minor != was and order.status in ("CANCELLED", "REFUNDED")
        reply = self._post(f"order/{order.number}", self._body(order))
        if refused:
            order.due_minor = was
            assert reply.status == 400, reply
            return
        assert reply.status == 200, reply
        if order.mark in ("DISAPPEARED", "LEGACY"):
            order.mark = ""
        self._unsettle(order)
        self.model.note_changes()

    def _mark(self) -> None:
        order = self._any_order()
        action = self.chance.choice(("setpaid", "setunpaid", "cancel", "remove"))
        path = f"order/remove/{order.number}" if action == "remove" else f"order/{order.number}/{action}"
        allowed = {"setpaid": order.status != "PAID", "setunpaid": order.mark == "PAID"}.get(action, True)
        reply = self._post(path)
        assert reply.status == (200 if allowed else 400), (action, reply)
        if allowed:
            marks = {"setpaid": "PAID", "setunpaid": "", "cancel": "CANCELLED", "remove": "DISAPPEARED"}
            order.mark = marks[action]
            self._unsettle(order)
            self.model.note_changes()

    def _refund(self) -> None:
        order = self._any_order()
        reference = f"R-{sum(len(each.refunds) for each in self.model.orders.values())}"
        planned = self._now() + timedelta(days=self.chance.randrange(200, 400))  # executed after this life
        body = {
            "externalReference": reference, "amount": "1.00", "currency": "EUR",
            "plannedDate": date_text(planned.date()),
        }  # fmt: skip
        reply = self._post(f"order/{order.number}/refund", body)
        assert reply.status == 200, reply
        found = self.world.order(order.number).json["refunds"]
        order.refunds[reference] = next(each["status"] for each in found if each["externalReference"] == reference)
        assert order.refunds[reference] in ("NEW", "BANKDETAILS_MISSING")

    # What customers and the bank do

    def _pay(self) -> None:
        order = self._any_order()
        open_minor = order.due_minor - order.matched_minor
        waiting = [each for each in self.model.payments if not each.delivered and each.number == order.number]
        exact = open_minor > 0 and order.status in ("UNPAID", "PAID_PARTIAL") and not waiting
        factor = self.chance.choice((1, 1, 1, 0.5, 1.1)) if exact else 1
        minor = int(open_minor * factor) if exact else self.chance.randrange(500, 9_000)
        times = 2 if self.chance.random() < 0.05 else 1
        formats = self.chance.choice((["camt.053"], ["camt.053"], ["MT940"], ["camt.054", "camt.053"]))
        body = {
            "orderNumbers": [order.number], "amount": f"{minor / 100:.2f}", "formats": formats, "times": times,
            "reference": self.chance.choice(("exact", "exact", "exact", "typo", "missing")),
            "deliveredTwice": self.chance.random() < 0.1,
        }  # fmt: skip
        must = exact and factor == 1 and times == 1 and body["reference"] == "exact"
        for booked in self._book("sandbox/payments", body):
            self._keep(booked, order.number, must=must)

    def _give_back(self) -> None:
        given = [each for each in self.model.payments if each.delivered and each.minor > 0 and not each.returned]
        if not given:
            return
        payment = self.chance.choice(given)
        payment.returned = True
        for booked in self._book("sandbox/returns", {"payment": payment.booking_id}):
            self._keep(booked, payment.number)

    def _unsettle(self, order: ModelOrder) -> None:
        """What was the exact amount of an open order when it was paid may no longer be when it is booked."""
        for payment in self.model.payments:
            if payment.number == order.number and not payment.delivered:
                payment.must_match = False

    def _others(self) -> None:
        body = {"amount": self.chance.choice(("-12.30", "250.00", "-900.00")), "name": "Vermieter", "text": "Miete"}
        for booked in self._book("sandbox/bookings", body):
            self._keep(booked, "")

    def _keep(self, booked: dict[str, Any], number: str, *, must: bool = False) -> None:
        minor = round(float(booked["amount"]) * 100)
        self.model.payments.append(ModelPayment(booked["id"], booked["reference"], number, minor, must_match=must))

    # Time, death and comparison

    def _advance(self, until: datetime) -> None:
        """Day by day, so that every change of an order is seen."""
        while (now := self._now()) < until:
            due = [each for each in self._bank_days() if each > now]
            target = min([until, *due])
            self._surviving(lambda target=target: self.world.move_to(target))  # type: ignore[misc]
            self._take_over()
            self._compare()

    def _bank_days(self) -> list[datetime]:
        rows = self._rows(
            "SELECT DISTINCT deliver_at FROM sandbox_bookings WHERE shop_id = $1 AND delivered_at IS NULL"
        )
        return [row[0] for row in rows]

    def _take_over(self) -> None:
        """What was allocated, as the service says: only to the order that was meant, and the whole amount or none."""
        with self.world.database.transaction(self.world.shop_id) as tx:
            postings = list(report(tx, self.world.shop_id))
        delivered = {row[0] for row in self._rows(
            "SELECT id FROM sandbox_bookings WHERE shop_id = $1 AND delivered_at IS NOT NULL")}  # fmt: skip
        by_reference: dict[str, dict[str, Any]] = {}
        for posting in postings:
            assert posting["reference"] not in by_reference, f"booked twice: {posting}"
            by_reference[posting["reference"]] = posting
        for order in self.model.orders.values():
            order.matched_minor = 0
        for payment in self.model.payments:
            payment.delivered = payment.booking_id in delivered
            assert (payment.reference in by_reference) is payment.delivered, payment
            if payment.delivered:
                self._count(payment, by_reference[payment.reference])
        assert len(postings) == sum(payment.delivered for payment in self.model.payments)
        self.model.note_changes()

    def _count(self, payment: ModelPayment, posting: dict[str, Any]) -> None:
        assert round(float(bytes(posting["amount"])) * 100) == payment.minor
        if posting["status"] != "matched":
            assert posting["allocations"] == [] and not payment.must_match, (payment, posting)
            return
        (allocation,) = posting["allocations"]
        assert allocation["orderNumber"] == payment.number, (payment, posting)
        assert round(float(bytes(allocation["amount"])) * 100) == payment.minor, (payment, posting)
        self.model.orders[payment.number].matched_minor += payment.minor

    def _compare(self) -> None:
        listed = self.world.call("GET", "orders?includeRefunds=true&maxAge=1000").json
        assert {found["number"] for found in listed} == self.model.orders.keys()
        for found in listed:
            order = self.model.orders[found["number"]]
            told = (found["paymentStatus"], found.get("amountPaid", "unset"))
            assert told == (order.status, order.amount_paid), order
            self._compare_refunds(order, {each["externalReference"]: each["status"] for each in found["refunds"]})

    def _compare_refunds(self, order: ModelOrder, told: dict[str, str]) -> None:
        """The run of a bank day finds the account of a refund once a payment of its order is delivered."""
        for reference, status in told.items():
            if (order.refunds[reference], status) == ("BANKDETAILS_MISSING", "NEW"):
                own = [each for each in self.model.payments if each.number == order.number]
                assert any(each.delivered and each.minor > 0 for each in own), order
                order.refunds[reference] = status
        assert told == order.refunds

    def _at_the_end(self) -> None:
        events: dict[str, list[str]] = {number: [] for number in self.model.orders}
        for event in self.world.call("GET", "events?limit=1000").json:
            events[event["orderNumber"]].append(event["paymentStatus"])
        for order in self.model.orders.values():
            # Two files of one evening may change an order twice, of which the model sees the outcome only.
            told = iter(events[order.number])
            assert all(change in told for change in order.changes), (order, events[order.number])
            heard = self.world.receiver.acknowledged(order.number)
            assert len(heard) >= len(events[order.number]), order
            assert heard[-1:] == events[order.number][-1:] == order.changes[-1:], order
            sent = Counter(told.webhook_id for told in self.world.receiver.told if told.number == order.number)
            assert len(sent) == len(events[order.number]), order
        assert check_shop(self.world.database, self.world.shop) == []

    def _any_order(self) -> ModelOrder:
        return self.chance.choice(list(self.model.orders.values()))

    def _today(self) -> str:
        return date_text(self.world.shop.today(utc_now()))

    def _body(self, order: ModelOrder) -> dict[str, Any]:
        first, last = order.name.split(" ")
        return {
            "number": order.number, "date": order.day, "type": "PREPAYMENT", "currency": "EUR",
            "amount": f"{order.due_minor / 100:.2f}",
            "billing": {"firstName": first, "lastName": last, "countryCode": "DE"},
        }  # fmt: skip

    def _book(self, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        reply = self.world.call("POST", path, body)
        assert reply.status == 200, reply
        booked: list[dict[str, Any]] = reply.json
        return booked

    def _post(self, path: str, body: Any = None) -> Reply:
        reply: Reply = self._surviving(lambda: self.world.call("POST", path, body), lost_answer=True)
        return reply

    def _surviving(self, action: Callable[[], Any], *, lost_answer: bool = False) -> Any:
        """The action, and again after a death of the process; a call that was committed has lost its answer only."""
        self.crashes.left = self.chance.choice((0, 0, 1, 2, 3, 4, 6, 9, 14))
        try:
            return action()
        except Crash as crash:
            if lost_answer and str(crash) == "after commit":
                return Reply(200, None)
            return action()
        finally:
            self.crashes.left = 0

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        with self.world.database.transaction(self.world.shop_id) as tx:
            return tx.rows(statement, self.world.shop_id)


@contextmanager
def crashing_database(url: str) -> Iterator[tuple[Database, Crashes]]:
    """A database whose process dies now and then."""
    crashes = Crashes()
    database = Database(url, size=2, at_boundary=crashes)
    try:
        yield database, crashes
    finally:
        crashes.left = 0
        database.close()


def live(database: Database, crashes: Crashes, seed: int) -> Life:
    """Lives one life; AssertionError where the service and the model differ."""
    seeded = patch.object(ids, "secrets", SeededSecrets(seed))
    with seeded, new_world(database, _START, {"timezone": "Europe/Berlin"}) as world:
        life = Life(world, crashes, seed)
        life.live()
        return life
