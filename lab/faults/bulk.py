"""Orders in large batches: new ones, and earlier ones that come again with another amount."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import psycopg

from lab.failover.load import Shop
from lab.failover.processes import HERE
from paymatch.clock import utc_now

BATCH: Final = 250
_PATIENCE_SECONDS: Final = 60
_UPDATES: Final = 0.6
"""Share of the batches that come again."""


@dataclass
class Told:
    """What the writers were answered: the version of each batch, and how many orders were acknowledged in all."""

    orders: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    moments: list[float] = field(default_factory=list)
    changed: threading.Lock = field(default_factory=threading.Lock)


class BulkWriter(threading.Thread):
    """Submits batches until it is stopped, each until it is acknowledged. `versions`: of each of its batches."""

    def __init__(self, shop: Shop, number: int, seed: int, told: Told, days_before: int = 0) -> None:
        super().__init__(name=f"bulk {number}", daemon=True)
        self.versions: list[int] = []
        self.broken = ""
        self._days_before = days_before
        self._shop = shop
        self._number = number
        self._chance = random.Random(seed * 100 + number)
        self._told = told
        self._stopping = threading.Event()
        self._connection: http.client.HTTPConnection | None = None

    def stop(self) -> None:
        """Ends it once its batch is acknowledged."""
        self._stopping.set()

    def run(self) -> None:
        try:
            self._write()
        except Exception as error:  # a writer that ends without a word would look like a quiet day
            self.broken = repr(error)
            raise

    def _write(self) -> None:
        while not self._stopping.is_set() and not self.broken:
            if self.versions and self._chance.random() < _UPDATES:
                place = self._chance.randrange(len(self.versions))
                if self._send(place, self.versions[place] + 1):
                    self.versions[place] += 1
            elif self._send(len(self.versions), 0):
                self.versions.append(0)

    def expected(self) -> Iterator[tuple[str, int]]:
        """Number and amount in cents of every order that was acknowledged."""
        for place, version in enumerate(self.versions):
            for order in range(place * BATCH, (place + 1) * BATCH):
                yield self.number_of(order), amount_of(order, version)

    def number_of(self, order: int) -> str:
        """The number of one of its orders."""
        return f"B{self._number}-{order:07d}"

    def _send(self, place: int, version: int) -> bool:
        """Submits the batch until it is acknowledged; False if it was refused."""
        day = f"{utc_now() - timedelta(days=self._days_before):%d-%m-%Y}"
        texts = (
            f'{{"number":"{self.number_of(order)}","date":"{day}","type":"PREPAYMENT",'
            f'"amount":{amount_of(order, version) / 100:.2f},"currency":"EUR",'
            f'"billing":{{"firstName":"Erika","lastName":"Muster{order % 1000}","countryCode":"DE"}}}}'
            for order in range(place * BATCH, (place + 1) * BATCH)
        )
        body = ("[" + ",".join(texts) + "]").encode()
        turn = 0
        while True:
            status, said = self._ask(self._shop.ports[turn % len(self._shop.ports)], body)
            if status == 200:
                with self._told.changed:
                    self._told.orders += BATCH
                    self._told.moments.append(time.monotonic())
                return True
            if 400 <= status < 500 and b"Could not acquire lock" not in said:
                self.broken = f"POST orders: {status} {said.decode()[:300]}"
                return False
            with self._told.changed:
                self._told.failures[f"{status} {said.decode()[:50]}" if status != 500 else "500"] += 1
            turn += 1
            time.sleep(0.1)

    def _ask(self, port: int, body: bytes) -> tuple[int, bytes]:
        """Status and answer; status 0 and the error without one."""
        try:
            if self._connection is None or self._connection.port != port:
                self._connection = http.client.HTTPConnection(HERE, port, timeout=_PATIENCE_SECONDS)
            headers = {"X-Service-API-Key": self._shop.key, "Content-Type": "application/json"}
            self._connection.request("POST", "/api/v2/orders", body, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            return 0, type(error).__name__.encode()


def amount_of(order: int, version: int) -> int:
    """The amount in cents of a version of an order."""
    return 1000 + (order * 7919 + version * 104_729) % 90_000


def differing(connection: psycopg.Connection[Any], shop: Shop, writers: list[BulkWriter]) -> list[str]:
    """What the database has otherwise than it was acknowledged: a lost order, an old amount, one that nobody sent."""
    stored: dict[str, int] = {}
    with connection.cursor(name="bulk") as cursor:
        cursor.itersize = 20_000
        cursor.execute("SELECT number, amount_minor FROM orders WHERE shop_id = %s", (shop.id,))
        stored.update((str(number), int(minor)) for number, minor in cursor)
    wrong: list[str] = []
    for writer in writers:
        for number, minor in writer.expected():
            found = stored.pop(number, None)
            if found != minor:
                wrong.append(f"{number}: acknowledged was {minor}, stored is {found}")
    return wrong + [f"{number} is stored, but was never acknowledged" for number in stored]
