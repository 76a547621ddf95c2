"""What distribution costs, and what a rebalance under load does to those who submit (docs/growth.md).

`PYTHONPATH=src:. python -m lab.distribution --pg-config /path/to/pg_config [--only sizes|costs|rebalance]`:

- sizes: what paid orders take on disk, table by table, on the bundled PostgreSQL.
- costs: the same submissions, imports and callbacks on one server, on a cluster of one node and of three; CPU time
  of our process, of the coordinator and of the other nodes for each order, posting and callback.
- rebalance: a cluster of one node gets two more, moves parts to them and then one shop to another node, while three
  clients submit orders: each answered order must be there afterwards.
"""

from __future__ import annotations

import argparse
import io
import logging
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
import psutil
import psycopg
import structlog
from tests.contract.client import START, Clock, ShopClient, new_shop
from tests.contract.client import order as small_order
from tests.keys import KEYRING
from tests.nodes import distribute_on_nodes, with_database
from tests.usecases.callbacks.callback_world import with_callbacks
from tests.usecases.conftest import ACCOUNT, camt, paid

from lab.api_world import order
from lab.citus import cluster
from paymatch.api import Api, ApiConfig
from paymatch.domain.statement_channels import StatementChannel
from paymatch.embedded import running_server
from paymatch.formats.camt.writer import CamtMessage
from paymatch.jobs.callbacks import CallbackSender
from paymatch.outbound.files import DirectoryFiles
from paymatch.outbound.http import NullHttp
from paymatch.store.database import Database
from paymatch.store.migrate import migrate
from paymatch.usecases.statements.statements import import_file

SHARDS: Final = 32
FEW_SHARDS: Final = 4
"""Parts of the cluster that is rebalanced: each is 66 tables to move."""
ORDERS: Final = 100
_DAY: Final = date(2026, 3, 2)


@dataclass
class World:
    """Shops on a database, and the processes of its nodes."""

    urls: list[str]
    database: Database
    api: Api
    clock: Clock
    shops: list[ShopClient] = field(default_factory=list)

    @property
    def own_url(self) -> str:
        return self.database.url


@contextmanager
def new_world(
    urls: list[str], name: str, folder: Path, *, distributed: bool, shops: int, shards: int = SHARDS
) -> Iterator[World]:
    """A world on the nodes, all of them or, without distribution, the first."""
    for url in urls:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
    own = with_database(urls[0], name)
    migrate(own)
    if distributed:
        distribute_on_nodes(name, urls, shards)
    database, clock = Database(own, size=8, keyring=KEYRING), Clock()
    api = Api(
        database,
        DirectoryFiles(folder),
        ApiConfig(key_headers=("x-service-api-key",), clock=clock, invoice_max_bytes=10_000_000),
    )
    world = World(urls, database, api, clock)
    for _ in range(shops):
        shop = new_shop(api, database, clock, ibans=[ACCOUNT])
        shop.shop = with_callbacks(database, shop.shop, "https://shop.example/callback")
        world.shops.append(shop)
    try:
        yield world
    finally:
        database.close()


def cpu_of(urls: list[str]) -> list[float]:
    """CPU seconds of each node so far, of processes that have ended too."""
    return [sum(_cpu(process) for process in _tree(urlsplit(url).port)) for url in urls]


def _tree(port: int | None) -> list[psutil.Process]:
    for found in psutil.process_iter(["name"]):
        if found.info["name"] == "postgres":
            try:
                if any(each.laddr.port == port and each.status == "LISTEN" for each in found.net_connections("tcp")):
                    return [found, *found.children(recursive=True)]
            except psutil.Error:
                continue
    raise RuntimeError(f"nothing listens on port {port}")


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def measure(world: World, what: str, count: int, work: Callable[[], object]) -> None:
    """Prints CPU microseconds for each of `count` things: ours, the coordinator's, that of the other nodes together."""
    before, own, wall = cpu_of(world.urls), time.process_time(), time.perf_counter()
    work()
    wall, own, after = time.perf_counter() - wall, time.process_time() - own, cpu_of(world.urls)
    spent = [b - a for a, b in zip(before, after, strict=True)]
    each = [f"{1e6 * value / count:9.0f}" for value in (own, spent[0], sum(spent[1:]), wall)]
    print(f"  {what:24} own {each[0]}  coordinator {each[1]}  others {each[2]}  wall {each[3]} us", flush=True)


def _submit(world: World, first: int, version: int = 0) -> None:
    for shop in world.shops:
        reply = shop.post("orders", _wire([order(first + n, version=version, today=_DAY) for n in range(ORDERS)]))
        assert reply.status == 200, reply.body


def _wire(orders: list[dict[str, object]]) -> bytes:
    return msgspec.json.encode(orders)


def _import(world: World, first: int) -> None:
    for shop in world.shops:
        payments = [
            paid(1990 + number * 37 % 40000, f"RE-{500_000 + number}", entry_reference=f"B{number}", booking_date=_DAY)
            for number in range(first, first + ORDERS)
        ]
        content = camt(CamtMessage.STATEMENT, *payments, number=first, days=(_DAY, _DAY))
        report = import_file(
            world.database, shop.shop, io.BytesIO(content), f"{first}.xml", START, channel=StatementChannel.COMMAND_LINE
        )
        assert report.new == ORDERS, report


def _call_back(world: World) -> int:
    door = NullHttp()
    CallbackSender(world.database, door, lambda: START).drain()
    return len(door.calls)


def _read(world: World) -> None:
    for shop in world.shops * 20:
        assert shop.status("A-101000") == "PAID"


def costs(bindir: Path, shops: int) -> None:
    """Prints the table of costs."""
    for title, nodes, distributed in (("one server", 1, False), ("one node", 1, True), ("three nodes", 3, True)):
        print(f"{title}:", flush=True)
        with (
            tempfile.TemporaryDirectory(prefix="paymatch-nodes-") as home,
            cluster(bindir, Path(home), nodes=nodes, first_port=16200) as urls,
            new_world(urls, "growth", Path(home), distributed=distributed, shops=shops) as world,
        ):
            _submit(world, 0)  # plans and connections
            total = shops * ORDERS
            measure(world, "order, new", total, lambda: _submit(world, 1000))
            measure(world, "order, unchanged", total, lambda: _submit(world, 1000))
            _import(world, 0)
            measure(world, "posting, matched", total, lambda: _import(world, 1000))
            measure(world, "callback", 2 * total, lambda: _call_back(world))
            _read(world)
            measure(world, "GET /order", 20 * shops, lambda: _read(world))


_SIZES: Final = """
SELECT c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
ORDER BY pg_total_relation_size(c.oid) DESC LIMIT 16"""


def sizes(count: int) -> None:
    """Prints what `count` paid orders of one shop take on disk, table by table, on the bundled PostgreSQL."""
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-sizes-") as home,
        running_server(Path(home), durable=False) as url,
        new_world([url], "growth", Path(home), distributed=False, shops=1) as world,
        psycopg.connect(world.own_url, autocommit=True) as admin,
    ):
        [empty] = admin.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
        started = admin.execute("SELECT pg_current_wal_lsn()").fetchone()
        for first in range(0, count, ORDERS):
            _submit(world, first)
        for first in range(0, count, ORDERS):
            _import(world, first)
        print(f"callbacks sent: {_call_back(world)}")
        wal = admin.execute("SELECT pg_current_wal_lsn() - %s::pg_lsn", started).fetchone()
        admin.execute("VACUUM ANALYZE")
        [full] = admin.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
        print(f"{(full - empty) / count:.0f} bytes a paid order in all, {float((wal or (0,))[0]) / count:.0f} of WAL")
        for name, table, indexes in admin.execute(_SIZES):
            row = admin.execute(f"SELECT count(*) FROM {name}").fetchone()
            rows = (row or (0,))[0] or 1
            print(f"  {name:20} {rows:8} rows  {table / rows:7.0f} table  {indexes / rows:7.0f} indexes  a row")


class Client(threading.Thread):
    """Submits orders one after the other to any shop, and keeps what was answered."""

    def __init__(self, world: World, seed: int) -> None:
        super().__init__()
        self.world, self.seed = world, seed
        self.answered: list[tuple[ShopClient, str]] = []
        self.refused: list[bytes] = []
        self.longest = 0.0
        self.ends = threading.Event()

    def run(self) -> None:
        chance, n = random.Random(self.seed), 0
        while not self.ends.is_set():
            shop, number, n = chance.choice(self.world.shops), f"L-{self.seed}-{n}", n + 1
            started = time.perf_counter()
            reply = shop.post(f"order/{number}", small_order(number))
            self.longest = max(self.longest, time.perf_counter() - started)
            if reply.status == 200:
                self.answered.append((shop, number))
            else:
                self.refused.append(reply.body)


def rebalance(bindir: Path, shops: int) -> None:
    """Parts move to two new nodes, then one shop to a node, under load; AssertionError if an order is missing."""
    with (
        tempfile.TemporaryDirectory(prefix="paymatch-nodes-") as home,
        cluster(bindir, Path(home), first_port=16300) as urls,
        new_world(urls[:1], "growth", Path(home), distributed=True, shops=shops, shards=FEW_SHARDS) as world,
        psycopg.connect(world.own_url, autocommit=True) as admin,
    ):
        for number in range(3):
            _submit(world, number * ORDERS)
        for url in urls[1:]:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("CREATE DATABASE growth")
            with psycopg.connect(with_database(url, "growth"), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION citus")
        clients = [Client(world, seed) for seed in range(3)]
        for client in clients:
            client.start()
        try:
            _step(clients, "no change", lambda: time.sleep(10))
            _step(clients, "two nodes added", lambda: _add(admin, urls[1:]))
            _step(clients, "rebalanced", lambda: _rebalance(admin))
            _step(clients, "one shop moved", lambda: _move(admin, str(world.shops[0].id), urls))
        finally:
            for client in clients:
                client.ends.set()
            for client in clients:
                client.join()
        answered = [each for client in clients for each in client.answered]
        lost = [number for shop, number in answered if shop.get(f"order/{number}").status != 200]
        print("parts on each node:", admin.execute(_PARTS).fetchall())
        print(f"answered {len(answered)}, lost {len(lost)}, refused {sum(len(each.refused) for each in clients)}")
        for body in {body for client in clients for body in client.refused}:
            print("  refused with", body[:200])
        assert lost == []


_PARTS: Final = "SELECT nodeport, count(*) FROM citus_shards WHERE table_name = 'shops'::regclass GROUP BY 1 ORDER BY 1"


def _step(clients: list[Client], title: str, work: Callable[[], object]) -> None:
    before, started = sum(len(each.answered) for each in clients), time.perf_counter()
    for client in clients:
        client.longest = 0.0
    work()
    seconds = time.perf_counter() - started
    done = sum(len(each.answered) for each in clients) - before
    longest = max(each.longest for each in clients)
    print(f"  {title:20} {seconds:6.1f} s, {done / seconds:6.1f} orders/s, longest answer {longest:.2f} s", flush=True)


def _add(admin: psycopg.Connection[tuple[object, ...]], urls: list[str]) -> None:
    for url in urls:
        admin.execute("SELECT citus_add_node(%s, %s)", (urlsplit(url).hostname, urlsplit(url).port))


def _rebalance(admin: psycopg.Connection[tuple[object, ...]]) -> None:
    admin.execute("SELECT citus_rebalance_start(shard_transfer_mode => 'force_logical')")
    admin.execute("SELECT citus_rebalance_wait()")


def _move(admin: psycopg.Connection[tuple[object, ...]], shop: str, urls: list[str]) -> None:
    [shard] = admin.execute(
        "SELECT isolate_tenant_to_new_shard('shops', %s::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')",
        (shop,),
    ).fetchone() or (None,)
    [at] = admin.execute("SELECT nodeport FROM citus_shards WHERE shardid = %s", (shard,)).fetchone() or (None,)
    target = next(urlsplit(url).port for url in urls if urlsplit(url).port != at)
    admin.execute(
        "SELECT citus_move_shard_placement(%s, '127.0.0.1', %s, '127.0.0.1', %s, 'force_logical')", (shard, at, target)
    )


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pg-config", default="pg_config")
    parser.add_argument("--shops", type=int, default=12)
    parser.add_argument("--only", choices=("costs", "rebalance", "sizes"))
    parser.add_argument("--orders", type=int, default=10000, help="orders of the one shop whose size is told")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    if given.only in (None, "sizes"):
        sizes(given.orders)
    if given.only == "sizes":
        return
    asked = subprocess.run([given.pg_config, "--bindir"], check=True, capture_output=True, text=True)
    bindir = Path(asked.stdout.strip())
    if given.only != "rebalance":
        costs(bindir, given.shops)
    if given.only != "costs":
        rebalance(bindir, given.shops)


if __name__ == "__main__":
    main()
