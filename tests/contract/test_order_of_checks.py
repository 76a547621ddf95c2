"""D-21: the order of checks is part of the contract; of two things that are wrong the first in the order answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.contract.client import ShopClient, call, order, wire
from tests.contract.test_endpoints import refund
from tests.length import some

N = "CH-1"


@dataclass
class Attempt:
    """A call that is right until somebody spoils it."""

    shop: ShopClient
    target: str
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    environ: dict[str, Any] = field(default_factory=dict)


Spoil = Callable[[Attempt], None]


def _plain_http(attempt: Attempt) -> None:
    attempt.environ["REMOTE_ADDR"] = "203.0.113.9"


def _no_route(attempt: Attempt) -> None:
    attempt.target = "nowhere"


def _no_key(attempt: Attempt) -> None:
    attempt.headers = {}


def _bad_key(attempt: Attempt) -> None:
    if attempt.headers:
        attempt.headers = {"X-Service-API-Key": attempt.shop.key[:-1] + "_"}


def _paused(attempt: Attempt) -> None:
    attempt.shop.change(status="paused")


def _api_off(attempt: Attempt) -> None:
    attempt.shop.change(api="off")


def _read_only(attempt: Attempt) -> None:
    attempt.shop.change(access="read-only")


def _unknown_order(attempt: Attempt) -> None:
    attempt.target = attempt.target.replace(N, "unknown")


def _too_large(attempt: Attempt) -> None:
    attempt.body = b" " * (8 * 1024 * 1024 + 1)


def _empty(attempt: Attempt) -> None:
    attempt.body = b""


def _no_json(attempt: Attempt) -> None:
    if attempt.body and not _is_large(attempt):
        attempt.body = b"{ // comment"


def _is_large(attempt: Attempt) -> bool:
    return isinstance(attempt.body, bytes)


def _set(**changes: Any) -> Spoil:
    def spoil(attempt: Attempt) -> None:
        if isinstance(attempt.body, dict):
            for name, value in changes.items():
                if value is None:
                    attempt.body.pop(name, None)
                elif name in attempt.body or name not in ("date", "type", "amount", "currency", "billing"):
                    attempt.body[name] = value

    return spoil


def _address(name: str, **changes: Any) -> Spoil:
    def spoil(attempt: Attempt) -> None:
        if isinstance(attempt.body, dict) and (name in attempt.body or name == "shipping"):
            address = dict(attempt.body.get(name) or {"lastName": "M", "countryCode": "DE"})
            for key, value in changes.items():
                if value is None:
                    address.pop(key, None)
                elif key in address or key == "gender":
                    address[key] = value
            attempt.body[name] = address

    return spoil


EDGE: list[tuple[str, Spoil]] = [
    ("HTTPS must be used", _plain_http),
    ("Not found", _no_route),
    ("Authentication header not present", _no_key),
    ("Invalid authentication header", _bad_key),
    ("Shop not active", _paused),
    ("API not active, contact support", _api_off),
    ("Update not allowed for non-API Shop", _read_only),
]
BODY: list[tuple[str, Spoil]] = [
    ("Body too large (max 8 MB)", _too_large),
    ("Missing body", _empty),
    ("Invalid JSON, comments not allowed in JSON body", _no_json),
]
ORDER: list[tuple[str, Spoil]] = [
    *EDGE,
    *BODY,
    ("Parameter number and number in object do not match", _set(number="other")),
    ("Missing parameter date", _set(date=None)),
    ("Missing parameter type", _set(type=None)),
    ("Missing parameter amount", _set(amount=None)),
    ("Missing parameter currency", _set(currency=None)),
    ("Missing parameter items.number", _set(items=[{"name": "x"}])),
    ("Missing parameter billing", _set(billing=None)),
    ("Missing parameter billing.lastName", _address("billing", lastName=None)),
    ("Missing parameter billing.countryCode", _address("billing", countryCode=None)),
    ("Missing parameter shipping.countryCode", _address("shipping", countryCode=None)),
    ("Parameter date is not valid", _set(date="31-02-2026")),
    ("Parameter dueDate is not valid", _set(dueDate="x")),
    ("Parameter type is not valid", _set(type="X")),
    ("Parameter amount is not valid", _set(amount="x")),
    ("Parameter currency is not valid", _set(currency="X")),
    ("Parameter exchangeRate is not valid", _set(exchangeRate="x")),
    ("Parameter customerNumber is not valid", _set(customerNumber=[])),
    ("Parameter language is not valid", _set(language="?")),
    ("Parameter itemNumbers is not valid", _set(itemNumbers=1)),
    ("Parameter invoiceNumbers is not valid", _set(invoiceNumbers=1)),
    ("Parameter billing.gender is not valid", _address("billing", gender="X")),
    ("Parameter billing.countryCode is not valid", _address("billing", countryCode="ZZ")),
    ("Parameter shipping.gender is not valid", _address("shipping", gender="X")),
    ("Parameter initialDunningLevel is not valid", _set(initialDunningLevel=-1)),
    ("Parameter stopReminder is not valid", _set(stopReminder=2)),
    ("Parameter date must not be in the future", _set(date="31-12-2026")),
    ("Parameter dueDate must not be more than 6 months in the future", _set(dueDate="31-12-2026")),
]
REFUND: list[tuple[str, Spoil]] = [
    *EDGE,
    ("Order 'unknown' not found", _unknown_order),
    *BODY,
    ("Missing parameter externalReference", _set(externalReference=None)),
    ("Missing parameter amount", _set(amount=None)),
    ("Missing parameter currency", _set(currency=None)),
    ("Missing parameter plannedDate", _set(plannedDate=None)),
    ("Parameter externalReference is not valid", _set(externalReference=[])),
    ("Parameter amount is not valid", _set(amount=1.234)),
    ("Parameter currency is not valid", _set(currency="X")),
    ("Parameter plannedDate is not valid", _set(plannedDate="x")),
    ("Planned date must be in the future", _set(plannedDate="01-01-2026")),
    ("Parameter currency must be EUR, the currency of the order", _set(currency="CHF")),
]


def _fields_of(text: str) -> set[str]:
    """The body fields that a check looks at; two checks of one field cannot both fail."""
    words = set(text.replace("Planned date", "plannedDate").replace(",", "").split())
    return {name.split(".")[0] for name in words} & {
        "number", "date", "dueDate", "type", "amount", "currency", "billing", "initialDunningLevel", "plannedDate",
        "externalReference", "shipping",
    }  # fmt: skip


def _pairs(checks: list[tuple[str, Spoil]]) -> list[tuple[str, Spoil, Spoil]]:
    """All pairs whose mistakes can stand in one call."""
    found = []
    for (first, spoil_first), (second, spoil_second) in itertools.combinations(checks, 2):
        if not (_fields_of(first) & _fields_of(second)) and (first, second) != (
            "Authentication header not present",
            "Invalid authentication header",
        ):
            found.append((first, spoil_first, spoil_second))
    return found


def _reset(shop: ShopClient) -> None:
    shop.change(status="active", api="on", access="read-write")


def _check(shop: ShopClient, target: str, body: dict[str, Any], expected: str, *spoils: Spoil) -> None:
    attempt = Attempt(shop, target, dict(body), {"X-Service-API-Key": shop.key})
    for spoil in spoils:
        spoil(attempt)
    with shop.unchanged():
        sent = wire(attempt.body)
        reply = call(shop.api, "POST", f"/api/v2/{attempt.target}", sent, attempt.headers, **attempt.environ)
    assert reply.json["error"] == expected, [getattr(spoil, "__name__", "") for spoil in spoils]
    _reset(shop)


@pytest.mark.parametrize(
    ("target", "checks"), [(f"order/{N}", ORDER), (f"order/{N}/refund", REFUND)], ids=["order", "refund"]
)
def test_each_check_answers_for_itself(shop: ShopClient, target: str, checks: list[tuple[str, Spoil]]) -> None:
    body = refund() if target.endswith("refund") else order(N)
    if target.endswith("refund"):
        shop.submit(N)
    for text, spoil in checks:
        _check(shop, target, body, text, spoil)


@pytest.mark.parametrize(
    ("target", "checks"), [(f"order/{N}", ORDER), (f"order/{N}/refund", REFUND)], ids=["order", "refund"]
)
def test_of_two_mistakes_the_first_in_the_order_answers(
    shop: ShopClient, target: str, checks: list[tuple[str, Spoil]]
) -> None:
    body = refund() if target.endswith("refund") else order(N)
    if target.endswith("refund"):
        shop.submit(N)
    pairs = _pairs(checks)
    assert len(pairs) > 100
    for text, first, second in some(pairs, 80):
        # The second mistake is made first, so that the first one may still replace the whole body.
        _check(shop, target, body, text, second, first)


def test_rules_of_a_known_order_come_in_the_order_of_the_error_table(shop: ShopClient) -> None:
    shop.submit(N)
    shop.post(f"order/{N}/cancel")
    all_wrong = order(N, dueDate="31-12-2026", initialDunningLevel=1, amount=5)
    for text, remedy in (
        ("Parameter dueDate must not be more than 6 months in the future", "dueDate"),
        ("Parameter initialDunningLevel can only be given when creating a new order", "initialDunningLevel"),
        ("Could not update order (status CANCELLED)", "amount"),
    ):
        assert shop.post(f"order/{N}", all_wrong).error == (400, text)
        all_wrong.pop(remedy)


def test_unknown_order_answers_before_a_wrong_flag(shop: ShopClient) -> None:
    for method, target in (("GET", "order/unknown"), ("POST", "order/remove/unknown")):
        reply = shop.send(method, f"{target}?includePostings=perhaps")
        assert reply.error == (404, "Order 'unknown' not found")


def test_setunpaid_asks_for_paid_before_it_asks_for_manual(shop: ShopClient) -> None:
    shop.submit(N)
    assert shop.post(f"order/{N}/setunpaid").error == (400, "Order must have paymentStatus PAID")


def test_planned_date_answers_before_the_reference_that_exists(shop: ShopClient) -> None:
    shop.submit(N)
    shop.post(f"order/{N}/refund", refund())
    reply = shop.post(f"order/{N}/refund", refund(plannedDate="01-01-2026"))
    assert reply.error == (400, "Planned date must be in the future")


@pytest.mark.parametrize("number", ["x" * 256, "A\n"])
def test_number_of_the_path_answers_before_the_form_of_the_number(shop: ShopClient, number: str) -> None:
    reply = shop.post(f"order/{N}", order(number, date=None))
    assert reply.error == (400, "Parameter number and number in object do not match")


@pytest.mark.parametrize("number", ["x" * 256, "A\n", True, 1.5])
def test_required_fields_answer_before_the_form_of_the_number(shop: ShopClient, number: Any) -> None:
    assert shop.post("orders", [order("x", number=number, billing=None)]).json["error"] == "Missing parameter billing"


def test_blank_keys_are_missing_before_any_form_is_looked_at(shop: ShopClient) -> None:
    shop.submit(N)
    reply = shop.post(f"order/{N}", order(N, date="x", items=[{"number": " "}]))
    assert reply.error == (400, "Missing parameter items.number")
    reply = shop.post(f"order/{N}/refund", {"externalReference": " ", "amount": 1, "currency": "EUR"})
    assert reply.error == (400, "Missing parameter externalReference")


def test_bulk_call_names_the_first_order_that_is_wrong_not_the_worst(shop: ShopClient) -> None:
    reply = shop.post("orders", [order("a"), order("b", language="?"), order("c", date=None), order("d", number=None)])
    assert (reply.json["error"], reply.json["index"]) == ("Parameter language is not valid", 1)


def test_bulk_call_checks_all_forms_before_any_rule(shop: ShopClient) -> None:
    reply = shop.post("orders", [order("a", date="31-12-2026"), order("b", type="X")])
    assert (reply.json["error"], reply.json["index"]) == ("Parameter type is not valid", 1)
