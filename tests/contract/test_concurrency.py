"""Calls at the same moment: no lost update, no deadlock, one row per number and reference (D-13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from threading import Barrier
from typing import Any

import pytest

from paymatch.store.orders import orders as order_store
from paymatch.store.transactions import LockNotAcquired, ShopId
from tests.contract.client import Reply, ShopClient, order
from tests.contract.test_endpoints import refund
from tests.waiting import PATIENCE_SECONDS, wait_until

N = "CC-1"
LOCKED = (400, "Could not acquire lock")


def at_once(*calls: Callable[[], Reply]) -> list[Reply]:
    """The answers of calls that start together."""
    start = Barrier(len(calls))

    def run(one: Callable[[], Reply]) -> Reply:
        start.wait(PATIENCE_SECONDS)
        return one()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def answered(replies: list[Reply]) -> list[Any]:
    """What succeeded; everything else must have met the lock."""
    for reply in replies:
        assert reply.status == 200 or reply.error == LOCKED, reply.body
    return [reply.json for reply in replies if reply.status == 200]


def test_creating_one_number_at_once_stores_one_order(shop: ShopClient) -> None:
    for turn in range(5):
        number = f"{N}-{turn}"
        calls = [partial(shop.post, f"order/{number}", order(number, amount=amount)) for amount in range(1, 7)]
        done = answered(at_once(*calls))
        assert done
        assert shop.count("orders") == turn + 1
        assert shop.read(number)["amount"] in {each["amount"] for each in done}
        keys = shop.rows(
            "SELECT count(DISTINCT key), count(*) FROM match_keys WHERE shop_id = $1 AND number = $2", number
        )
        assert keys[0][0] == keys[0][1]


def test_changes_of_one_order_at_once_lose_nothing(shop: ShopClient) -> None:
    """Each change moves the order: the events are a chain without a gap, and the last one is what a read shows."""
    shop.submit(N)
    actions = ["order/{}/setpaid", "order/{}/cancel", "order/remove/{}", "order/{}/setunpaid", "order/{}/setpaid"]
    for _ in range(6):
        replies = at_once(*(partial(shop.post, action.format(N)) for action in actions))
        for reply in replies:
            assert reply.status == 200 or reply.error[1].startswith(("Order ", "Could not acquire lock")), reply.body
    chain = shop.rows("SELECT from_status, to_status, order_seq, seq FROM events WHERE shop_id = $1 ORDER BY order_seq")
    assert chain
    status = "UNPAID"
    for place, (before, after, order_seq, seq) in enumerate(chain, start=1):
        assert (before, order_seq, seq) == (status, place, place)
        status = after
    assert shop.status(N) == status
    assert shop.count("callbacks") == len(chain)


def test_update_and_status_change_at_once_keep_both(shop: ShopClient) -> None:
    for turn in range(5):
        number = f"{N}-{turn}"
        shop.submit(number)
        update, paid = at_once(
            partial(shop.post, f"order/{number}", order(number, customerEmail="new@example.com")),
            partial(shop.post, f"order/{number}/setpaid"),
        )
        assert (update.status, paid.status) == (200, 200)
        found = shop.read(number)
        assert (found["customerEmail"], found["paymentStatus"]) == ("new@example.com", "PAID")


def test_one_refund_reference_at_once_stores_one_refund(shop: ShopClient) -> None:
    for place in range(4):
        shop.submit(f"{N}-{place}")
    for turn in range(4):
        reference = f"R-{turn}"
        replies = at_once(
            *(partial(shop.post, f"order/{N}-{place % 4}/refund", refund(reference)) for place in range(8))
        )
        done = [reply.json for reply in replies if reply.status == 200]
        assert len(done) == 1
        others = {reply.error for reply in replies if reply.status != 200}
        assert others <= {(400, f"Refund already exists: {done[0]['referenceNumber']}"), LOCKED}
        assert shop.count("refunds") == turn + 1


def test_overlapping_bulk_calls_do_not_deadlock(shop: ShopClient) -> None:
    numbers = [f"{N}-{place:03d}" for place in range(120)]
    for turn in range(4):
        lists = [numbers, numbers[::-1], numbers[30:90], numbers[60:] + numbers[:60], numbers[::2][::-1]]
        calls = [
            partial(shop.post, "orders", [order(number, amount=1 + place + 10 * turn) for number in found])
            for place, found in enumerate(lists)
        ]
        done = answered(at_once(*calls))
        assert done
        amounts = Counter(each["amount"] for each in shop.get("orders").json)
        assert sum(amounts.values()) == 120
        assert set(amounts) <= {f"{1 + place + 10 * turn}.00" for place in range(5)} | (
            {f"{1 + place + 10 * (turn - 1)}.00" for place in range(5)} if turn else set()
        )


def test_bulk_calls_synchronisations_and_changes_at_once(shop: ShopClient) -> None:
    numbers = [f"{N}-{place:03d}" for place in range(60)]
    shop.post("orders", [order(number) for number in numbers])
    shop.clock.pass_time(hours=1)
    for turn in range(3):
        answered(
            at_once(
                partial(shop.post, "orders", [order(number, customerNumber=f"K{turn}") for number in numbers]),
                lambda: shop.post("ordersync?force=true", numbers[:30]),
                lambda: shop.post("ordersync?force=true", numbers[30:]),
                lambda: shop.post(f"order/{numbers[0]}/cancel"),
                lambda: shop.post(f"order/remove/{numbers[59]}"),
                lambda: shop.get("orders?includePostings=true"),
            )
        )
    events = shop.rows("SELECT order_number, from_status, to_status FROM events WHERE shop_id = $1 ORDER BY seq")
    standing = dict.fromkeys(numbers, "UNPAID")
    for number, before, after in events:
        assert standing[number] == before
        standing[number] = after
    assert {each["number"]: each["paymentStatus"] for each in shop.get("orders").json} == standing
    assert shop.count("callbacks") == len(events)


def test_wait_for_a_lock_ends_with_the_error_of_the_document(shop: ShopClient) -> None:
    shop.submit(N)
    shop.submit("free")
    calls: list[Callable[[], Reply]] = [
        lambda: shop.post(f"order/{N}", order(N, amount=1)), lambda: shop.post(f"order/{N}/setpaid"),
        lambda: shop.post(f"order/{N}/cancel"), lambda: shop.post(f"order/remove/{N}"),
        lambda: shop.post(f"order/{N}/refund", refund()), lambda: shop.post("orders", [order("free"), order(N)]),
    ]  # fmt: skip
    with shop.database.of_shop(ShopId(shop.id)) as tx:
        order_store.lock(tx, [N])
        with shop.unchanged():
            assert [reply.error for reply in at_once(*calls)] == [LOCKED] * len(calls)
            assert shop.get(f"order/{N}").status == 200  # reading never waits
            assert shop.get("orders").status == 200


def test_another_order_is_not_held_up(shop: ShopClient) -> None:
    shop.submit(N)
    with shop.database.of_shop(ShopId(shop.id)) as tx:
        order_store.lock(tx, [N])
        assert shop.post("order/other", order("other")).status == 200


def _someone_waits(shop: ShopClient) -> bool:
    """Whether a call waits for the lock of an order."""
    with shop.database.of_all_shops() as tx:
        return bool(
            tx.value(
                "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
                " WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()"
            )
        )


@pytest.mark.parametrize(("limit", "gets_all"), [(1, False), (60, True)])
def test_waits_for_several_orders_have_one_limit_together(shop: ShopClient, limit: int, gets_all: bool) -> None:
    """Five calls hold an order each and let go one after the other, each sooner than the limit."""
    numbers = sorted((f"{N}-{place}" for place in range(5)), key=lambda number: order_store.lock_buckets([number]))

    def take_all() -> bool:
        with suppress(LockNotAcquired), shop.database.of_shop(ShopId(shop.id), limit) as tx:
            order_store.lock(tx, numbers)
            return True
        return False

    with ThreadPoolExecutor(1) as pool, ExitStack() as held:
        holders = [held.enter_context(ExitStack()) for _ in numbers]
        for holder, number in zip(holders, numbers, strict=True):
            order_store.lock(holder.enter_context(shop.database.of_shop(shop.id)), [number])
        taken = pool.submit(take_all)
        wait_until(lambda: taken.done() or _someone_waits(shop))  # else a thread that starts late finds all let go
        for holder in holders:
            with shop.database.of_all_shops() as tx:
                tx.rows("SELECT pg_sleep(0.4)")
            holder.close()
        assert taken.result(PATIENCE_SECONDS) is gets_all
