"""Orders of WooCommerce and Shopware 6 in the API's words; what has another form is named, not guessed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from paymatch.formats.connectors import shopware, woocommerce
from paymatch.formats.connectors.foreign_orders import AnswerUnexpected, ForeignOrder, Unreadable

BILLING = {
    "first_name": "Erika", "last_name": "Mustermann", "company": "", "address_1": "Heidestraße 17", "address_2": "Hof",
    "postcode": "51147", "city": "Köln", "country": "DE", "email": "erika@example.org", "phone": "0123",
}  # fmt: skip
WOO: dict[str, Any] = {
    "id": 727, "number": "727", "status": "on-hold", "currency": "EUR", "total": "49.90", "customer_id": 25,
    "date_created_gmt": "2026-03-09T10:00:00", "date_modified_gmt": "2026-03-09T10:05:00", "payment_method": "bacs",
    "payment_method_title": "Überweisung", "billing": BILLING, "shipping": [], "refunds": [],
    "line_items": [{"product_id": 93, "sku": "", "name": "Tasse"}, {"product_id": 0, "sku": "T-1", "name": "Teller"}],
}  # fmt: skip
WARE: dict[str, Any] = {
    "id": "0a1b", "orderNumber": "10001", "autoIncrement": 7, "orderDateTime": "2026-03-09T11:00:00.000+01:00",
    "amountTotal": 49.9, "stateMachineState": {"technicalName": "open"}, "currency": {"isoCode": "EUR"},
    "language": {"locale": {"code": "de-DE"}},
    "orderCustomer": {
        "email": "erika@example.org", "customerNumber": "10005", "salutation": {"salutationKey": "mrs"},
    },
    "billingAddress": {"firstName": "Erika", "lastName": "Mustermann", "zipcode": "51147", "country": {"iso": "DE"}},
    "deliveries": [
        {"trackingCodes": ["00340"], "shippingOrderAddress": {"lastName": "Muster", "city": "Ulm"}},
        {"trackingCodes": ["00341"]},
    ],
    "transactions": [
        {
            "id": "t1", "createdAt": "2026-03-09T10:00:00", "stateMachineState": {"technicalName": "cancelled"},
            "paymentMethod": {"technicalName": "payment_cashpayment"},
        },
        {
            "id": "t2", "createdAt": "2026-03-09T10:30:00", "stateMachineState": {"technicalName": "open"},
            "paymentMethod": {"technicalName": "payment_prepayment", "name": "Vorkasse"},
        },
    ],
    "lineItems": [
        {"label": "Tasse", "payload": {"productNumber": "T-1"}}, {"label": "Gutschein", "payload": []},
    ],
    "documents": [
        {"documentType": {"technicalName": "invoice"}, "config": {"documentNumber": "RE-1"}},
        {"documentType": {"technicalName": "delivery_note"}, "documentNumber": "LS-1"},
    ],
}  # fmt: skip


def woo(**changed: Any) -> ForeignOrder | Unreadable:
    return woocommerce.read_orders(json.dumps([WOO | changed]).encode()).orders[0]


def ware(**changed: Any) -> ForeignOrder | Unreadable:
    return shopware.read_orders(json.dumps({"data": [WARE | changed]}).encode()).orders[0]


def read(found: ForeignOrder | Unreadable) -> ForeignOrder:
    assert isinstance(found, ForeignOrder)
    return found


def test_an_order_of_woocommerce() -> None:
    assert woo() == ForeignOrder(
        id="727",
        number="727",
        placed_at=datetime(2026, 3, 9, 10, tzinfo=UTC),
        state="on-hold",
        is_draft=False,
        is_cancelled=False,
        paid_for=frozenset(),
        methods=("bacs",),
        doc={
            "amount": Decimal("49.90"),
            "currency": "EUR",
            "customerEmail": "erika@example.org",
            "customerNumber": "25",
            "paymentMethod": "bacs",
            "paymentMethodDescription": "Überweisung",
            "statusDescription": "on-hold",
            "items": [{"number": "93", "name": "Tasse"}, {"number": "T-1", "name": "Teller"}],
            "billing": {
                "firstName": "Erika", "lastName": "Mustermann", "street": "Heidestraße 17 Hof", "postCode": "51147",
                "city": "Köln", "countryCode": "DE", "phone": "0123",
            },
        },
    )  # fmt: skip


def test_an_order_of_shopware_is_paid_by_its_latest_transaction() -> None:
    assert ware() == ForeignOrder(
        id="0a1b",
        number="10001",
        placed_at=datetime(2026, 3, 9, 10, tzinfo=UTC),
        state="open",
        is_draft=False,
        is_cancelled=False,
        paid_for=frozenset(),
        methods=("payment_prepayment", "Vorkasse"),
        doc={
            "amount": Decimal("49.9"),
            "currency": "EUR",
            "customerEmail": "erika@example.org",
            "customerNumber": "10005",
            "paymentMethod": "payment_prepayment",
            "paymentMethodDescription": "Vorkasse",
            "statusDescription": "open",
            "language": "de-DE",
            "items": [{"number": "T-1", "name": "Tasse"}],
            "invoiceNumbers": ["RE-1"],
            "shippingNumbers": ["00340", "00341"],
            "billing": {
                "gender": "female", "firstName": "Erika", "lastName": "Mustermann", "postCode": "51147",
                "countryCode": "DE",
            },
            "shipping": {"lastName": "Muster", "city": "Ulm"},
        },
    )  # fmt: skip


@pytest.mark.parametrize(
    ("refunds", "due"),
    [
        ([], "49.90"),
        ([{"total": "-9.90"}], "40.00"),
        ([{"total": "-9.90"}, {"total": "10.00"}], "30.00"),
        ([{"total": "-49.90"}], "0.00"),
    ],
)
def test_a_refund_in_the_shop_lowers_what_is_owed(refunds: list[dict[str, str]], due: str) -> None:
    assert read(woo(refunds=refunds)).doc["amount"] == Decimal(due)


@pytest.mark.parametrize(
    ("status", "draft", "cancelled", "paid"),
    [
        ("pending", False, False, False),
        ("on-hold", False, False, False),
        ("processing", False, False, True),
        ("completed", False, False, True),
        ("cancelled", False, True, False),
        ("refunded", False, True, False),
        ("trash", False, True, False),
        ("failed", True, False, False),
        ("checkout-draft", True, False, False),
        ("my-own-status", False, False, False),
    ],
)
def test_states_of_woocommerce(status: str, draft: bool, cancelled: bool, paid: bool) -> None:
    found = read(woo(status=status))
    assert (found.is_draft, found.is_cancelled, found.paid_for == {"PREPAYMENT"}) == (draft, cancelled, paid)


@pytest.mark.parametrize(
    ("order", "transaction", "draft", "cancelled", "paid"),
    [
        ("open", "open", False, False, False),
        ("open", "paid", False, False, True),
        ("open", "paid_partially", False, False, False),
        ("open", "failed", True, False, False),
        ("cancelled", "open", False, True, False),
        ("open", "cancelled", False, True, False),
        ("completed", "refunded", False, True, True),
        ("open", "chargeback", False, False, True),
    ],
)
def test_states_of_shopware(order: str, transaction: str, draft: bool, cancelled: bool, paid: bool) -> None:
    latest = WARE["transactions"][1] | {"stateMachineState": {"technicalName": transaction}}
    found = read(ware(stateMachineState={"technicalName": order}, transactions=[latest]))
    assert (found.is_draft, found.is_cancelled, bool(found.paid_for)) == (draft, cancelled, paid)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "../orders"), ("id", ""), ("id", "9" * 65), ("status", ""), ("status", "x" * 65), ("total", "49,90"),
        ("total", "1e3"), ("total", None), ("total", True), ("total", "٤٩.90"), ("number", "7\x002"),
        ("date_created_gmt", "yesterday"), ("date_created_gmt", "2026-02-30T10:00:00"), ("refunds", [{"total": "?"}]),
    ],
)  # fmt: skip
def test_what_has_another_form_is_named(field: str, value: object) -> None:
    found = woo(**{field: value})
    assert isinstance(found, Unreadable)
    assert found.field == field


def test_an_unreadable_order_stops_no_other() -> None:
    body = {"data": [WARE | {"orderNumber": ""}, WARE], "total": 2}
    found = shopware.read_orders(json.dumps(body).encode())
    assert (found.orders, found.total) == ((Unreadable("0a1b", "", "orderNumber"), ware()), 2)


def test_amounts_never_become_binary_floats() -> None:
    order = json.dumps(WARE).replace("49.9", "1234567890.10")
    found = shopware.read_orders(f'{{"data": [{order}]}}'.encode()).orders[0]
    assert read(found).doc["amount"] == Decimal("1234567890.10")


@pytest.mark.parametrize("body", [b"", b"<html>", b"null", b"{}", b'["a"]', b"\xff", b"[" * 100_000])
def test_an_answer_that_is_no_list_of_orders(body: bytes) -> None:
    with pytest.raises(AnswerUnexpected):
        woocommerce.read_orders(body)
    with pytest.raises(AnswerUnexpected):
        shopware.read_orders(body)


@pytest.mark.parametrize(
    "body", [b"{}", b'{"access_token": ""}', b'{"access_token": "a\\nb"}', b'{"access_token": 1.5}']
)
def test_a_token_that_cannot_stand_in_a_header(body: bytes) -> None:
    with pytest.raises(AnswerUnexpected):
        shopware.read_token(body)
