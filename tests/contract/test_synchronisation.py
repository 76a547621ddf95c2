"""API document, endpoint 11, as D-6 has it: the complete list of the shop's open orders."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.store.orders import orders as order_store
from tests.contract.bank import pay
from tests.contract.client import ShopClient, order


def statuses(shop: ShopClient) -> dict[str, str]:
    return {each["number"]: each["paymentStatus"] for each in shop.get("orders").json}


def submit(shop: ShopClient, count: int, prefix: str = "S") -> list[str]:
    """Orders submitted an hour ago: those created after a synchronisation began are left alone."""
    numbers = [f"{prefix}{place:03d}" for place in range(count)]
    assert shop.post("orders", [order(number) for number in numbers]).status == 200
    shop.clock.pass_time(hours=1)
    return numbers


def test_open_orders_that_are_not_listed_become_legacy(shop: ShopClient) -> None:
    a, b, c = submit(shop, 3)
    reply = shop.post("ordersync", [a, c])
    assert (reply.status, reply.body) == (200, b"1")
    assert statuses(shop) == {a: "UNPAID", b: "LEGACY", c: "UNPAID"}
    assert shop.rows("SELECT order_number, to_status, cause FROM events WHERE shop_id = $1") == [
        (b, "LEGACY", "synchronised")
    ]
    assert shop.count("callbacks") == 1


def test_elements_are_numbers_or_orders(shop: ShopClient) -> None:
    a, b, c = submit(shop, 3)
    reply = shop.post("ordersync", [a, order(b, amount=5), order("new"), 7])
    assert reply.body == b"1"
    assert statuses(shop) == {a: "UNPAID", b: "UNPAID", c: "LEGACY", "new": "UNPAID"}
    assert shop.read(b)["amount"] == "5.00"


def test_number_as_json_number(shop: ShopClient) -> None:  # D-14
    assert shop.post("orders", [order("100"), order("200")]).status == 200
    shop.clock.pass_time(hours=1)
    assert shop.post("ordersync", [100]).body == b"1"
    assert statuses(shop) == {"100": "UNPAID", "200": "LEGACY"}


def test_only_open_orders_become_legacy(shop: ShopClient) -> None:
    numbers = submit(shop, 6, "ST-4000")
    listed, paid, partial, cancelled, removed, collected = numbers
    pay(shop, paid, 1990)
    shop.submit(partial, amount=100)
    pay(shop, partial, 1000)
    shop.post(f"order/{cancelled}/cancel")
    shop.post(f"order/remove/{removed}")
    shop.run("UPDATE orders SET mark='COLLECTION', status='COLLECTION' WHERE shop_id=$1 AND number=$2", collected)
    shop.clock.pass_time(hours=1)
    assert shop.post("ordersync", [listed]).body == b"1"
    assert statuses(shop) == {
        listed: "UNPAID", paid: "PAID", partial: "LEGACY", cancelled: "CANCELLED", removed: "DISAPPEARED",
        collected: "COLLECTION",
    }  # fmt: skip


def test_orders_created_after_the_call_began_stay(shop: ShopClient) -> None:
    submit(shop, 2)
    shop.submit("just now")
    assert shop.post("ordersync", ["S000", "S001"]).body == b"0"
    assert statuses(shop)["just now"] == "UNPAID"


@pytest.mark.parametrize("as_order", [True, False])
def test_listed_legacy_and_disappeared_orders_come_back(shop: ShopClient, as_order: bool) -> None:
    a, b = submit(shop, 2)
    shop.post("ordersync", [a])
    shop.post(f"order/remove/{a}")
    reply = shop.post("ordersync?detail=true", [order(a) if as_order else a, b])
    assert reply.json["legacy"] == 0
    assert sorted(reply.json["revivedOrders"]) == [a, b]
    assert statuses(shop) == {a: "UNPAID", b: "UNPAID"}


def test_listed_cancelled_order_stays_cancelled(shop: ShopClient) -> None:
    a, b = submit(shop, 2)
    shop.post(f"order/{a}/cancel")
    shop.post("ordersync", [a, b])
    assert statuses(shop) == {a: "CANCELLED", b: "UNPAID"}


def test_detail(shop: ShopClient) -> None:
    a, b, c = submit(shop, 3)
    assert shop.post("ordersync?detail=true", [a, "unknown", "unknown"]).json == {
        "legacy": 2, "legacyOrders": [b, c], "revivedOrders": [], "unknownOrders": ["unknown"], "openBefore": 3,
        "dryRun": False,
    }  # fmt: skip


def test_dry_run_changes_nothing(shop: ShopClient) -> None:
    a, b, c = submit(shop, 3)
    with shop.unchanged():
        assert shop.post("ordersync?dryRun=true", [a, order("new"), order(b, amount=1)]).body == b"1"
        assert shop.post("ordersync?dryRun=true&detail=true", [a]).json["legacyOrders"] == [b, c]


def test_dry_run_refuses_what_the_call_would_refuse(shop: ShopClient) -> None:
    submit(shop, 1)
    for flags in ("", "?dryRun=true"):
        with shop.unchanged():
            reply = shop.post(f"ordersync{flags}", ["S000", order("new", date="31-12-2026")])
        assert reply.json == {
            "error": "Parameter date must not be in the future", "orderNumber": "new", "index": 1, "parameter": "date",
        }  # fmt: skip


def test_second_call_changes_nothing(shop: ShopClient) -> None:
    a, _ = submit(shop, 2)
    assert shop.post("ordersync", [a]).body == b"1"
    with shop.unchanged():
        assert shop.post("ordersync", [a]).body == b"0"


def test_empty_list_is_refused_unless_forced(shop: ShopClient) -> None:
    submit(shop, 2)
    with shop.unchanged():
        assert shop.post("ordersync", []).error == (400, "Empty list of orders, use force=true if no order is open")
    assert shop.post("ordersync?force=true", []).body == b"2"
    assert set(statuses(shop).values()) == {"LEGACY"}


@pytest.mark.parametrize(
    ("count", "listed", "refused"),
    [(11, 0, True), (50, 40, False), (50, 39, True), (55, 44, False), (60, 48, False), (60, 47, True), (10, 1, False)],
)
def test_more_than_20_per_cent_and_more_than_10_orders_vanishing(
    shop: ShopClient, count: int, listed: int, refused: bool
) -> None:
    numbers = submit(shop, count)
    kept = numbers[:listed] or ["another"]
    vanishing = count - listed
    if not refused:
        assert shop.post("ordersync", kept).body == str(vanishing).encode()
        return
    text = f"{vanishing} of {count} open orders are not in the list, use force=true if this is right"
    with shop.unchanged():
        assert shop.post("ordersync", kept).error == (400, text)
        assert shop.post("ordersync?dryRun=true", kept).error == (400, text)
    assert shop.post("ordersync?force=true", kept).body == str(vanishing).encode()


@pytest.mark.parametrize(
    ("element", "error"),
    [
        (1.5, "Parameter number is not valid"), (True, "Parameter number is not valid"),
        ([], "Parameter number is not valid"), (["a"], "Parameter number is not valid"),
        (None, "Missing parameter number"), ("", "Missing parameter number"), (" ", "Missing parameter number"),
        ("x" * 256, "Parameter number too long (max 255)"), ("a\x00b", "Parameter number is not valid"),
        ({}, "Missing parameter number"), ({"number": "x"}, "Missing parameter date"),
    ],
)  # fmt: skip
def test_wrong_element_is_refused_with_its_index(shop: ShopClient, element: Any, error: str) -> None:
    submit(shop, 1)
    with shop.unchanged():
        reply = shop.post("ordersync", ["S000", element])
    assert reply.error == (400, error)
    assert reply.json["index"] == 1


@pytest.mark.parametrize(
    "raw", [b'["S000", 1e400]', b'["S000", "\\udc00"]', b'["S000", NaN]', b'["S000", {"number": 1e400}]']
)
def test_element_that_is_no_json_value_of_ours_is_refused(shop: ShopClient, raw: bytes) -> None:
    submit(shop, 1)
    with shop.unchanged():
        assert shop.post("ordersync", raw).error == (400, "Invalid JSON, comments not allowed in JSON body")


def test_order_given_twice_is_refused_with_its_place_in_the_whole_list(shop: ShopClient) -> None:
    with shop.unchanged():
        reply = shop.post("ordersync", ["x", order("a"), "y", order("a", amount=1)])
    assert reply.json["index"] == 3
    assert reply.error == (400, "Could not update order (number 'a' is given twice)")


@pytest.mark.parametrize("name", ["force", "dryRun", "detail"])
def test_unknown_flag_value_is_refused(shop: ShopClient, name: str) -> None:  # D-22
    with shop.unchanged():
        assert shop.post(f"ordersync?{name}=1", ["a"]).error == (400, f"Parameter {name} is not valid")


def test_order_in_another_call_is_a_lock(shop: ShopClient) -> None:
    a, b = submit(shop, 2)
    with shop.database.transaction(shop.id) as tx:
        order_store.lock(tx, shop.id, [b])
        with shop.unchanged():
            assert shop.post("ordersync", [a]).error == (400, "Could not acquire lock")
