"""Our addition for sandbox shops: the clock and the simulated bank over HTTP."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.contract.client import ShopClient

REFUSED = (400, "Only sandbox shops have a clock and a bank of their own")


@pytest.fixture
def sandbox(make_shop: Callable[..., ShopClient]) -> ShopClient:
    return make_shop(sandbox=True)


def test_a_payment_is_booked_when_the_clock_gets_there(sandbox: ShopClient) -> None:
    sandbox.submit("A-1")
    (booked,) = sandbox.post("sandbox/payments", {"orderNumber": "A-1"}).json
    assert (booked["amount"], booked["postingDate"], booked["deliveredAt"], booked["formats"]) == (
        "19.90", "02-03-2026", "02-03-2026 18:00:00", ["camt.053"],
    )  # fmt: skip
    assert sandbox.get("sandbox/clock").json == {"now": "02-03-2026 10:30:00"}
    assert sandbox.status("A-1") == "UNPAID"
    assert sandbox.post("sandbox/clock", {"advance": "1d"}).json == {
        "now": "03-03-2026 10:30:00", "done": True, "moments": 2, "files": 1, "postings": 1,
        "callbacksDelivered": 0, "callbacksFailed": 0,
    }  # fmt: skip
    assert sandbox.status("A-1") == "PAID"
    assert sandbox.get("sandbox/payments?orderNumber=A-1").json == [booked]
    (back,) = sandbox.post("sandbox/returns", {"payment": booked["id"], "reason": "AC04"}).json
    assert back["amount"] == "-19.90"
    assert sandbox.post("sandbox/clock", {"set": "2026-03-05"}).json["now"] == "05-03-2026 00:00:00"
    assert sandbox.status("A-1") == "UNPAID"


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        ("clock", b"", "Missing body"),
        ("clock", [], "Invalid request: a JSON object is expected"),
        ("clock", {}, "Either advance or set is expected"),
        ("clock", {"advance": "3"}, "'3' is not a span of time: 3d, 2w, 12h, 15m or 1d6h is expected"),
        ("clock", {"set": "2026-03-01"}, "The clock never goes back: it is 2026-03-02 09:30 UTC already"),
        ("clock", {"advance": 3}, "'3' is not a span of time: 3d, 2w, 12h, 15m or 1d6h is expected"),
        ("payments", {}, "Missing parameter orderNumber"),
        ("payments", {"orderNumber": "A-1", "reference": "nice"}, "Parameter reference is not valid"),
        ("payments", {"orderNumber": "A-1", "amount": 1.001}, "Parameter amount is not valid"),
        ("payments", {"orderNumber": "A-1", "amount": "0.00"}, "The amount must be above the fee"),
        ("payments", {"orderNumber": "A-1", "formats": ["X"]}, "The bank delivers camt.054, camt.053, MT940; not 'X'"),
        ("payments", {"orderNumbers": ["A-1", "A-1"]}, "Parameter orderNumbers is not valid"),
        ("returns", {"orderNumber": "A-1"}, "The bank has booked no payment 'A-1' that could be returned"),
        ("refunds", {"externalReference": "R-1"}, "Missing parameter outcome"),
        ("bookings", {}, "Missing parameter amount"),
    ],
)  # fmt: skip
def test_what_the_sandbox_refuses(sandbox: ShopClient, path: str, body: object, error: str) -> None:
    sandbox.submit("A-1")
    with sandbox.unchanged():
        assert sandbox.post(f"sandbox/{path}", body).error == (400, error)


def test_an_exchange_rate_beyond_all_amounts_is_refused(sandbox: ShopClient) -> None:
    sandbox.submit("A-1", currency="USD", amount=999999999.99, exchangeRate=1e-10)
    with sandbox.unchanged():
        error = "Order A-1 costs more EUR at its exchangeRate than a bank transfers: give an amount"
        assert sandbox.post("sandbox/payments", {"orderNumber": "A-1"}).error == (400, error)


def test_an_unknown_order_is_not_paid(sandbox: ShopClient) -> None:
    assert sandbox.post("sandbox/payments", {"orderNumber": "A-9"}).error == (404, "Order 'A-9' not found")


@pytest.mark.parametrize("path", ["clock", "payments", "returns", "payouts", "bookings", "refunds"])
def test_real_shops_have_no_sandbox(shop: ShopClient, path: str) -> None:
    assert shop.post(f"sandbox/{path}", {"orderNumber": "A-1"}).error == REFUSED
