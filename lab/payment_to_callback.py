"""From a camt.054 to the answered callback: how long a payment takes, at 100 payments a second, also through kill -9.

    PYTHONPATH=src:. python -m lab.payment_to_callback [--seconds 20] [--per-second 100] [--per-file 10] [--shops 4]
        [--way api|folder] [--one-price] [--kills 0] [--port 21700]

One `paymatch serve` with its worker and its database, as an installation has them. Files of `--per-file` payments come
at fixed moments, whether or not the ones before are done. A payment's time is from the moment at which its file was to
leave the bank until the receiver has answered the callback that says PAID. A few payments come first, so that
a service is measured that has been running. With `--kills` processes of the service are
killed meanwhile, at random; a file that got no answer is sent again, as a bank or its client does.

Ends with 1 if a callback is missing or one arrives under two ids, if an order was paid twice, or, without kills, if the
slowest hundredth takes longer than 2 seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import math
import multiprocessing
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import ClassVar, Final

import psutil

from lab.failover.load import IBAN, Shop
from lab.failover.processes import HERE, wait_for
from lab.faults.installation import Installation
from lab.faults.victims import Killer
from paymatch.clock import utc_now
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.store.database import Database

WARM: Final = 10
"""Payments of each shop before the measured ones."""
GOAL_SECONDS: Final = 2.0
PATIENCE_SECONDS: Final = 120.0
_BOUNDARY: Final = "payments"
_CONTEXT: Final = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Arrival:
    """A callback that was answered."""

    webhook_id: str
    number: str
    status: str
    at: float  # of the machine's monotonic clock


class Receiver(asyncio.Protocol):
    """Answers every callback with 200 at once, and notes what it was and when it was answered."""

    came: ClassVar[list[Arrival]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, rest = self.buffer.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().lower().split("\r\n")[1:])
            length = int(fields["content-length"])
            if len(rest) < length:
                return
            order, self.buffer = json.loads(rest[:length]), rest[length:]
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            found = Arrival(fields["webhook-id"], order["number"], order["paymentStatus"], time.monotonic())
            self.came.append(found)


def receive(port: int, pipe: Connection) -> None:
    """Receiver process: hands out what came whenever it is asked, and ends at None."""

    async def serve() -> None:
        await asyncio.get_running_loop().create_server(Receiver, HERE, port)
        pipe.send("ready")
        while await asyncio.to_thread(pipe.recv) is not None:
            pipe.send(Receiver.came)

    asyncio.run(serve())


@contextmanager
def receiving(port: int) -> Iterator[Connection]:
    """The receiver's process; send "arrivals" to get them."""
    pipe, far = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=receive, args=(port, far))
    process.start()
    pipe.recv()
    try:
        yield pipe
    finally:
        pipe.send(None)
        process.join()


def minor_of(number: str, *, one_price: bool) -> int:
    """What an order costs; with `one_price` all cost the same, which makes payments hard to tell apart."""
    return 1000 if one_price else 1000 + int(number.partition("-")[2]) * 37 % 20_000


def notification(file: int, numbers: list[str], *, one_price: bool = True) -> bytes:
    """A camt.054 with the payment of each of the orders."""
    day = utc_now().date()
    entries = tuple(
        WrittenEntry(
            (
                Posting(
                    IBAN, EUR, minor_of(number, one_price=one_price), day, value_date=day,
                    counterparty_name="Eva Muster", entry_reference=f"R{number}",
                    counterparty_iban="DE75512108001245126199", remittance_lines=(f"Order {number}",),
                ),
            ),
            bank_reference=f"R{number}",
        )
        for number in numbers
    )  # fmt: skip
    statement = CamtStatement(IBAN, EUR, 0, day, day, f"N{file}", file, entries)
    return write_camt([statement], datetime.now(UTC), CamtMessage.NOTIFICATION, message_id=f"N{file}")


class Bank(threading.Thread):
    """Sends one shop's files, each at its moment or as soon as the one before it was taken."""

    def __init__(self, shop: Shop, files: list[tuple[float, bytes]], folder: Path | None) -> None:
        super().__init__(name=f"bank {shop.id}", daemon=True)
        self._shop, self._files, self._folder = shop, files, folder
        self.again = 0
        self._line: http.client.HTTPConnection | None = None

    def run(self) -> None:
        for number, (moment, data) in enumerate(self._files):
            time.sleep(max(0.0, moment - time.monotonic()))
            while not self._bring(number, data):
                self.again += 1
                time.sleep(0.2)

    def _bring(self, number: int, data: bytes) -> bool:
        if self._folder is not None:
            draft = self._folder / f".{number}.tmp"
            draft.write_bytes(data)
            draft.rename(self._folder / f"{number}.xml")
            return True
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{number}.xml"\r\n\r\n'.encode()
        body = head + data + f"\r\n--{_BOUNDARY}--\r\n".encode()
        headers = {
            "X-Service-API-Key": self._shop.key, "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
        }  # fmt: skip
        try:
            if self._line is None:
                self._line = http.client.HTTPConnection(HERE, self._shop.ports[0], timeout=60)
            self._line.request("POST", "/api/v2/statements", body, headers)
            answer = self._line.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            self._line = None
            return False
        return answer.status in (200, 202)


def submitted(shop: Shop, numbers: list[str], *, one_price: bool) -> None:
    """The shop's orders, by its API."""
    day = utc_now().strftime("%d-%m-%Y")
    for place in range(0, len(numbers), 100):
        orders = [
            {
                "number": number, "date": day, "type": "PREPAYMENT", "currency": "EUR",
                "amount": minor_of(number, one_price=one_price) / 100,
                "billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"},
            }
            for number in numbers[place : place + 100]
        ]  # fmt: skip
        line = http.client.HTTPConnection(HERE, shop.ports[0], timeout=60)
        line.request("POST", "/api/v2/orders", json.dumps(orders), {"X-Service-API-Key": shop.key})
        answer = line.getresponse()
        assert answer.status == 200, answer.read()
        line.close()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played."""

    seconds: int
    per_second: int
    per_file: int
    shops: int
    by_folder: bool
    kills: int
    seed: int
    one_price: bool

    def numbers(self, shop: int) -> list[str]:
        """The orders of a shop."""
        each = math.ceil(self.seconds * self.per_second / self.shops)
        return [f"P{shop}-{10_000 + place}" for place in range(WARM + each)]


def play(installation: Installation, plan: Plan, pipe: Connection) -> bool:
    """Sends the payments and says what became of them; whether the goals are kept."""
    shops = [installation.new_shop(f"Shop {place}") for place in range(plan.shops)]
    for place, shop in enumerate(shops):
        submitted(shop, plan.numbers(place), one_price=plan.one_price)
    warm = _warm_up(installation, plan, shops, pipe)
    start = time.monotonic() + 1.0
    left: dict[str, float] = {}
    banks = []
    for place, shop in enumerate(shops):
        numbers, files = plan.numbers(place), []
        for first in range(WARM, len(numbers), plan.per_file):
            some = numbers[first : first + plan.per_file]
            moment = start + ((first - WARM) * plan.shops + place * plan.per_file) / plan.per_second
            left |= dict.fromkeys(some, moment)
            files.append((moment, notification(place * 100_000 + first + 1, some, one_price=plan.one_price)))
        banks.append(Bank(shop, files, _inbox(installation, shop) if plan.by_folder else None))
    used = cpu_seconds_of(installation)
    killer = Killer(installation, random.Random(plan.seed), plan.kills / plan.seconds or 1.0, plan.kills)
    for bank in banks:
        bank.start()
    if plan.kills:
        killer.start()
    for bank in banks:
        bank.join()
    if plan.kills:
        killer.stop()
    wait_for("all callbacks", lambda: len(_paid(pipe)) == len(left) + warm, PATIENCE_SECONDS)
    each = (cpu_seconds_of(installation) - used) / len(left)
    print(f"{each * 1000:.1f} ms of CPU for each payment, database included: two cores take {2 / each:.0f} a second")
    return _say(installation, plan, left, pipe, sum(bank.again for bank in banks), killer)


def _warm_up(installation: Installation, plan: Plan, shops: list[Shop], pipe: Connection) -> int:
    """Pays some orders of each shop, so that a service is measured that has been running; how many."""
    for place, shop in enumerate(shops):
        some = plan.numbers(place)[:WARM]
        files = [
            (0.0, notification(place * 100_000 + 90_000 + at, [number], one_price=plan.one_price))
            for at, number in enumerate(some)
        ]
        bank = Bank(shop, files, _inbox(installation, shop) if plan.by_folder else None)
        bank.start()
        bank.join()
    wait_for("the first callbacks", lambda: len(_paid(pipe)) == WARM * len(shops), PATIENCE_SECONDS)
    return WARM * len(shops)


def cpu_seconds_of(installation: Installation) -> float:
    """What the service and its database have used so far, ended processes included; after kills it is too little."""
    found = 0.0
    database = int((installation.data / "postgres" / "cluster" / "postmaster.pid").read_text().split()[0])
    for pid in (*(server.pid for server in installation.servers), database):
        for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
            with suppress(psutil.Error):
                found += sum(process.cpu_times()[:4])
    return found


def _inbox(installation: Installation, shop: Shop) -> Path:
    folder = installation.data / "drop" / shop.id / "inbox"
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    return folder


def _arrivals(pipe: Connection) -> list[Arrival]:
    pipe.send("arrivals")
    found: list[Arrival] = pipe.recv()
    return found


def _paid(pipe: Connection) -> dict[str, float]:
    """Order -> when its first callback that says PAID was answered."""
    found: dict[str, float] = {}
    for each in _arrivals(pipe):
        if each.status == "PAID":
            found.setdefault(each.number, each.at)
    return found


def _say(
    installation: Installation, plan: Plan, left: dict[str, float], pipe: Connection, again: int, killer: Killer
) -> bool:
    ids: dict[str, set[str]] = defaultdict(set)
    arrivals = _arrivals(pipe)
    for each in arrivals:
        if each.status == "PAID":
            ids[each.number].add(each.webhook_id)
    paid = _paid(pipe)
    waits = sorted(paid[number] - moment for number, moment in left.items() if number in paid)
    slowest = waits[math.ceil(len(waits) * 0.99) - 1]
    first = min(left.values())
    late = sorted(
        {round(moment - first, 1) for number, moment in left.items() if paid.get(number, 0) - moment > slowest / 2}
    )
    print(f"slower than half of the slowest hundredth: files sent at second {', '.join(map(str, late[:30]))}")
    doubled = sum(len(found) > 1 for found in ids.values())
    repeated = len(arrivals) - len({each.webhook_id for each in arrivals})
    wrong = _wrong_books(installation, len(left) + WARM * plan.shops)
    print(
        f"{len(waits)} of {len(left)} payments, {plan.per_second}/s in files of {plan.per_file} to {plan.shops} shops"
        f" by {'the drop folder' if plan.by_folder else 'API'}: median {statistics.median(waits):.2f} s,"
        f" p99 {slowest:.2f} s, most {waits[-1]:.2f} s; {sum(killer.killed.values())} kills, {again} files sent again,"
        f" {repeated} callbacks repeated under their id, {doubled} under two ids, {wrong} orders booked wrongly"
    )
    return len(waits) == len(left) and not doubled and not wrong and (bool(plan.kills) or slowest <= GOAL_SECONDS)


def _wrong_books(installation: Installation, expected: int) -> int:
    """Orders that are not PAID by exactly one posting of theirs, with one event and one delivered callback."""
    database = Database(installation.url, size=1)
    with database.of_all_shops() as tx:
        right = tx.value(
            "SELECT count(*) FROM orders o WHERE o.status = 'PAID' AND o.postings_minor = o.amount_minor"
            " AND (SELECT count(*) FROM allocations a WHERE a.shop_id = o.shop_id AND a.order_number = o.number) = 1"
            " AND (SELECT count(*) FROM events e WHERE e.shop_id = o.shop_id AND e.order_number = o.number"
            "      AND e.to_status = 'PAID') = 1"
            " AND (SELECT count(*) FROM callbacks c WHERE c.shop_id = o.shop_id AND c.order_number = o.number"
            "      AND c.status = 'DELIVERED') = 1"
        )
    database.close()
    return expected - int(right)


def main() -> int:
    """Plays one plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--per-second", type=int, default=100)
    parser.add_argument("--per-file", type=int, default=10)
    parser.add_argument("--shops", type=int, default=4)
    parser.add_argument("--way", choices=("api", "folder"), default="api")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one-price", action="store_true", help="all orders cost the same")
    parser.add_argument("--port", type=int, default=21_700)
    given = parser.parse_args()
    plan = Plan(
        given.seconds,
        given.per_second,
        given.per_file,
        given.shops,
        given.way == "folder",
        given.kills,
        given.seed,
        given.one_price,
    )
    with tempfile.TemporaryDirectory(prefix="paymatch-payment-") as name:
        folder = Path(name)
        drop = {"PAYMATCH_DROP_DIR": str(folder / "data" / "drop")}
        installation = Installation(folder, given.port, further_workers=2 if given.kills else 0, environment=drop)
        with receiving(installation.callback_port) as pipe, installation.running():
            return 0 if play(installation, plan, pipe) else 1


if __name__ == "__main__":
    sys.exit(main())
