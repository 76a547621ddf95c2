"""No input causes a 500 or an answer without a status and text of the contract; nothing refused is stored."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_from_bytes

import pytest

from paymatch.api.router import ROUTES
from paymatch.store.transactions import ShopId
from tests.contract.client import Reply, ShopClient, call, encoded, order, wire
from tests.contract.test_endpoints import refund
from tests.length import share

N = "BI-1"

SCALARS: list[Any] = [
    None, True, False, 0, -1, 7, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30, 1.5, 0.1, 1e308, -1e308, 5e-324, "",
    " ", "x",
    "0", "-1", "1e5", "\x00", "a\x00b", "\u2028", "\ufffe", "\U0010ffff", "\u200b", "é", "e\u0301", "x" * 256,
    "x" * 5000,
    "31-02-2026", "00-00-0000", "31-12-9999", "01-01-0001", "29-02-2000", "٠١-٠٣-٢٠٢٦", "NaN", "Infinity",
    "'; DROP TABLE orders; --", "<script>", "../../etc/passwd", "${jndi:x}", "%s%n", "{}", "null", "🙈", "\\u0000",
    "DE", "EUR", "PAID", [], {}, [[]], [{}], {"number": "x"}, [None], [1], ["x"], [["x"]], {"x": {"y": []}},
]  # fmt: skip
RAW: list[bytes] = [
    b"1e400", b"-1e400", b"1E-400", b"1.000", b"1.001", b"0.1e1", b"00", b"1e2147483648", b"1" * 400, b"1" * 5000,
    b"0." + b"0" * 5000 + b"1", b"1" + b"0" * 100, b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\ud83d\\ude00"', b'"\\u0000"',
    b"NaN", b"-Infinity", b'"\xff"', b'"\xed\xa0\x80"', b'"\x01"', b"[" * 1000 + b"]" * 1000,
    b'{"a":' * 900 + b"1" + b"}" * 900, b"//", b"/**/1", b"'x'", b"True", b"-", b"+1", b".5", b"5.", b"0x1F", b"1_000",
]  # fmt: skip
VALUES: list[bytes] = [*(wire(value) for value in SCALARS), *RAW]
ORDER_FIELDS = [
    "number", "date", "dueDate", "type", "amount", "currency", "exchangeRate", "customerEmail", "customerNumber",
    "marketplaceNumber", "paymentMethod", "paymentMethodDescription", "statusDescription", "language", "itemNumbers",
    "items", "invoiceNumbers", "shippingNumbers", "proformaNumbers", "billing", "shipping", "initialDunningLevel",
    "stopReminder", "unknownField",
]  # fmt: skip
ADDRESS_FIELDS = ["gender", "lastName", "company", "countryCode", "phone", "unknownField"]
REFUND_FIELDS = ["externalReference", "amount", "currency", "plannedDate", "unknownField"]


def contract_like(reply: Reply) -> bool:
    """The answer is one that docs/api.md knows; False for a refusal."""
    assert reply.status in (200, 400, 401, 404, 405), reply.body  # 405: D-39
    if reply.status == 200:
        return True
    assert reply.headers["Content-Type"] == "application/json"
    error = reply.json["error"]
    assert isinstance(error, str)
    assert error
    return False


_CONTENTS: dict[ShopId, list[tuple[Any, ...]]] = {}
"""What a shop held after the last call, if that was refused: reading it costs more than a call."""


def tried(shop: ShopClient, method: str, target: str, body: Any = b"") -> None:
    before = _CONTENTS.pop(shop.id, None) or shop.contents()
    if not contract_like(shop.send(method, target, body)):
        _CONTENTS[shop.id] = shop.contents()
        assert _CONTENTS[shop.id] == before


@pytest.mark.parametrize("name", ORDER_FIELDS)
def test_any_value_in_any_field_of_an_order(shop: ShopClient, name: str) -> None:
    plain = json.dumps(order(N, **{name: "@@"})).encode()
    for raw in share(VALUES, ORDER_FIELDS.index(name), 3):
        tried(shop, "POST", f"order/{N}", plain.replace(b'"@@"', raw))
        tried(shop, "POST", "orders", b"[" + plain.replace(b'"@@"', raw) + b"]")
    contract_like(shop.get("orders?maxAge=999999999&includePostings=true"))


@pytest.mark.parametrize("name", ADDRESS_FIELDS)
def test_any_value_in_any_field_of_an_address(shop: ShopClient, name: str) -> None:
    for part in ("billing", "shipping"):
        address = {"lastName": "M", "countryCode": "DE", name: "@@"}
        plain = json.dumps(order(N, **{part: address})).encode()
        for raw in share(VALUES, ADDRESS_FIELDS.index(name), 3):
            tried(shop, "POST", f"order/{N}", plain.replace(b'"@@"', raw))


@pytest.mark.parametrize("name", REFUND_FIELDS)
def test_any_value_in_any_field_of_a_refund(shop: ShopClient, name: str) -> None:
    shop.submit(N)
    plain = json.dumps(refund(**{name: "@@"})).encode()
    for raw in share(VALUES, REFUND_FIELDS.index(name), 3):
        tried(shop, "POST", f"order/{N}/refund", plain.replace(b'"@@"', raw))


def test_any_element_of_a_synchronisation(shop: ShopClient) -> None:
    shop.submit(N)
    for raw in VALUES:
        tried(shop, "POST", "ordersync", b'["x",' + raw + b"]")
        tried(shop, "POST", "ordersync?force=true", raw)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.template}")
def test_any_body_on_any_route(shop: ShopClient, route: Any) -> None:
    shop.submit(N)
    target = route.template.replace("{orderNumber}", N).replace("{invoiceNumber}", "R")
    if "{" in target:
        target = target.partition("{")[0] + "x"
    odd = [*(wire(value) for value in SCALARS[::3]), *RAW, b"", b"\x00", b"\xff" * 10, b"{" * 5000, b"[" * 5000]
    for raw in share(odd, ROUTES.index(route), 3):
        tried(shop, route.method, target, raw)


TEXTS = [
    b"", b" ", b"\x00", b"a\x00b", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"../..", b"%", b"%00",
    b"a" * 8000, b"\r\nX-Injected: 1", b"-1", b"0", b"1e9", b"99999999999999999999", b"true", b"TRUE",
    b"01-01-0001", b"31-12-9999",
    b"31-02-2026", b"PAID", b"PAID,", b",", b"'", b'"', b"\\", b"<x>", "ı".encode(), "٣".encode(), b"null",
    b"[]", b"a=b&c=d",
]  # fmt: skip
PARAMETERS = [
    "includePostings", "includeCollectionHistory", "includePaymentReminders", "includeRefunds", "includeOrders",
    "maxAge", "paymentStatus", "minPostingDate", "limit", "after", "createdMin", "createdMax", "iban", "type",
    "force", "dryRun",
    "detail", "cursor", "status", "since",
]  # fmt: skip


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.template}")
def test_any_query_on_any_route(shop: ShopClient, route: Any) -> None:
    shop.submit(N)
    target = route.template.replace("{orderNumber}", N).replace("{invoiceNumber}", "R")
    if "{" in target:
        target = target.partition("{")[0] + "x"
    body = wire(order(N)) if route.method == "POST" else b""
    for name in sorted({*PARAMETERS, *route.query.parameters}):
        known = share(TEXTS, ROUTES.index(route), 2) if name in route.query.parameters else (b"1",)
        for text in known:  # parameters of other routes are refused by their name
            contract_like(shop.send(route.method, f"{target}?{name}={quote_from_bytes(text, safe='')}", body))
    for query in ("&&&", "=", "%", "%zz=%zz", "a=1;b=2", "\u00e4=\u00e4", "x" * 20_000, "&".join(["limit=1"] * 3000)):
        contract_like(shop.send(route.method, f"{target}?{query}", body))


NAMING = [route for route in ROUTES if "{" in route.template]


@pytest.mark.parametrize("route", NAMING, ids=lambda route: f"{route.method} {route.template}")
def test_any_text_in_any_path(shop: ShopClient, route: Any) -> None:
    for text in TEXTS:
        quoted = quote_from_bytes(text, safe="")
        target = route.template.replace("{orderNumber}", quoted).replace("{invoiceNumber}", quoted)
        if "{" in target:
            target = target.partition("{")[0] + quoted
        tried(shop, route.method, target, b"{}" if route.method == "POST" else b"")


SANDBOX = {
    "payments": {"orderNumber": N, "amount": 1, "payer": "x", "reference": "exact"},
    "returns": {"orderNumber": N, "reason": "AC04", "charges": 1},
    "payouts": {"orderNumbers": [N], "fee": 1, "carrier": "x"},
    "bookings": {"amount": 1, "name": "x", "text": "x"},
}
SANDBOX_FIELDS = [
    "orderNumber", "orderNumbers", "amount", "payer", "iban", "reference", "text", "formats", "fee", "times",
    "deliveredTwice", "payment", "reason", "charges", "carrier", "name",
]  # fmt: skip


@pytest.mark.parametrize("name", SANDBOX_FIELDS)
def test_any_value_in_any_field_of_the_sandbox(make_shop: Callable[..., ShopClient], name: str) -> None:
    shop = make_shop(sandbox=True)
    shop.submit(N)
    for target, body in SANDBOX.items():
        plain = json.dumps({**body, name: "@@"}).encode()
        for raw in share(VALUES, SANDBOX_FIELDS.index(name), 5):
            contract_like(shop.post(f"sandbox/{target}", plain.replace(b'"@@"', raw)))


@pytest.mark.parametrize("name", ["advance", "set"])
def test_any_journey_of_the_sandboxs_clock(make_shop: Callable[..., ShopClient], name: str) -> None:
    shop = make_shop(sandbox=True)
    texts = ["9999999d", "-1d", "0d", "1", "d", "2026-13-01", "9999-12-31", "0001-01-01", "1m", "9999-12-31 23:59"]
    for raw in [*(wire(value) for value in [*SCALARS, *texts]), *RAW]:
        contract_like(shop.post("sandbox/clock", json.dumps({name: "@@"}).encode().replace(b'"@@"', raw)))


@pytest.mark.parametrize("length", ["", "0", "-1", "x", "²", "1" * 5000, "5"])
def test_any_content_length(shop: ShopClient, length: str) -> None:
    headers = {"X-Service-API-Key": shop.key, "Content-Length": length}
    contract_like(call(shop.api, "POST", "/api/v2/orders", wire([order(N)]), headers))


@pytest.mark.parametrize("key", ["\x00", "ÿ" * 62, "pm_live_" + "é" * 54, "pm_live_" + "z" * 54, "x" * 100_000])
def test_any_key(shop: ShopClient, key: str) -> None:
    assert call(shop.api, "GET", "/api/v2/orders", b"", {"X-Service-API-Key": key}).error[0] == 401


def test_random_bodies(shop: ShopClient) -> None:
    """Orders whose fields are drawn at random and whose bytes are then damaged."""
    chance = random.Random(20260302)
    for _ in range(1500):
        body = {name: chance.choice(SCALARS) for name in chance.sample(ORDER_FIELDS, chance.randrange(1, 12))}
        whole = {**order(N), **body} if chance.random() < 0.7 else body
        raw = bytearray(wire([whole]) if chance.random() < 0.5 else wire(whole))
        for _ in range(chance.choice((0, 0, 1, 3))):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        target = chance.choice((f"order/{N}", "orders", "ordersync?force=true", f"order/{N}/refund"))
        contract_like(shop.post(target, bytes(raw)))
    assert shop.get("orders?maxAge=999999999").status == 200


@pytest.mark.parametrize("age", ["1000000000", "00000000000365", "9" * 5000])
def test_any_age_is_taken(shop: ShopClient, age: str) -> None:  # D-7
    shop.submit(N)
    assert [each["number"] for each in shop.get(f"orders?maxAge={age}").json] == [N]


def test_order_with_every_list_very_long(shop: ShopClient) -> None:
    many = [f"N{place}" for place in range(3000)]
    lists = dict.fromkeys(("itemNumbers", "invoiceNumbers", "shippingNumbers", "proformaNumbers"), many)
    tried(shop, "POST", f"order/{N}", order(N, **lists, items=[{"number": each} for each in many]))
    assert shop.get(f"order/{encoded(N)}").status in (200, 404)
