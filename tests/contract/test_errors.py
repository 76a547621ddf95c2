"""docs/api.md, Errors: every row with its status and its text; after each refusal nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.api import errors
from paymatch.formats.contract.bodies import BodyMissing
from paymatch.store.transactions import LockNotAcquired, ShopId
from paymatch.web import HTTPS_NEEDED
from tests.contract.bank import pay
from tests.contract.client import ShopClient, order
from tests.contract.test_endpoints import refund

N = "ER-30001"


def refused(shop: ShopClient, target: str, body: Any = b"", *, method: str = "POST") -> tuple[int, str]:
    with shop.unchanged():
        return shop.send(method, target, body).error


# The rows about keys and shops: tests/contract/test_authentication.py pins them on every route.


@pytest.mark.parametrize("target", [f"order/{N}", "orders", "ordersync", f"order/{N}/refund"])
@pytest.mark.parametrize("body", [b"", b" \r\n\t "])
def test_missing_body(shop: ShopClient, target: str, body: bytes) -> None:
    shop.submit(N)
    assert refused(shop, target, body) == (400, "Missing body")


NOT_JSON = [
    b"// comment\n{}", b"{} /* comment */", b'{"number": "1", // comment\n "date": "x"}', b"{", b"}", b"[", b"{'a': 1}",
    b"<order/>", b"hello", b'{"a": NaN}', b'{"a": Infinity}', b'{"a": 01}', b'{"a": 1,}', b"[1,]", b'{"a" 1}',
    b"\xff\xfe", b'{"a": "\xff"}', b'{"a": "\\ud800"}', b'{"a": "\x00"}', b"{} {}",
    b"\xef\xbb\xbf{", b"\xef\xbb\xbf\xef\xbb\xbf{}",
    b"undefined", b"\x00",
    b'{"billing":' * 5000 + b"1" + b"}" * 5000, b"[" * 5000 + b"]" * 5000, b"[" * 100_000,
    b'{"number": "\\udc00\\ud800"}',
]  # fmt: skip


@pytest.mark.parametrize("target", [f"order/{N}", "orders", "ordersync", f"order/{N}/refund"])
@pytest.mark.parametrize("body", NOT_JSON, ids=lambda body: repr(body[:24]))
def test_invalid_json(shop: ShopClient, target: str, body: bytes) -> None:
    shop.submit(N)
    assert refused(shop, target, body) == (400, "Invalid JSON, comments not allowed in JSON body")


@pytest.mark.parametrize(
    ("target", "bodies", "expected"),
    [
        (f"order/{N}", [[], "x", 1, True, None, [{}]], "a JSON object is expected"),
        (f"order/{N}/refund", [[], "x", 1, True, None, [{}]], "a JSON object is expected"),
        ("orders", [{}, "x", 1, None, ["x"], [1], [None], [[]], {"orders": []}], "a JSON array of orders is expected"),
        ("ordersync", [{}, "x", 1, None, {"orders": []}], "a JSON array of order numbers or orders is expected"),
    ],
)
def test_invalid_request_of_another_shape(shop: ShopClient, target: str, bodies: list[Any], expected: str) -> None:
    shop.submit(N)
    for body in bodies:
        text = b"null" if body is None else body
        assert refused(shop, target, text) == (400, f"Invalid request: {expected}")


@pytest.mark.parametrize("wrong", [None, [], 1, "A-1", True])
def test_element_that_is_no_order_is_named_by_its_place(shop: ShopClient, wrong: Any) -> None:
    with shop.unchanged():
        reply = shop.post("orders", [order("A-1"), order("A-2"), wrong, order("A-3"), None])
    assert (reply.status, reply.json) == (
        400, {"error": "Invalid request: a JSON array of orders is expected", "index": 2},
    )  # fmt: skip
    assert shop.post("orders", {"number": "A-1"}).json == {
        "error": "Invalid request: a JSON array of orders is expected"
    }


def test_body_over_8_mb(shop: ShopClient) -> None:
    shop.submit(N)
    for target in (f"order/{N}", "orders", f"order/{N}/refund"):
        for body in (b" " * (8 * 1024 * 1024 + 1), b'{"a":"' + b"x" * (8 * 1024 * 1024) + b'"}'):
            assert refused(shop, target, body) == (400, "Body too large (max 8 MB)")


def test_body_over_8_mb_without_its_length(shop: ShopClient) -> None:
    import io

    from tests.contract.client import call

    body = io.BytesIO(b"[" + b" " * (8 * 1024 * 1024) + b"]")
    environ = {"wsgi.input": body, "CONTENT_LENGTH": ""}
    reply = call(shop.api, "POST", "/api/v2/orders", b"", {"X-Service-API-Key": shop.key}, **environ)
    assert reply.error == (400, "Body too large (max 8 MB)")


REQUIRED = ["number", "date", "type", "amount", "currency", "billing"]


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("given", ["absent", "null", "empty"])
def test_missing_parameter_of_an_order(shop: ShopClient, name: str, given: str) -> None:
    body = order(N)
    if given == "absent":
        del body[name]
    else:
        body[name] = None if given == "null" else ""
    expected = (400, f"Missing parameter {name}")
    assert refused(shop, f"order/{N}", body) == expected
    assert refused(shop, "orders", [body]) == expected
    assert refused(shop, "ordersync?force=true", [body]) == expected


def test_missing_parameter_billing_that_is_an_empty_object(shop: ShopClient) -> None:
    assert refused(shop, f"order/{N}", order(N, billing={})) == (400, "Missing parameter billing")


@pytest.mark.parametrize("name", ["billing", "shipping"])
def test_missing_parameter_of_an_address(shop: ShopClient, name: str) -> None:
    for empty in (
        {"countryCode": "DE"},
        {"countryCode": "DE", "lastName": "", "company": None},
        {"countryCode": "DE", "lastName": " \u200b\u00ad"},
    ):
        assert refused(shop, f"order/{N}", order(N, **{name: empty})) == (400, f"Missing parameter {name}.lastName")
    for person in ({"lastName": "M"}, {"company": "C"}, {"lastName": "M", "countryCode": ""}):
        error = refused(shop, f"order/{N}", order(N, **{name: person}))
        assert error == (400, f"Missing parameter {name}.countryCode")
    assert shop.submit(N, **{name: {"company": "C", "countryCode": "DE"}})["number"] == N


def test_missing_parameter_of_an_item(shop: ShopClient) -> None:
    for item in ({}, {"name": "x"}, {"number": None}, {"number": ""}):
        error = refused(shop, f"order/{N}", order(N, items=[{"number": "1"}, item]))
        assert error == (400, "Missing parameter items.number")


@pytest.mark.parametrize("name", ["externalReference", "amount", "currency", "plannedDate"])
@pytest.mark.parametrize("value", [None, "", "null"])
def test_missing_parameter_of_a_refund(shop: ShopClient, name: str, value: Any) -> None:
    shop.submit(N)
    body = refund()
    body[name] = value
    if value is None:
        del body[name]
    if value == "null":
        body[name] = None
    assert refused(shop, f"order/{N}/refund", body) == (400, f"Missing parameter {name}")


@pytest.mark.parametrize("target", ["orders?minPostingDate=", "postings?createdMin=", "postings?createdMax="])
@pytest.mark.parametrize("value", ["2026-03-01", "1-3-2026", "31-02-2026", "x", "00-00-0000", "01-03-2026T00:00"])
def test_invalid_date_of_a_query(shop: ShopClient, target: str, value: str) -> None:
    expected = (400, f"Invalid date: {value}, format should be dd-MM-yyyy")
    assert refused(shop, target + value, method="GET") == expected


def test_invalid_date_of_an_empty_query_value(shop: ShopClient) -> None:
    error = refused(shop, "orders?minPostingDate=", method="GET")
    assert error == (400, "Invalid date: , format should be dd-MM-yyyy")


@pytest.mark.parametrize("name", ["date", "dueDate"])
def test_parameter_date_is_not_valid(shop: ShopClient, name: str) -> None:
    assert refused(shop, f"order/{N}", order(N, **{name: "31-02-2026"})) == (400, f"Parameter {name} is not valid")


def test_date_must_not_be_in_the_future_on_a_new_order(shop: ShopClient) -> None:
    error = (400, "Parameter date must not be in the future")
    assert refused(shop, f"order/{N}", order(N, date="03-03-2026")) == error
    assert refused(shop, f"order/{N}", order(N, date="31-12-9999")) == error
    assert shop.submit(N, date="02-03-2026")["date"] == "02-03-2026"
    assert shop.submit(N, date="03-03-2026")["date"] == "03-03-2026"  # not a new order


def test_due_date_more_than_6_months_in_the_future(shop: ShopClient) -> None:
    error = (400, "Parameter dueDate must not be more than 6 months in the future")
    assert refused(shop, f"order/{N}", order(N, dueDate="03-09-2026")) == error
    assert refused(shop, f"order/{N}", order(N, dueDate="31-12-9999")) == error
    assert shop.submit(N, dueDate="02-09-2026")["dueDate"] == "02-09-2026"
    assert refused(shop, f"order/{N}", order(N, dueDate="03-09-2026")) == error


def test_number_and_path_do_not_match(shop: ShopClient) -> None:
    expected = (400, "Parameter number and number in object do not match")
    for number in ("ER-30002", "er-30001", f"{N} ", 5):
        assert refused(shop, f"order/{N}", order("x", number=number)) == expected


def test_initial_dunning_level_on_an_update(shop: ShopClient) -> None:
    shop.submit(N, initialDunningLevel=2)
    for level in (1, 3):
        for amount in (19.90, 5):
            assert refused(shop, f"order/{N}", order(N, initialDunningLevel=level, amount=amount)) == (
                400,
                "Parameter initialDunningLevel can only be given when creating a new order",
            )


def test_initial_dunning_level_as_at_creation_is_no_mistake(shop: ShopClient) -> None:  # D-39
    shop.submit(N, initialDunningLevel=2)
    with shop.unchanged():
        assert shop.submit(N, initialDunningLevel=2)["dunningLevel"] == 2
    shop.run("UPDATE orders SET dunning_level = 4 WHERE shop_id = $1")
    answered = shop.submit(N, initialDunningLevel=2, amount=5)
    assert (answered["amount"], answered["dunningLevel"], answered["initialDunningLevel"]) == ("5.00", 4, 2)
    assert refused(shop, f"order/{N}", order(N, initialDunningLevel=4))[0] == 400


def test_could_not_acquire_lock(shop: ShopClient) -> None:
    from paymatch.store.orders import orders as order_store

    shop.submit(N)
    with shop.database.of_shop(ShopId(shop.id)) as tx:
        order_store.lock(tx, [N])
        assert refused(shop, f"order/{N}", order(N, amount=1)) == (400, "Could not acquire lock")


def test_could_not_update_order(shop: ShopClient) -> None:
    shop.submit(N)
    shop.post(f"order/{N}/cancel")
    assert refused(shop, f"order/{N}", order(N, amount=1)) == (400, "Could not update order (status CANCELLED)")


def test_refund_already_exists(shop: ShopClient) -> None:
    shop.submit(N)
    shop.submit("ER-30002")
    reference = shop.post(f"order/{N}/refund", refund()).json["referenceNumber"]
    expected = (400, f"Refund already exists: {reference}")
    assert refused(shop, f"order/{N}/refund", refund()) == expected
    assert refused(shop, "order/ER-30002/refund", refund(amount=1)) == expected  # unique per shop


@pytest.mark.parametrize("day", ["02-03-2026", "01-03-2026", "01-01-0001"])
def test_planned_date_must_be_in_the_future(shop: ShopClient, day: str) -> None:
    shop.submit(N)
    assert refused(shop, f"order/{N}/refund", refund(plannedDate=day)) == (400, "Planned date must be in the future")


def test_order_already_paid(shop: ShopClient) -> None:
    expected = (400, "Order already in paymentStatus PAID")
    shop.submit(N)
    pay(shop, N, 1990)
    assert refused(shop, f"order/{N}/setpaid") == expected
    shop.submit("ER-30002")
    shop.post("order/ER-30002/setpaid")
    assert refused(shop, "order/ER-30002/setpaid") == expected


def test_order_must_have_payment_status_paid(shop: ShopClient) -> None:
    shop.submit(N)
    assert refused(shop, f"order/{N}/setunpaid") == (400, "Order must have paymentStatus PAID")
    shop.post(f"order/{N}/cancel")
    assert refused(shop, f"order/{N}/setunpaid") == (400, "Order must have paymentStatus PAID")


def test_order_must_have_manual_payment_status(shop: ShopClient) -> None:
    shop.submit(N)
    pay(shop, N, 1990)
    assert refused(shop, f"order/{N}/setunpaid") == (400, "Order must have manual paymentStatus")


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "order/{}"), ("POST", "order/remove/{}"), ("POST", "order/{}/setpaid"), ("POST", "order/{}/setunpaid"),
        ("POST", "order/{}/cancel"), ("POST", "order/{}/refund"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("path", "number"), [("nope", "nope"), ("a%2Fb%20%C3%BC", "a/b ü"), ("x" * 2000, "x" * 2000)])
def test_order_not_found(shop: ShopClient, method: str, target: str, path: str, number: str) -> None:
    expected = (404, f"Order '{number}' not found")
    assert refused(shop, target.format(path), refund(), method=method) == expected


@pytest.mark.parametrize(
    "flag", ["includePostings", "includeCollectionHistory", "includePaymentReminders", "includeRefunds"]
)
@pytest.mark.parametrize("value", ["2", "yes", "TRUE%20", "null"])
def test_unknown_flag_value_is_refused(shop: ShopClient, flag: str, value: str) -> None:  # D-22, D-39
    shop.submit(N)
    expected = (400, f"Parameter {flag} is not valid")
    assert refused(shop, f"order/{N}?{flag}={value}", method="GET") == expected
    assert refused(shop, f"order/{N}?{flag}={value}", order(N, amount=1)) == expected
    assert refused(shop, f"order/remove/{N}?{flag}={value}") == expected
    assert refused(shop, f"orders?{flag}={value}", [order(N, amount=1)]) == expected
    assert refused(shop, f"orders?{flag}={value}", method="GET") == expected


def test_internal_error_carries_a_request_id_that_the_log_has(
    shop: ShopClient, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.run("UPDATE shops SET timezone = 'Nowhere/Land' WHERE shop_id = $1")
    reply = shop.post(f"order/{N}", order(N))
    request_id = reply.headers["X-Request-Id"]
    expected = f"Internal server error, please retry or contact support with request id {request_id}"
    assert reply.error == (500, expected)
    said = capsys.readouterr()
    assert request_id in said.out + said.err
    assert shop.count("orders") == 0


def test_errors_are_the_words_of_the_document() -> None:
    assert HTTPS_NEEDED == "HTTPS must be used"
    words = {name: getattr(errors, name) for name in dir(errors) if name.isupper()}
    assert words == {
        "HEADER_MISSING": "Authentication header not present",
        "KEY_UNKNOWN": "Invalid authentication header",
        "PLACEHOLDER": "Replace the placeholder in the authentication header with your API key from the merchant area",
        "SHOP_NOT_ACTIVE": "Shop not active",
        "API_NOT_ACTIVE": "API not active, contact support",
        "READ_ONLY": "Update not allowed for non-API Shop",
        "STATEMENTS_OFF": "Statements by API are off for this shop",
        "FILES_AWAY": "The storage of files takes nothing at the moment, please retry",
        "DATABASE_AWAY": "The database does not answer, please retry",
        "NOT_FOUND": "Not found",
        "METHOD_NOT_ALLOWED": "Method not allowed",
    }
    assert str(BodyMissing()) == "Missing body"
    assert str(LockNotAcquired()) == "Could not acquire lock"
