"""Whether all that was acknowledged is stored, nothing is stored twice, and callbacks came whole and in their order."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import psycopg

from lab.failover.load import Arrived, Expected, Shop

_QUIET_SECONDS: Final = 180
"""The longest that callbacks may take after the last event; a claim of a killed worker holds for 60 s."""


@dataclass
class Verdict:
    """What was compared, and each thing that is wrong, in words."""

    orders: int
    changes: int
    payments: int
    callbacks: int
    repeated: int
    wrong: list[str] = field(default_factory=list)


def judge(shop: Shop, orders: dict[str, Expected], arrived: list[Arrived], url: str) -> Verdict:
    """Compares what the shop was told and what it received with what the API and the database say; `url` sees all."""
    wrong: list[str] = []
    with psycopg.connect(url, autocommit=True) as connection:
        differing = differing_orders(shop, orders)
        if not is_quiet(connection):
            wrong.append(f"callbacks are still open {_QUIET_SECONDS} s after the last event")
        wrong += differing
        stored = dict(_pairs(connection, "SELECT number, 1 FROM orders"))
        wrong += [f"{number} is stored, but was never submitted" for number in stored.keys() - orders.keys()]
        (postings,) = connection.execute("SELECT count(*) FROM postings").fetchone() or (0,)
        if postings != shop.entries:
            wrong.append(f"{shop.entries} payments were acknowledged, {postings} postings are stored")
        queued = connection.execute(
            "SELECT order_number, id FROM callbacks WHERE order_number <> '' ORDER BY order_number, order_seq"
        ).fetchall()
    by_order: dict[str, list[str]] = defaultdict(list)
    for number, callback in queued:
        by_order[number].append(callback)
    wrong += callback_faults(orders, by_order, arrived)
    changes = sum(order.changes for order in orders.values())
    distinct = len({each.webhook_id for each in arrived})
    return Verdict(len(orders), changes, shop.entries, distinct, len(arrived) - distinct, wrong)


def is_quiet(connection: psycopg.Connection) -> bool:
    """Waits until no callback is on its way."""
    ends = time.monotonic() + _QUIET_SECONDS
    while time.monotonic() < ends:
        (left,) = connection.execute("SELECT count(*) FROM callbacks WHERE status <> 'DELIVERED'").fetchone() or (1,)
        if not left:
            return True
        time.sleep(1)
    return False


def _pairs(connection: psycopg.Connection, query: str) -> Sequence[tuple[str, int]]:
    return [(str(row[0]), int(row[1])) for row in connection.execute(query.encode()).fetchall()]


def differing_orders(shop: Shop, orders: dict[str, Expected]) -> list[str]:
    """As `_orders`, once what is booked is matched: a payment whose worker died is matched by the next one."""
    ends = time.monotonic() + _QUIET_SECONDS
    while (wrong := _orders(shop, orders)) and time.monotonic() < ends:
        time.sleep(5)
    return wrong


def _orders(shop: Shop, orders: dict[str, Expected]) -> list[str]:
    """Orders that the API shows otherwise than it has acknowledged them."""
    wrong = []
    for number, expected in orders.items():
        status, said = shop.ask(shop.ports[0], "GET", f"order/{number}", b"", "application/json")
        if status != 200:
            wrong.append(f"{number} was acknowledged and is not there: {status} {said.decode()[:100]}")
            continue
        found = json.loads(said)
        if round(found["amount"] * 100) != expected.minor or found["paymentStatus"] != expected.status:
            wrong.append(f"{number} is {found['amount']} {found['paymentStatus']}, acknowledged was {expected}")
    return wrong


def callback_faults(orders: dict[str, Expected], queued: dict[str, list[str]], arrived: list[Arrived]) -> list[str]:
    """Orders whose callbacks are not one per change, did not all arrive, or not in their order, or end otherwise."""
    wrong = []
    received: dict[str, list[Arrived]] = defaultdict(list)
    for each in arrived:
        received[each.order].append(each)
    for number, expected in orders.items():
        ids, came = queued.get(number, []), received.get(number, [])
        if len(ids) != expected.changes:
            wrong.append(f"{number} changed {expected.changes} times and has {len(ids)} callbacks")
        wrong += sequence_faults(number, ids, came)
        if came and came[-1].status != expected.status:
            wrong.append(f"{number}: the last callback says {came[-1].status}, acknowledged was {expected.status}")
    return wrong


def sequence_faults(number: str, ids: list[str], came: list[Arrived]) -> list[str]:
    """What is wrong with the callbacks that came for an order: others than were queued, or not in their order."""
    if {each.webhook_id for each in came} != set(ids):
        return [f"{number} has callbacks {ids}, received were {came}"]
    places = [ids.index(each.webhook_id) for each in came]
    in_order = all(earlier <= later for earlier, later in pairwise(places))
    return [] if in_order else [f"{number}: callbacks came in the order {places}"]
