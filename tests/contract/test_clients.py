"""D-39: what real clients send beside bodies: flags, queries, packed bodies, paths and methods."""

from __future__ import annotations

import gzip
import json
import time
from typing import Any

import pytest

from tests.contract.client import Reply, ShopClient, call, order, wire

N = "CL-10001"
FLAGS = ["includeCollectionHistory", "includePaymentReminders", "includePostings", "includeRefunds"]


@pytest.mark.parametrize(
    ("text", "included"),
    [("true", True), ("1", True), ("TRUE", True), ("false", False), ("0", False), ("", False), ("False", False)],
)
def test_flag(shop: ShopClient, text: str, included: bool) -> None:
    shop.submit(N)
    assert ("postings" in shop.read(N, f"includePostings={text}")) is included
    assert ("postings" in shop.read(N, "includePostings")) is False
    listed = shop.get(f"orders?includeRefunds={text}").json
    assert ("refunds" in listed[0]) is included


@pytest.mark.parametrize("text", ["2", "yes", "on", "%20", "truee", "true,false", "١"])
def test_flag_of_another_form(shop: ShopClient, text: str) -> None:
    shop.submit(N)
    reply = shop.get(f"order/{N}?includePostings={text}")
    assert (reply.status, reply.json) == (
        400,
        {
            "error": "Parameter includePostings is not valid",
            "parameter": "includePostings",
            "allowed": ["0", "1", "false", "true"],
        },
    )


def test_repeated_query_values_are_joined(shop: ShopClient) -> None:
    for number, verb in (("1", ""), ("2", "setpaid"), ("3", "cancel")):
        shop.submit(number)
        if verb:
            shop.post(f"order/{number}/{verb}")
    found = shop.get("orders?paymentStatus=UNPAID&paymentStatus=PAID").json
    assert [each["number"] for each in found] == ["1", "2"]
    assert "postings" in shop.read("1", "includePostings=true&includePostings=true")
    assert shop.get("order/1?includePostings=true&includePostings=false").status == 400


def test_unknown_query_name_is_refused_with_the_names_that_exist(shop: ShopClient) -> None:
    shop.submit(N)
    assert shop.get(f"order/{N}?includePosting=true").json == {
        "error": "Unknown parameter includePosting",
        "parameter": "includePosting",
        "allowed": FLAGS,
    }
    with shop.unchanged():
        assert shop.post("ordersync?dryrun=true", []).json["allowed"] == ["detail", "dryRun", "force"]
        assert shop.post(f"order/{N}/setpaid?x=1").error == (400, "Unknown parameter x")
        assert shop.post("order/new?x=1", order("new")).error == (400, "Unknown parameter x")
    assert shop.get("order/unknown?x=1").error == (404, "Order 'unknown' not found")


@pytest.mark.parametrize(
    ("target", "addition"),
    [
        ("orders?paymentStatus=paid", ("allowed", [
            "CANCELLED", "COLLECTION", "DISAPPEARED", "LEGACY", "PAID", "PAID_PARTIAL", "REFUNDED", "REFUNDED_PARTIAL",
            "UNPAID",
        ])),
        ("orders?minPostingDate=2026-03-01", ("expected", "dd-MM-yyyy")),
        ("orders?maxAge=x", ("expected", "a whole number from 0 on")),
        ("orders?after=nobody", ("expected", "the number of an order")),
        (f"image/{N}?type=QR", ("allowed", ["NATIONAL", "PAYMENTSLIP", "PAYMENTSLIPPRINT", "QRCODE"])),
        (
            "callbacks?status=x",
            ("allowed", ["DELIVERED", "GIVEN_UP", "OFF", "PAUSED", "PENDING", "WAITING", "WITHDRAWN"]),
        ),
    ],
)  # fmt: skip
def test_refused_query_value_says_what_is_taken(shop: ShopClient, target: str, addition: tuple[str, Any]) -> None:
    shop.submit(N)
    reply = shop.get(target)
    assert reply.status == 400
    assert reply.json[addition[0]] == addition[1]


def packed(shop: ShopClient, target: str, body: bytes, encoding: str = "gzip") -> Reply:
    return shop.post(target, body, Content_Encoding=encoding)


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip", " gzip "])
def test_packed_body(shop: ShopClient, encoding: str) -> None:
    assert packed(shop, f"order/{N}", gzip.compress(wire(order(N))), encoding).status == 200
    assert len(packed(shop, "orders", gzip.compress(wire([order("a"), order("b")])), encoding).json) == 2


def test_body_that_is_not_packed_as_it_says(shop: ShopClient) -> None:
    whole = gzip.compress(wire(order(N)))
    with shop.unchanged():
        for body in (wire(order(N)), whole[:-4], whole[:20], b"\x1f\x8b", whole + b"more"):
            assert packed(shop, f"order/{N}", body).error == (400, "Body is not valid gzip")
        reply = packed(shop, f"order/{N}", whole, "br")
        assert reply.json == {"error": "Content-Encoding br not supported", "allowed": ["gzip"]}
        assert packed(shop, f"order/{N}", b"").error == (400, "Missing body")
    assert packed(shop, f"order/{N}", wire(order(N)), "identity").status == 200


def test_packed_bomb_is_not_unpacked(shop: ShopClient) -> None:
    bomb = gzip.compress(b" " * (400 * 1024 * 1024), 9)
    started = time.process_time()
    with shop.unchanged():
        assert packed(shop, "orders", bomb).error == (400, "Body too large (max 8 MB)")
        assert packed(shop, "ordersync", bomb).error == (400, "Body too large (max 64 MB)")
        assert packed(shop, f"order/{N}", gzip.compress(b" " * 9_000_000)).error == (400, "Body too large (max 8 MB)")
        many = gzip.compress(b"") * 200_000
        assert packed(shop, "orders", many).error == (400, "Body is not valid gzip")
    assert time.process_time() - started < 5  # of CPU: others may use the machine, too


@pytest.mark.parametrize("verb", ["cancel", "setpaid", "setunpaid", "refund", "invoice/R"])
def test_encoded_slash_is_part_of_the_number(shop: ShopClient, verb: str) -> None:
    number = f"Z/{verb}"
    encoded = number.replace("/", "%2F")
    shop.submit("Z")
    assert shop.post(f"order/{encoded}", order(number)).json["number"] == number
    assert shop.get(f"order/{encoded}").json["number"] == number
    assert shop.post(f"order/{encoded}/cancel").json["paymentStatus"] == "CANCELLED"
    assert shop.status("Z") == "UNPAID"


def test_remove_as_a_number(shop: ShopClient) -> None:
    shop.submit("x")
    assert shop.post("order/remove%2Fx", order("remove/x")).json["number"] == "remove/x"
    assert shop.status("x") == "UNPAID"


def test_where_body_and_path_could_disagree_nothing_is_changed(shop: ShopClient) -> None:
    shop.submit("Z")
    shop.submit("P")
    shop.post("order/P/setpaid")
    mismatch = (400, "Parameter number and number in object do not match")
    with shop.unchanged():
        assert shop.post("order/Z/cancel", order("Z/cancel")).error == mismatch
        assert shop.post("order/Z/setpaid", order("Z/setpaid")).error == mismatch
        assert shop.post("order/P/setunpaid", order("P/setunpaid")).error == mismatch
        assert shop.post("order/remove/Z", order("remove/Z")).error == mismatch
        assert shop.post("order/A/", order("A/")).error == mismatch
        assert shop.post("order/Q/cancel", order("Q/cancel")).error == (404, "Order 'Q' not found")
    for body in (order("Z"), b"{}", b"[]", b"x", b'{"number": null}', b"\xff"):
        assert shop.post("order/Z/cancel", body).json["paymentStatus"] == "CANCELLED"


def test_one_slash_at_the_end_is_tolerated(shop: ShopClient) -> None:
    assert shop.post(f"order/{N}/", order(N)).status == 200
    assert shop.get(f"order/{N}/?includePostings=1").json["number"] == N
    assert shop.post(f"order/{N}/setpaid/").json["paymentStatus"] == "PAID"
    assert [each["number"] for each in shop.get("orders/").json] == [N]
    assert shop.get("orders//").error == (404, "Not found")
    assert shop.get(f"order/{N}//").error == (404, f"Order '{N}/' not found")
    assert shop.post("order/A%2F", order("A/")).json["number"] == "A/"


def test_head_is_answered_like_get_without_the_body(shop: ShopClient) -> None:
    shop.submit(N)
    read, asked = shop.get(f"order/{N}"), shop.send("HEAD", f"order/{N}")
    assert (asked.status, asked.body) == (200, b"")
    assert asked.headers["Content-Length"] == str(len(read.body))
    assert asked.headers["Content-Type"] == "application/json"
    assert shop.send("HEAD", "orders").status == 200
    assert (shop.send("HEAD", "order/x").status, shop.send("HEAD", "order/x").body) == (404, b"")


@pytest.mark.parametrize(
    ("target", "methods"),
    [
        (f"order/{N}", "GET, HEAD, OPTIONS, POST"),
        ("orders", "GET, HEAD, OPTIONS, POST"),
        ("ordersync", "GET, HEAD, OPTIONS, POST"),
        ("postings", "GET, HEAD, OPTIONS"),
        (f"order/{N}/setpaid", "GET, HEAD, OPTIONS, POST"),
    ],
)
def test_options_and_wrong_methods_name_the_methods(shop: ShopClient, target: str, methods: str) -> None:
    shop.submit(N)
    asked = call(shop.api, "OPTIONS", f"/api/v2/{target}")
    assert (asked.status, asked.headers["Allow"], asked.body) == (200, methods, b"")
    with shop.unchanged():
        for method in ("PUT", "DELETE", "PATCH", "PROPFIND"):
            reply = shop.send(method, target, b"{}")
            assert reply.error == (405, "Method not allowed")
            assert (reply.headers["Allow"], reply.json["allowed"]) == (methods, methods.split(", "))


@pytest.mark.parametrize("verb", ["setpaid", "setunpaid", "cancel", "refund"])
def test_get_on_a_path_that_only_posts(shop: ShopClient, verb: str) -> None:
    shop.submit(N)
    reply = shop.get(f"order/{N}/{verb}")
    assert (reply.error, reply.headers["Allow"]) == ((405, "Method not allowed"), "OPTIONS, POST")
    shop.post(f"order/{N}%2F{verb}", order(f"{N}/{verb}"))
    assert shop.get(f"order/{N}/{verb}").json["number"] == f"{N}/{verb}"  # D-23: it is still an order


def test_unknown_path_is_not_found_for_any_method(shop: ShopClient) -> None:
    for method in ("GET", "POST", "PUT", "OPTIONS", "HEAD"):
        assert shop.send(method, "nowhere").status == 404
    assert json.loads(shop.get("nowhere").body) == {"error": "Not found"}
