"""Callbacks: deliveries per second and core, and how long a change takes to a healthy receiver beside 200 dead ones.

    PYTHONPATH=src:. python -m lab.callbacks [--callbacks 6000] [--seconds 20] [--dead 200]

The receiver, the database and the sender run in processes of their own; the sender's own CPU is what counts for the
rate. Latency is from the commit of the change to the arrival of the request. The dead receivers accept a connection
and never answer, with the real limits of 5 and 15 seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import socket
import statistics
import tempfile
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

from tests.usecases.callbacks.callback_world import World, add_orders, new_world, with_callbacks

from paymatch.clock import utc_now
from paymatch.domain.orders.settlement import Mark
from paymatch.embedded import running_server
from paymatch.jobs.callbacks import CallbackSender
from paymatch.outbound.http import HttpClient
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.store.orders import orders as order_store
from paymatch.usecases.settlement.ledger import settle

CONTEXT = multiprocessing.get_context("spawn")


class Receiver(asyncio.Protocol):
    """Answers every request with 200 and notes when which order number arrived."""

    arrivals: list[tuple[str, float]]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, rest = self.buffer.partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            if len(rest) < length:
                return
            self.arrivals.append((json.loads(rest[:length])["number"], time.monotonic()))
            self.buffer = rest[length:]
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def serve_receiver(pipe: Connection) -> None:
    """Receiver process: sends its port, then, when asked, the arrivals so far."""

    async def serve() -> None:
        Receiver.arrivals = []
        server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        while True:
            wanted = await asyncio.to_thread(pipe.recv)
            if wanted is None:
                return
            pipe.send(Receiver.arrivals)

    asyncio.run(serve())


def run_sender(url: str, stop: Event, pipe: Connection) -> None:
    """Sender process: sends callbacks until told to stop; then its CPU seconds and memory."""
    database = Database(url, size=8)
    client = HttpClient(allow_private=True, resolver=lambda _host, _port: ["127.0.0.1"])
    sender = CallbackSender(database, client, utc_now)
    sender.start()
    pipe.send("ready")
    stop.wait()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    pipe.send((usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
    sender.stop()
    database.close()


@dataclass
class Sender:
    """A running sender process."""

    url: str

    def __enter__(self) -> Sender:
        self.stop = CONTEXT.Event()
        self.pipe, far = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=run_sender, args=(self.url, self.stop, far))
        self.process.start()
        self.pipe.recv()
        return self

    def usage(self) -> tuple[float, float]:
        """CPU seconds and the most memory in MB; the sender ends."""
        self.stop.set()
        cpu_seconds, megabytes = self.pipe.recv()
        return cpu_seconds, megabytes

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.process.join()


def change(world: World, numbers: list[str]) -> None:
    """The orders become PAID, in one transaction."""
    with world.database.of_shop(world.shop) as tx:
        order_store.set_mark(tx, numbers, Mark.PAID, world.now)
        settle(tx, numbers, cause="benchmark", now=utc_now())


def undelivered(world: World) -> int:
    """Callbacks of the shop that are not delivered."""
    (row,) = world.rows("SELECT count(*)::int FROM callbacks WHERE shop_id = $1 AND status <> 'DELIVERED'")
    return int(str(row[0]))


def rate(database: Database, url: str, port: int, count: int, shops: int) -> None:
    """A backlog of `count` callbacks of `shops` shops with one receiver each on the same host."""
    worlds = [new_world(database, f"http://shop-{index}.example:{port}/") for index in range(shops)]
    for world in worlds:
        numbers = [f"R-{index}" for index in range(count // shops)]
        add_orders(database, world.id, numbers, utc_now())
        change(world, numbers)
    started = time.monotonic()
    with Sender(url) as sender:
        while any(undelivered(world) for world in worlds):
            time.sleep(0.1)
        elapsed = time.monotonic() - started
        cpu_seconds, megabytes = sender.usage()
    print(
        f"backlog of {count} in {shops} shops: {count / elapsed:.0f} deliveries/s, "
        f"{cpu_seconds / count * 1000:.2f} ms of the sender's CPU each = {count / cpu_seconds:.0f}/s and core, "
        f"{megabytes:.0f} MB"
    )
    for world in worlds:
        with_callbacks(database, world.shop, "", on=False)


def latency(database: Database, url: str, port: int, pipe: Connection, seconds: int, dead: int) -> None:
    """Changes at random-looking moments in 20 healthy shops while `dead` receivers hang."""
    deaf = [socket.create_server(("127.0.0.1", 0), backlog=64) for _ in range(dead)]
    for index, listener in enumerate(deaf):
        world = new_world(database, f"http://dead-{index}.example:{listener.getsockname()[1]}/")
        numbers = [f"D-{order}" for order in range(20)]
        add_orders(database, world.id, numbers, utc_now())
        change(world, numbers)
    healthy = [new_world(database, f"http://healthy-{index}.example:{port}/") for index in range(20)]
    prepared = [[f"H-{place}-{order}" for order in range(seconds * 5)] for place in range(20)]
    for world, numbers in zip(healthy, prepared, strict=True):
        add_orders(database, world.id, numbers, utc_now())
    pipe.send("arrivals")
    before = len(pipe.recv())
    committed: dict[str, float] = {}
    with Sender(url) as sender:
        for index in range(seconds * 50):
            place = index * 7 % 20
            if prepared[place]:
                number = prepared[place].pop()
                change(replace(healthy[place], now=utc_now()), [number])
                committed[number] = time.monotonic()
            time.sleep(0.02)
        time.sleep(3)
        cpu_seconds, megabytes = sender.usage()
        pipe.send("arrivals")
        arrived = dict(pipe.recv()[before:])
        waits = sorted(arrived[number] - moment for number, moment in committed.items() if number in arrived)
        print(
            f"beside {dead} hanging receivers: {len(waits)} of {len(committed)} arrived, "
            f"median {statistics.median(waits) * 1000:.0f} ms, p99 {waits[int(len(waits) * 0.99)] * 1000:.0f} ms, "
            f"most {waits[-1] * 1000:.0f} ms; {cpu_seconds:.1f} s of the sender's CPU, {megabytes:.0f} MB"
        )
    for listener in deaf:
        listener.close()


def main() -> None:
    """Prints one line per measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callbacks", type=int, default=6000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--dead", type=int, default=200)
    wanted = parser.parse_args()
    pipe, far = CONTEXT.Pipe()
    process = CONTEXT.Process(target=serve_receiver, args=(far,))
    process.start()
    port = pipe.recv()
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as url:
        migrate(url)
        database = Database(url, size=4)
        for shops in (1, 20):
            rate(database, url, port, wanted.callbacks, shops)
        latency(database, url, port, pipe, wanted.seconds, wanted.dead)
        database.close()
    pipe.send(None)
    process.join()


if __name__ == "__main__":
    main()
