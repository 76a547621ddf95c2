"""What the merchant area's pages cost in a shop with 100,000 orders and 100,000 postings: queries and server time.

python -m lab.area_pages [--orders 100000] [--pages postings,bank]

The shop of `tests/area/filled_shop.py`, in which every page shows something, is multiplied by SQL: most orders are paid
by a posting each, every fiftieth posting waits for a person. Each page is asked for in process, as its owner.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
from pydantic import SecretStr
from tests.area.conftest import Person
from tests.area.every_page import counted, pages_of
from tests.contract.client import Clock
from tests.keys import SECRET_KEY

from lab.api_world import postgres_cpu_seconds, postgres_of
from paymatch.area.application import Area
from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.embedded import running_server
from paymatch.installation import migrate_and_open
from paymatch.outbound.files import NullFiles
from paymatch.outbound.http import NullHttp
from paymatch.settings import Settings
from paymatch.store.database import Database

MOST_QUERIES: Final = 15
MOST_MS: Final = 150
TIMES: Final = 5
_MORE: Final = (
    "postings?kind=without", "postings?q=Muster", "orders?q=Muster", "orders?status=PAID", "orders?sort=-open",
    "orders?sort=due", "orders?sort=customer", "orders?status=UNPAID&sort=customer", "overview?sort=-amount",
)  # fmt: skip

# Copies of a row: {name} is the table, {columns} are all of it, {values} the same with those that are numbered anew.
_COPY: Final = "INSERT INTO {name} ({columns}) SELECT {values} FROM {name} t, generate_series(1, %s) n WHERE {where}"


def multiply(owner_url: str, shop: str, orders: int) -> None:
    """Copies the shop's paid order with its posting, and its open order with a posting that waits."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for table in ("orders", "postings", "allocations"):
            connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        paid, posting = connection.execute(
            "SELECT a.order_number, a.posting_id FROM allocations a JOIN postings p ON p.shop_id = a.shop_id"
            " AND p.id = a.posting_id WHERE a.shop_id = %s AND NOT a.by_hand AND p.status = 'matched'"
            " ORDER BY 1 LIMIT 1",
            (shop,),
        ).fetchone() or ("", "")
        waiting = connection.execute(
            "SELECT id FROM postings WHERE shop_id = %s AND status = 'suggested' AND aside_reason = ''"
            " AND NOT collective ORDER BY id LIMIT 1",
            (shop,),
        ).fetchone() or ("",)
        opened = connection.execute(
            "SELECT number FROM orders WHERE shop_id = %s AND status = 'UNPAID' ORDER BY 1 LIMIT 1", (shop,)
        ).fetchone() or ("",)
        some = orders // 50
        doc = (
            "(t.doc::jsonb || jsonb_build_object('customerNumber', 'K' || n / 4, 'customerEmail',"
            " 'k' || n / 4 || '@post.example'))::text"
        )
        day, moment = "t.{0} - (n %% 365)::int", "t.{0} - (n %% 365) * interval '1 day'"  # a year of them
        dated = {name: day.format(name) for name in ("order_date", "last_posting_date")}
        dated["doc"] = doc  # four orders of each customer
        dated["created_at"] = moment.format("created_at")
        booked = {"booking_date": day.format("booking_date"), "created_at": moment.format("created_at")}
        _copy(
            connection,
            "orders",
            shop,
            {"number": "'P' || n", "reference": "'RF0P' || n", **dated},
            f"t.number = '{paid}'",
            orders - some,
        )
        _copy(
            connection,
            "orders",
            shop,
            {"number": "'O' || n", "reference": "'RF0O' || n", **dated},
            f"t.number = '{opened[0]}'",
            some,
        )
        _copy(connection, "postings", shop, {"id": "'pp' || n", **booked}, f"t.id = '{posting}'", orders - some)
        _copy(connection, "postings", shop, {"id": "'pw' || n", **booked}, f"t.id = '{waiting[0]}'", some)
        numbered = {"posting_id": "'pp' || n", "order_number": "'P' || n"}
        _copy(connection, "allocations", shop, numbered, f"t.posting_id = '{posting}'", orders - some)
        for table in ("orders", "postings", "allocations"):
            connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        connection.execute("VACUUM ANALYZE")  # as autovacuum leaves tables that have grown


def _copy(
    connection: psycopg.Connection[Any], name: str, shop: str, numbered: dict[str, str], where: str, count: int
) -> None:
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attgenerated = '' ORDER BY attnum",
        (name,),
    )
    columns = [row[0] for row in rows]
    values = ", ".join(numbered.get(column, f"t.{column}") for column in columns)
    statement = _COPY.format(name=name, columns=", ".join(columns), values=values, where=f"t.shop_id = %s AND {where}")
    connection.execute(statement.encode(), (count, shop))


def pages_wanted(owner: Person, wanted: set[str]) -> dict[str, str]:
    """Page -> an address of it: those that are wanted, or all."""
    base = f"/shops/{owner.shop.id}/"
    found = pages_of(owner) | {each: base + each for each in _MORE}
    return {name: address for name, address in found.items() if not wanted or name.partition("?")[0] in wanted}


@dataclass(frozen=True, order=True)
class Cost:
    """What a page costs: the milliseconds that it computes, the database's among them, which are those of its answer
    on a machine that does nothing else; how long the answers took on this one (median); and its statements.
    """

    computed: float
    own: float
    median: float
    sent: tuple[str, ...]


def measure(owner: Person, address: str, server: int) -> Cost:
    """The cost of a page that was asked for before; `server` is the process of PostgreSQL."""
    owner.get(address)
    with counted() as sent:
        owner.get(address)
    taken = []
    before, own = postgres_cpu_seconds(server), time.process_time()
    for _ in range(TIMES):
        begun = time.perf_counter()
        owner.get(address)
        taken.append(1000 * (time.perf_counter() - begun))
    own = 1000 * (time.process_time() - own) / TIMES
    theirs = 1000 * (postgres_cpu_seconds(server) - before) / TIMES
    return Cost(own + theirs, own, statistics.median(taken), tuple(sent))


def main() -> None:
    """Prints a line per page, the dearest last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--pages", default="", help="names of pages, separated by commas")
    parser.add_argument("--statements", action="store_true", help="print what each page asks")
    arguments = parser.parse_args()
    os.environ.setdefault("PAYMATCH_SECRET_KEY", SECRET_KEY)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        owner_url = stack.enter_context(running_server(folder, durable=False))
        owner = filled(stack, owner_url, folder)
        begun = time.perf_counter()
        multiply(owner_url, str(owner.shop.id), arguments.orders)
        print(f"{arguments.orders} orders and postings in {time.perf_counter() - begun:.0f} s")
        found, server = [], postgres_of(owner_url)
        for name, address in pages_wanted(owner, set(filter(None, arguments.pages.split(",")))).items():
            cost = measure(owner, address, server)
            found.append((cost, name))
            if arguments.statements:
                print(f"--- {name}", *cost.sent, sep="\n")
        print(f"{'page':32} queries computed  of it own   median ms, load {os.getloadavg()[0]:.1f}")
        for cost, name in sorted(found):
            over = "  !" if len(cost.sent) > MOST_QUERIES or cost.computed > MOST_MS else ""
            print(f"{name:32} {len(cost.sent):7} {cost.computed:8.1f} {cost.own:10.1f} {cost.median:8.1f}{over}")


def filled(stack: ExitStack, owner_url: str, folder: Path) -> Person:
    """The owner of the filled shop."""
    clock = Clock()
    settings = Settings(database_url=SecretStr(owner_url), data_dir=folder, base_url="http://testserver")
    url, _ = migrate_and_open(settings, owner_url)
    database = Database(url, size=4)
    stack.callback(database.close)
    service = Service(settings, url, database, clock, NullFiles(), NullHttp)
    Area(service).load()
    from django.db import connections  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from tests.area.filled_shop import fill  # noqa: PLC0415
    from tests.usecases.refunds.refund_world import RefundWorld  # noqa: PLC0415

    from paymatch.area.people import accounts  # noqa: PLC0415

    stack.callback(connections.close_all)
    world = RefundWorld(database, folder, clock=clock)
    shop = world.client.shop
    user = accounts.create_person("owner@example.org", shop=shop.id, role=TeamRole.OWNER, staff=True, password="x" * 16)
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    owner = Person(client, user.email, shop)
    fill(world, service, owner)
    return owner


if __name__ == "__main__":
    main()
