"""Servers on one database, restarted one after the other while shops go on submitting orders."""

from __future__ import annotations

import http.client
import json
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.front.service import Service, service
from tests.waiting import PATIENCE_SECONDS

SECONDS = 20.0


@dataclass
class Shop:
    """A shop that submits orders all the time; it tries again if nothing listens, and on 503 with Retry-After."""

    key: str
    name: str
    servers: list[int]
    keeps: bool = False
    """Whether it sends one request after the other on one connection, as clients with a pool do."""
    acknowledged: list[str] = field(default_factory=list)
    refused: int = 0
    wrong: list[str] = field(default_factory=list)
    """What a shop should never see: any other answer, and connections that broke."""
    _kept: dict[int, http.client.HTTPConnection] = field(default_factory=dict)

    def submit(self, number: str) -> None:
        """One order, until a server has taken it."""
        for turn in count():
            port = self.servers[turn % len(self.servers)]
            try:
                status, again = self._ask(port, number)
            except ConnectionRefusedError:
                self.refused += 1
                time.sleep(0.02)
                continue
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"{number} at {port}: {error!r}")
                return
            if status == 200:
                self.acknowledged.append(number)
                return
            if status != 503 or again is None:
                self.wrong.append(f"{number} at {port}: {status}")
                return
            time.sleep(float(again))

    def leave(self) -> None:
        """Closes what it kept open."""
        for connection in self._kept.values():
            connection.close()

    def _ask(self, port: int, number: str) -> tuple[int, str | None]:
        """Status and Retry-After of one attempt."""
        body = {
            "number": number, "date": "16-11-2026", "type": "PREPAYMENT", "amount": 49.9, "currency": "EUR",
            "billing": {"firstName": "Erika", "lastName": "Mustermann", "countryCode": "DE"},
        }  # fmt: skip
        connection = self._kept.pop(port, None) or http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        headers = {"X-Service-API-Key": self.key, "Content-Type": "application/json"}
        try:
            connection.request("POST", f"/api/v2/order/{number}", json.dumps(body), headers)
            answer = connection.getresponse()
            answer.read()
            if self.keeps:
                self._kept[port] = connection
            return answer.status, answer.getheader("Retry-After")
        finally:
            if port not in self._kept:
                connection.close()


@contextmanager
def submitting(shops: list[Shop]) -> Iterator[None]:
    """Every shop submits one order after the other until the block ends."""
    over = threading.Event()

    def go_on(shop: Shop) -> None:
        for number in count():
            if over.is_set():
                break
            shop.submit(f"{shop.name}-{number}")
        shop.leave()

    threads = [threading.Thread(target=go_on, args=(shop,)) for shop in shops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        assert not any(thread.is_alive() for thread in threads)


def roll(url: str, folder: Path, *, servers: int, shops: int, rounds: int, pause: float) -> list[Shop]:
    """What the shops saw while each server was stopped by SIGTERM and replaced, `rounds` times."""
    with ExitStack() as stack:
        names = count()

        def start() -> Service:
            own = folder / f"server-{next(names)}"
            own.mkdir()
            return stack.enter_context(service(url, own))

        with ThreadPoolExecutor(servers) as together:
            running = [each.result() for each in [together.submit(start) for _ in range(servers)]]
        ports = [each.port for each in running]
        submitters = [Shop(running[0].shop(f"Shop {n}"), f"S{n}", ports, keeps=n % 2 == 1) for n in range(shops)]
        with submitting(submitters):
            time.sleep(pause)
            for place in [*range(servers)] * rounds:
                leaving = running[place].process
                leaving.send_signal(signal.SIGTERM)
                assert leaving.wait(PATIENCE_SECONDS) == 0
                running[place] = start()
                ports[place] = running[place].port
                time.sleep(pause)
    return submitters
