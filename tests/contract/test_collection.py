"""Collection by the API: hand over, withdraw, list, and an agency's reports by a key of its own (D-54)."""

from __future__ import annotations

import json

from paymatch.usecases.collection import cases
from tests.contract.client import ShopClient, order, with_scope


def with_agency(shop: ShopClient) -> ShopClient:
    with shop.database.of_shop(shop.shop) as tx:
        cases.set_agency(tx, {"name": "Agency Ltd"})
    return shop


def test_an_order_is_handed_over_reported_on_and_withdrawn(shop: ShopClient) -> None:
    with_agency(shop).submit("A/1")
    handed = shop.post("order/A%2F1/collection")
    assert (handed.status, handed.json["paymentStatus"], handed.json["collectionStatus"]) == (
        200,
        "COLLECTION",
        "SUBMITTED",
    )
    assert [each["description"] for each in handed.json["collectionHistory"]] == ["Handed over to Agency Ltd"]
    assert shop.post("order/A%2F1/collection").error == (400, "Could not hand over order (status COLLECTION)")
    reported = with_scope(shop, "collection").post(
        "collection/reports",
        [{"orderNumber": "A/1", "file": "IN-7", "status": "LEGAL"}, {"orderNumber": "B", "status": "PAID"}],
    )
    assert reported.json == {
        "taken": 1,
        "refused": [{"row": 2, "error": "No order in collection has the number or file number 'B'"}],
    }
    (case,) = shop.get("collection?active=true").json
    assert (case["file"], case["status"], case["claim"], case["open"], case["active"]) == (
        "IN-7",
        "LEGAL",
        "19.90",
        "19.90",
        True,
    )
    assert case["handedOver"] == "02-03-2026 10:30:00"
    other = [{"orderNumber": "A/2", "file": "IN-7", "status": "PAID"}, {"file": "IN-7", "description": "by its number"}]
    assert with_scope(shop, "collection").post("collection/reports", other).json == {
        "taken": 1,
        "refused": [{"row": 1, "error": "No order in collection has the number or file number 'A/2'"}],
    }
    assert shop.get("collection").json[0]["status"] == "LEGAL", "what is said of A/2 is not said of A/1"
    withdrawn = shop.post("order/A%2F1/collection/withdraw").json
    assert (withdrawn["paymentStatus"], "collectionStatus" in withdrawn) == ("UNPAID", False)
    assert shop.get("collection?active=true").json == []
    assert shop.get("collection").json[0]["status"] == "WITHDRAWN"


def test_an_agencys_key_reports_and_does_nothing_else(shop: ShopClient) -> None:
    with_agency(shop).submit("A-1")
    key = with_scope(shop, "collection")
    for reply in (
        key.get("order/A-1"),
        key.get("collection"),
        key.post("order/A-1/collection"),
        key.post("order/A-2", order("A-2")),
        key.post("order/A-1/cancel"),
    ):
        assert reply.status == 401, reply.body
    assert shop.post("collection/reports", []).error == (
        401,
        "API key lacks the scope collection",
    )


def test_what_cannot_be_done_is_said(shop: ShopClient) -> None:
    shop.submit("A-1")
    assert shop.post("order/A-1/collection").error == (400, "The shop has no collection agency: set one first")
    assert shop.post("order/none/collection").error == (404, "Order 'none' not found")
    assert shop.post("order/A-1/collection/withdraw").error == (
        400,
        "Could not withdraw order 'A-1' (it is not in collection)",
    )
    key = with_scope(shop, "collection")
    assert key.post("collection/reports").error == (400, "Missing body")
    assert key.post("collection/reports", b'{"a": 1}').status == 400
    before = shop.contents()
    assert key.post("collection/reports", json.dumps([{"file": "1", "status": "WON"}]).encode()).status == 400
    assert shop.contents() == before
