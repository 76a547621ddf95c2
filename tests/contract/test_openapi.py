"""The description of the API agrees with the code, and the API with its description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from paymatch.api import Api
from paymatch.api.openapi.document import document
from paymatch.api.refusals import DocumentedRefusal
from paymatch.api.router import ROUTES
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.formats.contract.bodies import OrderBody, RefundBody
from tests.contract.bank import pay
from tests.contract.client import ShopClient, call, with_scope
from tests.contract.test_endpoints import ALL_FLAGS, refund

SOURCE = Path(__file__).resolve().parents[2] / "src" / "paymatch"


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return document()


def test_description_is_served_to_everybody(api: Api, description: dict[str, Any]) -> None:
    reply = call(api, "GET", "/api/v2/openapi.json")
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json")
    assert json.loads(reply.body) == description
    assert call(api, "POST", "/api/v2/openapi.json").error == (404, "Not found")


def test_every_route_is_described_in_words(description: dict[str, Any]) -> None:
    found = {
        (method.upper(), path.removeprefix("/")): operation
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
    }
    assert found.keys() == {(route.method, route.template) for route in ROUTES}
    for name, operation in found.items():
        assert " " in operation["summary"], f"{name} has no words"
        more = {"202"} if operation["operationId"] == "uploadStatement" else set()
        more |= {"408"} if name[0] == "POST" else set()  # of a body that comes too slowly
        assert set(operation["responses"]) == {"200", "400", "401", "404", "500", "503"} | more
        content = operation["responses"]["200"].get("content", {})
        assert all(media["schema"] for media in content.values()), f"{name} has no answer"
    names = [operation["operationId"] for operation in found.values()]
    assert len(set(names)) == len(names)


def test_what_a_submission_replaces_is_said(description: dict[str, Any]) -> None:  # D-39
    one, many = (description["paths"][path]["post"]["description"] for path in ("/order/{orderNumber}", "/orders"))
    assert "the order replaces the one that was submitted before, with all its fields" in one
    assert "a field that is left out is unset. Read-only fields and uploaded invoices stay." in one
    assert "Each order replaces the one that was submitted before, as in `POST /order/{orderNumber}`." in many


def test_writable_fields_are_those_that_are_read(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    assert tuple(schemas["OrderSubmission"]["properties"]) == OrderBody.__struct_fields__
    assert tuple(schemas["Order"]["properties"])[: len(OrderBody.__struct_fields__)] == OrderBody.__struct_fields__
    assert tuple(schemas["RefundCreation"]["properties"]) == RefundBody.__struct_fields__
    assert schemas["PaymentStatus"]["enum"] == list(PaymentStatus)
    assert schemas["RefundStatus"]["enum"] == list(RefundStatus)


def test_every_reference_leads_somewhere(description: dict[str, Any]) -> None:
    names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(description)))
    assert names <= description["components"]["schemas"].keys()
    assert names >= description["components"]["schemas"].keys() - {"Order"}


def unions(schema: Any) -> Iterator[Any]:
    """Everything in the description that is one of several objects."""
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    if isinstance(schema, dict) and "oneOf" in schema:
        yield schema
    for each in inner:
        yield from unions(each)


def test_programs_that_write_clients_find_a_name_for_each_object(description: dict[str, Any]) -> None:
    found = list(unions(description))
    assert len(found) == 2  # a report, and what POST /ordersync answers
    for union in found:
        assert [each for each in union["oneOf"] if "properties" in each] == []
    report = description["components"]["schemas"]["Report"]
    assert list(report["discriminator"]["mapping"].values()) == [each["$ref"] for each in report["oneOf"]]
    for name, leads_to in report["discriminator"]["mapping"].items():
        schema = description["components"]["schemas"][leads_to.rpartition("/")[2]]
        assert schema["properties"]["report"]["const"] == name
        assert set(schema["properties"]["rows"]["items"]) == {"$ref"}


def test_query_parameters_are_those_that_the_handler_is_handed(description: dict[str, Any]) -> None:
    described = {
        f"{method.upper()} {path[1:]}": [
            parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"
        ]
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
    }
    flags = ["includePostings", "includeCollectionHistory", "includePaymentReminders", "includeRefunds"]
    assert described["GET order/{orderNumber}"] == flags
    assert described["GET orders"] == [*flags, "maxAge", "paymentStatus", "minPostingDate", "limit", "after"]
    assert described["GET reports/{report}"] == ["from", "to", "asOf", "by", "where", "search", "limit", "after"]
    assert described["POST callbacks/resend"] == ["since"]
    assert described["POST order/{orderNumber}/setpaid"] == []
    for route in ROUTES:
        assert described[f"{route.method} {route.template}"] == list(route.query.parameters)


def _refusals() -> list[DocumentedRefusal]:
    return list(dict.fromkeys(row for route in ROUTES for row in route.all_refusals))


def test_catalogue_has_the_words_of_the_code() -> None:
    """Each fixed part of a text is in the source outside of the declarations."""
    declared = [SOURCE / "api" / "refusals.py", *(SOURCE / "api" / "endpoints").glob("*.py")]
    text = "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py") if path not in declared)
    plain = re.sub(r'"\s*\n\s*f?"', "", text)
    for row in _refusals():
        for part in re.split(r"<[^>]*>|dd-MM-yyyy|\b(?:date|dueDate)(?= is not valid)", row.text):
            assert part.strip() in plain, row.text


def test_catalogue_knows_every_text_that_the_tests_pin() -> None:
    """What the contract tests expect as an error is in the catalogue."""
    patterns = [re.compile(re.sub(r"<[^>]*>", ".*", re.escape(row.text).replace("\\<", "<"))) for row in _refusals()]
    for path in Path(__file__).parent.glob("test_*.py"):
        for text in re.findall(r'error == \(4\d\d, f?"([^"]+)"\)', path.read_text("utf-8")):
            assert any(pattern.fullmatch(text) for pattern in patterns), (path.name, text)


def test_refusals_stand_in_the_order_of_their_checks() -> None:
    (route,) = [route for route in ROUTES if route.template == "order/{orderNumber}/setunpaid"]
    texts = [row.text for row in route.all_refusals]
    assert texts.index("HTTPS must be used") < texts.index("Authentication header not present")
    assert texts.index("Invalid authentication header") < texts.index("Order '<n>' not found")
    assert texts[-4:-2] == ["Order must have paymentStatus PAID", "Order must have manual paymentStatus"]
    assert "Missing body" not in texts


def test_webhook_describes_the_callback(description: dict[str, Any]) -> None:
    sent = description["webhooks"]["paymentStatusChanged"]["post"]
    assert sent["requestBody"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Order"}
    names = {parameter["name"] for parameter in sent["parameters"]}
    assert {"X-Service-Access-Code", "webhook-id", "webhook-timestamp", "webhook-signature"} == names


def test_examples_fit_the_description_and_are_accepted(shop: ShopClient, description: dict[str, Any]) -> None:
    shop.clock.now = datetime(2026, 3, 17, 12, tzinfo=UTC)
    shop.submit("OA-1", date="17-03-2026")
    filed = shop.post("order/OA-1/refund", refund("R-OA-1", amount=1, plannedDate="20-03-2026")).json["id"]
    checked, agency = 0, with_scope(shop, "collection")
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            for media in operation["responses"]["200"].get("content", {}).values():
                if "example" in media:
                    jsonschema_rs.validate(
                        {"components": description["components"], **media["schema"]}, media["example"]
                    )
                    checked += 1
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is not None and "sandbox/" not in path:
                target = path[1:].replace("{orderNumber}", "2026%2F1001").replace("{refundId}", filed)
                caller = agency if path == "/collection/reports" else shop
                assert caller.send(method.upper(), target, body["example"]).status == 200
                checked += 1
    assert checked >= 14


def test_order_with_everything_fits_the_description(shop: ShopClient, description: dict[str, Any]) -> None:
    shop.submit(
        "OA-90001", customerNumber="K", items=[{"number": "1", "name": "n"}], exchangeRate="1.1", stopReminder=True
    )
    pay(shop, "OA-90001", 1990)
    shop.post("order/OA-90001/refund", refund())
    shop.run("UPDATE bank_accounts SET confirmed = true WHERE shop_id = $1")
    shop.run("UPDATE orders SET payment_info_at = $2 WHERE shop_id = $1", shop.clock.now)
    shop.run("INSERT INTO reminders VALUES ($1, 'OA-90001', 1, '2026-03-01', 250, true, false)")
    order = json.loads(shop.get(f"order/OA-90001?{ALL_FLAGS}").body)
    assert set(order) > {"bankAccount", "referenceNumber", "postings", "refunds", "paymentReminders"}
    defined = {"components": description["components"]}
    jsonschema_rs.validate({**defined, "$ref": "#/components/schemas/Order"}, order)
    unknown = set(order) - set(description["components"]["schemas"]["Order"]["properties"])
    assert unknown == set()
    posting = json.loads(shop.get("postings").body)[0]
    schema = {**defined, "$ref": "#/components/schemas/PostingWithOrders"}
    jsonschema_rs.validate(schema, posting)
    assert set(posting) <= set(description["components"]["schemas"]["PostingWithOrders"]["properties"])
