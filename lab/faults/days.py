"""Days of simulated life in a sandbox shop: orders, payments, refunds, reminders, and its clock day by day."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

import psycopg

from lab.failover.load import Refused, Shop

_ORDERS_A_DAY: Final = 8
_PATIENCE_SECONDS: Final = 90
"""A call that moves the clock takes a minute at most."""
_HELD: Final = b"being moved by another caller"
_ORDER_SECONDS: Final = 10


@dataclass
class Acknowledged:
    """What a sandbox shop was told."""

    orders: dict[str, int] = field(default_factory=dict)
    refunds: dict[str, int] = field(default_factory=dict)
    days: int = 0
    writes: int = 0
    failures: Counter[str] = field(default_factory=Counter)


class SandboxLife(threading.Thread):
    """Lives day after day until it is stopped, and some days more in which nothing new is begun."""

    def __init__(self, shop: Shop, number: int, seed: int) -> None:
        super().__init__(name=f"sandbox {number}", daemon=True)
        self.told = Acknowledged()
        self.shop = shop
        self.broken = ""
        self._number = number
        self._chance = random.Random(seed * 10_000 + number)
        self._unpaid: list[str] = []
        self._paid: dict[str, date] = {}
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Ends it once its day is over."""
        self._stopping.set()

    def run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._live()
        except Refused as error:
            self.broken = str(error)
        except Exception as error:
            self.broken = repr(error)
            raise

    def end(self, days: int = 14) -> None:
        """In peace: the clock goes on, so that what was begun comes to its end."""
        today = self._today()
        self._move_to(today + timedelta(days=days))

    def _live(self) -> None:
        """One day."""
        today = self._today()
        self._submit(today)
        for number in [each for each in self._unpaid if self._chance.random() < 0.15]:
            if self._stopping.is_set():
                return
            self._pay(number, today)
        for number in [each for each, day in self._paid.items() if (today - day).days > 4]:
            if self._chance.random() < 0.2:
                self._refund(number, today)
            del self._paid[number]
        self._move_to(today + timedelta(days=1))
        self.told.days += 1

    def _today(self) -> date:
        return _day(self._asked("GET", "sandbox/clock")["now"])

    def _submit(self, today: date) -> None:
        first = len(self.told.orders)
        names = [f"S{self._number}-{first + place + 100000}" for place in range(_ORDERS_A_DAY)]
        minors = [self._chance.randint(1000, 99999) for _ in names]
        due = today + timedelta(days=self._chance.randint(1, 10))
        body = [
            {
                "number": name, "date": f"{today:%d-%m-%Y}", "dueDate": f"{due:%d-%m-%Y}", "type": "INVOICE",
                "amount": minor / 100, "currency": "EUR", "customerEmail": f"{name.lower()}@example.com",
                "billing": {"firstName": "Erika", "lastName": f"Muster{minor}", "countryCode": "DE"},
            }
            for name, minor in zip(names, minors, strict=True)
        ]  # fmt: skip
        self._asked("POST", "orders", body)
        self.told.orders.update(zip(names, minors, strict=True))
        self.told.writes += len(names)
        self._unpaid += names

    def _pay(self, number: str, today: date) -> None:
        """The customer pays once; who lost the answer looks whether the bank has the transfer before repeating."""
        again = False
        while True:
            if again and self._asked("GET", f"sandbox/payments?orderNumber={number}"):
                break
            if self._asked("POST", "sandbox/payments", {"orderNumber": number}, once=True):
                break
            again = True
            time.sleep(1)
        self.told.writes += 1
        self._unpaid.remove(number)
        self._paid[number] = today

    def _refund(self, number: str, today: date) -> None:
        minor = self.told.orders[number] // 2
        planned = f"{today + timedelta(days=1):%d-%m-%Y}"
        refund = {"externalReference": f"R-{number}", "amount": minor / 100, "currency": "EUR", "plannedDate": planned}
        self._asked("POST", f"order/{number}/refund", refund, done=b"Refund already exists")
        self.told.refunds[number] = minor
        self.told.writes += 1

    def _move_to(self, day: date) -> None:
        while True:
            answer = self._asked("POST", "sandbox/clock", {"set": f"{day} 09:30"}, done=b"The clock never goes back")
            if answer.get("done", True):
                return

    def _asked(
        self, method: str, path: str, body: object = None, *, once: bool = False, done: bytes | None = None
    ) -> Any:
        """The answer, asked for until there is one; `once`: None without one. `done`: refused for having been done."""
        content = json.dumps(body).encode() if body is not None else b""
        place = 0
        while True:
            port = self.shop.ports[place % len(self.shop.ports)]
            seconds = _PATIENCE_SECONDS if path == "sandbox/clock" else _ORDER_SECONDS
            try:
                status, said = self.shop.ask(port, method, path, content, "application/json", seconds)
            except (OSError, http.client.HTTPException) as error:
                status, said = 0, type(error).__name__.encode()
            if status == 200:
                return json.loads(said)
            if done is not None and done in said:
                return {}
            if 400 <= status < 500 and b"Could not acquire lock" not in said and _HELD not in said:
                raise Refused(f"{method} {path}: {status} {said.decode()[:300]}")
            self.told.failures[f"{status} {said.decode()[:50]}" if status != 500 else "500"] += 1
            if once:
                return None
            place += 1
            time.sleep(1 if _HELD in said else 0.2)


def _day(moment: str) -> date:
    """The day of `05-03-2026 09:00:00`."""
    return datetime.strptime(moment.split(maxsplit=1)[0], "%d-%m-%Y").date()  # noqa: DTZ007


_LEDGER: Final = """
    WITH booked AS (
      SELECT unnest(order_numbers) AS number, sum((facts::json->>'amount_minor')::bigint) AS minor
        FROM sandbox_bookings WHERE shop_id = %(shop)s AND (facts::json->>'amount_minor')::bigint > 0 GROUP BY 1)
    SELECT o.number, o.amount_minor, o.postings_minor, coalesce(b.minor, 0)
      FROM orders o LEFT JOIN booked b ON b.number = o.number WHERE o.shop_id = %(shop)s
"""
_TRANSFERS: Final = """
    SELECT r.order_number, r.amount_minor, r.status, r.attempt,
           (SELECT count(*) FROM transfers t WHERE t.shop_id = r.shop_id AND t.refund_id = r.id),
           (SELECT count(*) FROM transfers t JOIN sandbox_bookings b ON b.shop_id = t.shop_id
               AND b.facts::json->>'end_to_end_id' = t.end_to_end_id AND (b.facts::json->>'amount_minor')::bigint < 0
             WHERE t.shop_id = r.shop_id AND t.refund_id = r.id)
      FROM refunds r WHERE r.shop_id = %s
"""
_REPEATED: Final = {
    "reminders": (
        "SELECT order_number, dunning_level FROM reminders WHERE shop_id = %s GROUP BY 1, 2 HAVING count(*) > 1"
    ),
    "mails": (
        "SELECT order_number, dunning_level FROM mails WHERE shop_id = %s AND correction = 0"
        " GROUP BY 1, 2, thanks, message_id HAVING count(*) > 1"
    ),
    "mails of a level": (
        "SELECT order_number, dunning_level FROM mails WHERE shop_id = %s AND correction = 0"
        " GROUP BY 1, 2, thanks HAVING count(DISTINCT message_id) > 1"
    ),
    "statements": "SELECT sha256::text, '' FROM imports WHERE shop_id = %s GROUP BY 1 HAVING count(*) > 1",
}


def differing(connection: psycopg.Connection[Any], life: SandboxLife) -> list[str]:
    """What the books of a sandbox shop have otherwise than it was told, or than its bank has booked."""
    told, shop, wrong = life.told, life.shop.id, list[str]()
    stored = {str(row[0]): row[1:] for row in connection.execute(_LEDGER, {"shop": shop})}
    for number in told.orders.keys() | stored.keys():
        amount, paid, booked = stored.get(number, (None, 0, 0))
        if amount != told.orders.get(number):
            wrong.append(f"{number}: acknowledged was {told.orders.get(number)}, stored is {amount}")
        if paid != booked:
            wrong.append(f"{number}: its bank has booked {booked}, the order has {paid}")
    refunds = connection.execute(_TRANSFERS, (shop,)).fetchall()
    found = {str(row[0]): int(row[1]) for row in refunds}
    if found != told.refunds or len(refunds) != len(found):
        wrong.append(f"refunds acknowledged and stored differ: {set(found.items()) ^ set(told.refunds.items())}")
    wrong += [f"refund of {row[0]}: {row[2]}, attempt {row[3]}, {row[4]} transfers, {row[5]} debits" for row in refunds
              if row[2] != "PROCESSED" or tuple(row[3:]) != (1, 1, 1)]  # fmt: skip
    for what, query in _REPEATED.items():
        wrong += [f"{what} twice: {row}" for row in connection.execute(query.encode(), (shop,))]
    return wrong
