"""docs/api.md, Refund: every field; D-3, D-5, D-14, D-15, D-19, D-22 as far as they are about filing one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.words.message import Message
from paymatch.store.sealing import REFUND_PAYEE
from tests.contract.bank import PAYER, pay
from tests.contract.client import ShopClient
from tests.contract.test_endpoints import refund

N = "RF-70001"
JSON_VALUES = [True, False, [], ["x"], {}, {"x": 1}, [[]]]


@pytest.mark.parametrize(
    ("name", "sent", "answered"),
    [
        ("externalReference", "RMA 2026/17", "RMA 2026/17"), ("externalReference", 17, "17"),
        ("externalReference", "ü" * 128, "ü" * 128), ("amount", 19.9, "19.90"), ("amount", "3", "3.00"),
        ("amount", 0.01, "0.01"), ("amount", 500, "500.00"), ("plannedDate", "31-12-9999", "31-12-9999"),
    ],
)  # fmt: skip
def test_refund_field_is_taken_and_echoed(shop: ShopClient, name: str, sent: Any, answered: str) -> None:
    shop.submit(N)
    reply = shop.post(f"order/{N}/refund", refund(**{name: sent}))
    assert reply.status == 200
    assert reply.json[name] == answered


@pytest.mark.parametrize("name", ["externalReference", "amount", "currency", "plannedDate"])
def test_refund_field_of_a_wrong_json_type(shop: ShopClient, name: str) -> None:
    shop.submit(N)
    more: list[Any] = [1.5] if name != "amount" else []
    for value in [*JSON_VALUES, *more]:
        with shop.unchanged():
            reply = shop.post(f"order/{N}/refund", refund(**{name: value}))
        assert reply.error == (400, f"Parameter {name} is not valid"), value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("amount", 0), ("amount", -1), ("amount", "0.00"), ("amount", 1.001), ("amount", "x"), ("amount", 1e13),
        ("currency", "eur"), ("currency", "XXX"), ("plannedDate", "2026-03-03"), ("plannedDate", "31-02-2027"),
        ("externalReference", "a\x00"), ("externalReference", "a\n"),
    ],
)  # fmt: skip
def test_refund_field_of_a_wrong_form(shop: ShopClient, name: str, value: Any) -> None:
    shop.submit(N)
    with shop.unchanged():
        assert shop.post(f"order/{N}/refund", refund(**{name: value})).error == (400, f"Parameter {name} is not valid")


def test_too_long_reference_is_refused(shop: ShopClient) -> None:  # D-15
    shop.submit(N)
    with shop.unchanged():
        reply = shop.post(f"order/{N}/refund", refund("x" * 129))
    assert reply.json == {"error": "Parameter externalReference too long (max 128)", "parameter": "externalReference"}


def test_refund_in_another_currency_than_the_orders_is_refused(shop: ShopClient) -> None:
    shop.submit(N)
    with shop.unchanged():
        reply = shop.post(f"order/{N}/refund", refund(currency="CHF"))
    assert reply.error == (400, "Parameter currency must be EUR, the currency of the order")


def test_refund_may_be_filed_on_an_order_that_is_not_paid(shop: ShopClient) -> None:  # D-3
    shop.submit(N)
    assert shop.post(f"order/{N}/refund", refund(amount=500)).status == 200
    assert shop.status(N) == "UNPAID"
    assert shop.count("events") == 0


def test_refund_goes_back_to_the_payers_account(shop: ShopClient) -> None:  # D-5
    shop.submit(N)
    pay(shop, N, 1990)
    assert shop.read(N, "includePostings=true")["hasBankDetailsForRefund"] is True
    assert shop.post(f"order/{N}/refund", refund()).json["status"] == "NEW"
    ((stored, holder),) = shop.rows("SELECT iban, holder FROM refunds WHERE shop_id = $1")
    assert (shop.vault.open(REFUND_PAYEE, stored), holder) == (PAYER, "Eva Muster")


def test_refund_asks_where_the_payers_account_is_no_persons(shop: ShopClient) -> None:  # D-5
    shop.submit(N)
    pay(shop, N, 1990)
    shop.run("UPDATE postings SET collective = true WHERE shop_id = $1")
    assert shop.read(N, "includePostings=true")["hasBankDetailsForRefund"] is False
    assert shop.post(f"order/{N}/refund", refund()).json["status"] == "BANKDETAILS_MISSING"


def test_what_came_back_of_a_refund_is_no_payment_with_bank_details(shop: ShopClient) -> None:  # D-5
    shop.submit(N)
    pay(shop, N, 1990)
    shop.run("UPDATE allocations SET kind = 'refund-return' WHERE shop_id = $1")
    read = shop.read(N, "includePostings=true")
    assert (read["postings"], read["hasBankDetailsForRefund"]) == ([], False)
    assert shop.post(f"order/{N}/refund", refund()).json["status"] == "BANKDETAILS_MISSING"


def test_reference_number_begins_with_the_service_prefix_and_fits_an_end_to_end_id(shop: ShopClient) -> None:  # D-19
    shop.submit(N)
    found = {shop.post(f"order/{N}/refund", refund(f"R{place}")).json["referenceNumber"] for place in range(20)}
    assert len(found) == 20
    assert all(re.fullmatch(r"PMR[A-Z0-9]{4,32}", reference) for reference in found)


def test_several_refunds_stand_in_the_order_in_which_they_were_filed(shop: ShopClient) -> None:
    shop.submit(N)
    for place in range(3):
        shop.post(f"order/{N}/refund", refund(f"R{place}"))
        shop.clock.pass_time(seconds=1)
    refunds = shop.read(N, "includeRefunds=true")["refunds"]
    assert [each["externalReference"] for each in refunds] == ["R0", "R1", "R2"]


def test_planned_date_counts_the_shops_day(shop: ShopClient) -> None:
    shop.submit(N)
    shop.clock.pass_time(hours=14)  # 3 March in Berlin, 2 March in UTC
    with shop.unchanged():
        assert shop.post(f"order/{N}/refund", refund()).error == (400, "Planned date must be in the future")
    assert shop.post(f"order/{N}/refund", refund(plannedDate="04-03-2026")).status == 200


def test_refusals_of_a_field_are_of_one_kind() -> None:
    assert str(OrderRefused(Message("text", value="x"), parameter="y")) == "x"
