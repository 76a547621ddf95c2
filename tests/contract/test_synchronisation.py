"""`POST /ordersync`, as D-6 has it: the complete list of the shop's open orders."""

from __future__ import annotations

import gc
import json
import time
import tracemalloc
from typing import Any

import pytest

from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.store.orders import orders as order_store
from paymatch.store.transactions import ShopId, Tx
from paymatch.store.work import installation
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
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
    answered = shop.post("ordersync?detail=true", [a, "unknown", "unknown"]).json
    assert answered.pop("id").startswith("os_")
    assert answered == {
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


def test_empty_list_is_refused_by_the_guard_unless_forced(shop: ShopClient) -> None:  # D-38
    submit(guarded(shop), 2)
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
    numbers = submit(guarded(shop), count)
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
        assert shop.post(f"ordersync?{name}=yes", ["a"]).error == (400, f"Parameter {name} is not valid")


def test_order_in_another_call_is_a_lock(shop: ShopClient) -> None:
    a, b = submit(shop, 2)
    with shop.database.of_shop(ShopId(shop.id)) as tx:
        order_store.lock(tx, [b])
        with shop.unchanged():
            assert shop.post("ordersync", [a]).error == (400, "Could not acquire lock")


def guarded(shop: ShopClient) -> ShopClient:
    shop.change(ordersync_guard="on")
    return shop


def alerts(shop: ShopClient) -> list[tuple[str, str]]:
    with shop.database.of_shop(shop.shop, at=shop.clock.now) as tx:
        keep_alerts(tx)
    return [(each["kind"], each["text"]) for each in list_alerts(shop.database, shop.shop)]


def test_every_list_is_carried_out_by_default(shop: ShopClient) -> None:  # D-38
    numbers = submit(shop, 12)
    reply = shop.post("ordersync?detail=true", [])
    assert (reply.json["legacy"], reply.json["openBefore"]) == (12, 12)
    sync_id = reply.json["id"]
    assert set(statuses(shop).values()) == {"LEGACY"}
    assert alerts(shop) == [
        (
            "orders-vanished",
            f"ordersync of 2026-03-02 11:30: 12 open orders were not in the list and became LEGACY:"
            f" {', '.join(numbers[:10])} and 2 more. If this was a mistake, undo the synchronisation {sync_id}",
        )
    ]


def raised(shop: ShopClient) -> list[tuple[str, str]]:
    """(level, kind) of what is open, without housekeeping, which would raise and close."""
    return [(each["level"], each["kind"]) for each in list_alerts(shop.database, shop.shop)]


def test_an_alert_says_what_vanishes_on_any_day_and_is_no_work(shop: ShopClient) -> None:  # D-38
    numbers = submit(shop, 20)
    assert shop.post("ordersync", numbers[2:]).json == 2
    assert raised(shop) == [("info", "orders-closed")]
    (said,) = alerts(shop)
    assert f": 2 open orders were not in the list and became LEGACY: {numbers[0]}, {numbers[1]}. If" in said[1]
    with shop.database.of_all_shops() as tx:
        assert all(row["shop_id"] != shop.id for row in installation.alerts(tx, 1000))
        [row] = installation.shops(tx, wanted=str(shop.id), asked=AskedPage(10)).rows
    assert row["alerts"] == 0
    shop.clock.pass_time(seconds=1)  # the list of calls is by moment
    assert shop.post("ordersync?detail=true", numbers[3:]).json["legacyOrders"] == [numbers[2]]
    assert raised(shop) == [("info", "orders-closed")]  # the latest call's, and only that
    assert f"1 open order was not in the list and became LEGACY: {numbers[2]}." in alerts(shop)[0][1]
    shop.clock.pass_time(seconds=1)
    pay(shop, numbers[3], 500)
    sync_id = shop.post("ordersync?detail=true", numbers[4:]).json["id"]
    assert raised(shop) == [("warning", "orders-vanished")]  # with money on it
    assert sorted(kind for kind, _ in alerts(shop)) == ["account-unconfirmed", "orders-vanished"]
    assert [sync["legacy"] for sync in shop.get("ordersync").json] == [1, 1, 2]
    shop.post(f"ordersync/{sync_id}/undo")
    assert raised(shop) == [("warning", "account-unconfirmed")]  # at once
    assert [kind for kind, _ in alerts(shop)] == ["account-unconfirmed"]


def test_undo_gives_back_exactly_what_the_call_changed(shop: ShopClient) -> None:  # D-38
    a, b, c, d, e = submit(shop, 5)
    shop.post(f"order/remove/{d}")
    shop.post("ordersync", [a, b, c, e])
    first = shop.post("ordersync?detail=true", [a, d, order("new")]).json
    assert (first["legacyOrders"], first["revivedOrders"]) == ([b, c, e], [d])
    shop.post(f"order/{c}/setpaid")
    shop.clock.pass_time(days=29)
    answered = shop.post(f"ordersync/{first['id']}/undo")
    assert answered.json == {"id": first["id"], "restored": 3, "restoredOrders": [b, d, e], "changedSince": [c]}
    assert statuses(shop) == {
        a: "UNPAID", b: "UNPAID", c: "PAID", d: "DISAPPEARED", e: "UNPAID", "new": "UNPAID",
    }  # fmt: skip
    assert shop.rows("SELECT to_status FROM events WHERE shop_id = $1 AND cause = 'synchronisation undone'") == [
        ("UNPAID",), ("DISAPPEARED",), ("UNPAID",),
    ]  # fmt: skip
    assert alerts(shop) == []
    with shop.unchanged():
        assert shop.post(f"ordersync/{first['id']}/undo").error == (
            400,
            f"Synchronisation '{first['id']}' was already undone",
        )


def test_undo_after_30_days_or_of_another_shop_is_refused(shop: ShopClient, make_shop: Any) -> None:
    submit(shop, 1)
    sync_id = shop.post("ordersync?detail=true", []).json["id"]
    other = make_shop()
    assert other.post(f"ordersync/{sync_id}/undo").error == (404, f"Synchronisation '{sync_id}' not found")
    assert other.get("ordersync").json == []
    assert shop.get("ordersync").json == [
        {
            "id": sync_id, "at": "02-03-2026 11:30:00", "listed": 0, "openBefore": 1, "legacy": 1, "revived": 0,
            "undone": False,
        }
    ]  # fmt: skip
    shop.clock.pass_time(days=30, seconds=1)
    with shop.unchanged():
        assert shop.post(f"ordersync/{sync_id}/undo").error == (
            400,
            f"Synchronisation '{sync_id}' is older than 30 days and can no longer be undone",
        )
    assert shop.get("ordersync").json == []


def test_two_calls_are_undone_each_for_itself(shop: ShopClient) -> None:
    a, b = submit(shop, 2)
    first = shop.post("ordersync?detail=true", [a]).json["id"]
    second = shop.post("ordersync?detail=true", [b]).json["id"]  # b comes back, a goes
    assert statuses(shop) == {a: "LEGACY", b: "UNPAID"}
    assert shop.post(f"ordersync/{first}/undo").json["changedSince"] == [b]
    assert shop.post(f"ordersync/{second}/undo").json["restoredOrders"] == [a, b]
    assert statuses(shop) == {a: "UNPAID", b: "LEGACY"}


def test_list_that_changes_nothing_leaves_nothing_to_undo(shop: ShopClient) -> None:
    a, b = submit(shop, 2)
    assert "id" not in shop.post("ordersync?detail=true", [a, b]).json
    assert "id" not in shop.post("ordersync?detail=true&dryRun=true", [a]).json
    assert shop.get("ordersync").json == []


def test_list_longer_than_what_is_worked_on_at_a_time(shop: ShopClient) -> None:
    submit(shop, 30)
    listed: list[Any] = [order(f"N{place:04d}") for place in range(1200)]
    refused = [*listed, order("N0000")]
    with shop.unchanged():
        reply = shop.post("ordersync", refused)
        assert (reply.error, reply.json["index"]) == (
            (400, "Could not update order (number 'N0000' is given twice)"), 1200,
        )  # fmt: skip
        assert shop.post("ordersync", [*listed, order("bad", type="X")]).json["index"] == 1200
    assert shop.post("ordersync", listed).body == b"30"
    assert shop.count("orders") == 1230


def test_of_a_long_list_only_the_numbers_are_kept_in_memory(shop: ShopClient) -> None:
    def peak(count: int) -> int:
        address = {"firstName": "Anna", "lastName": "Czerny", "street": "Schillerplatz 11", "countryCode": "DE"}
        items = [{"number": f"TK-{place}", "name": "Grüntee Sencha, 250 g"} for place in range(8)]
        body = json.dumps([order(f"M{place:05d}", items=items, billing=address) for place in range(count)]).encode()
        gc.collect()
        tracemalloc.start()
        assert shop.post("ordersync?dryRun=true", body).body == b"0"
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)
    more = peak(6000) - peak(1500)
    assert more < 4500 * 400  # bytes; the bodies of these orders alone have 3.3 MB


def test_a_dry_run_of_a_million_numbers_is_quick(shop: ShopClient, monkeypatch: pytest.MonkeyPatch) -> None:
    known = submit(shop, 100)
    body = json.dumps([*known[:60], *(f"X{place:07d}" for place in range(1_000_000))]).encode()
    asked: list[str] = []
    rows = Tx.rows

    def counted(tx: Tx, query: str, *values: Any) -> list[Any]:
        asked.append(query)
        return rows(tx, query, *values)

    monkeypatch.setattr(Tx, "rows", counted)
    begun = time.process_time()
    reply = shop.post("ordersync?dryRun=true", body)
    assert (reply.status, reply.body) == (200, b"40")
    assert time.process_time() - begun < 5  # seconds of CPU
    assert len(asked) < 100
    assert set(statuses(shop).values()) == {"UNPAID"}
