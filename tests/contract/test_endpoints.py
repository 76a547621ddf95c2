"""docs/api.md, Endpoints: every row, and the rules per endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.bank import pay
from tests.contract.client import ShopClient, encoded, order

ALL_FLAGS = "includePostings=true&includeCollectionHistory=true&includePaymentReminders=true&includeRefunds=true"


def refund(reference: str = "RMA-1", **changes: Any) -> dict[str, Any]:
    body = {"externalReference": reference, "amount": 5, "currency": "EUR", "plannedDate": "03-03-2026", **changes}
    return {name: value for name, value in body.items() if value is not None}


def test_01_submit_one_creates_an_order(shop: ShopClient) -> None:
    reply = shop.post("order/E-1", order("E-1"))
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.json["paymentStatus"] == "UNPAID"
    assert shop.count("orders") == 1
    assert (shop.count("events"), shop.count("callbacks")) == (0, 0)  # D-22: creating is no status change


def test_01_submit_one_updates_an_order(shop: ShopClient) -> None:
    shop.submit("E-2")
    answered = shop.submit("E-2", amount=25, customerEmail="new@example.com")
    assert (answered["amount"], answered["customerEmail"]) == ("25.00", "new@example.com")
    assert shop.count("orders") == 1


def test_01_unchanged_submission_writes_nothing(shop: ShopClient) -> None:
    shop.submit("E-3", initialDunningLevel=1)
    shop.clock.pass_time(hours=1)
    with shop.unchanged():
        assert shop.submit("E-3")["initialDunningLevel"] == 1


def test_01_initial_dunning_level_is_honoured_on_creation(shop: ShopClient) -> None:
    created = shop.submit("E-4", initialDunningLevel=2)
    assert (created["initialDunningLevel"], created["dunningLevel"]) == (2, 2)
    assert shop.submit("E-4", initialDunningLevel=0)["dunningLevel"] == 2


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_01_and_02_take_the_four_flags(shop: ShopClient, method: str) -> None:
    shop.submit("E-5")
    shop.run("UPDATE orders SET mark = 'COLLECTION', status = 'COLLECTION' WHERE shop_id = $1")
    shop.run("INSERT INTO collections VALUES ($1, 'E-5', 'Agency', 'F-77', 'ACCEPTED', true)")
    parts = {
        "includePostings": {"postings", "hasBankDetailsForRefund"},
        "includeCollectionHistory": {"collectionHistory"},
        "includePaymentReminders": {"paymentReminders"},
        "includeRefunds": {"refunds"},
    }
    body = order("E-5") if method == "POST" else b""
    without = set(shop.send(method, "order/E-5", body).json)
    assert not without & {name for names in parts.values() for name in names}
    for flag, names in parts.items():
        assert set(shop.send(method, f"order/E-5?{flag}=true", body).json) == without | names
        assert set(shop.send(method, f"order/E-5?{flag}=false", body).json) == without
    everything = set(shop.send(method, f"order/E-5?{ALL_FLAGS}", body).json)
    assert everything == without.union(*parts.values())


def test_02_read_returns_read_only_and_merchant_fields(shop: ShopClient) -> None:
    submitted = shop.submit("E-6", customerNumber="K1")
    assert shop.get("order/E-6").json == submitted


def test_02_read_bank_account_of_the_currency(make_shop: Any) -> None:
    shop: ShopClient = make_shop(ibans=["DE89 3704 0044 0532 0130 00"])
    account = shop.submit("E-7")["bankAccount"]
    assert account["iban"] == "DE89370400440532013000"
    assert account["remittee"] == "Contract shop"
    assert account["bic"] == "COBADEFFXXX"
    assert "bankAccount" not in shop.submit("E-8", currency="CHF", amount=5)


def test_02_account_that_nobody_confirmed_is_not_shown_to_customers(shop: ShopClient) -> None:  # D-24
    shop.submit("ST-20009")
    pay(shop, "ST-20009", 1990)
    assert "bankAccount" not in shop.read("ST-20009")
    shop.run("UPDATE bank_accounts SET confirmed = true WHERE shop_id = $1")
    assert shop.read("ST-20009")["bankAccount"]["iban"] == "DE89370400440532013000"


def test_02_account_that_is_no_iban_is_an_account_number(shop: ShopClient) -> None:
    shop.run(
        "INSERT INTO bank_accounts VALUES ($1, '01-162-8', 'CHF', '', 'PostFinance', 'Shop AG', true, '', $2)",
        shop.clock.now,
    )
    account = shop.submit("E-10", currency="CHF")["bankAccount"]
    assert account == {"accountNumber": "01-162-8", "bankName": "PostFinance", "remittee": "Shop AG"}


def test_02_reference_number_is_present_once_payment_information_was_sent(shop: ShopClient) -> None:
    assert "referenceNumber" not in shop.submit("E-11")
    shop.run("UPDATE orders SET payment_info_at = $2 WHERE shop_id = $1", shop.clock.now)
    assert shop.read("E-11")["referenceNumber"].startswith("RF")


def test_03_remove_answers_disappeared(shop: ShopClient) -> None:
    shop.submit("E-12")
    reply = shop.post(f"order/remove/E-12?{ALL_FLAGS}")
    assert reply.status == 200
    assert reply.json["paymentStatus"] == "DISAPPEARED"
    assert reply.json["postings"] == []


def test_04_setpaid_answers_the_paid_order(shop: ShopClient) -> None:
    shop.submit("E-13")
    reply = shop.post("order/E-13/setpaid")
    assert (reply.status, reply.json["paymentStatus"], reply.json["amountPaid"]) == (200, "PAID", "0.00")


def test_05_setunpaid_answers_the_unpaid_order(shop: ShopClient) -> None:
    shop.submit("E-14")
    shop.post("order/E-14/setpaid")
    reply = shop.post("order/E-14/setunpaid")
    assert (reply.status, reply.json["paymentStatus"]) == (200, "UNPAID")
    assert "amountPaid" not in reply.json


def test_06_cancel_answers_cancelled(shop: ShopClient) -> None:
    shop.submit("E-15")
    reply = shop.post("order/E-15/cancel")
    assert (reply.status, reply.json["paymentStatus"]) == (200, "CANCELLED")


@pytest.mark.parametrize("action", ["setpaid", "cancel"])
def test_04_and_06_need_no_body_and_ignore_one(shop: ShopClient, action: str) -> None:
    shop.submit("E-16")
    assert shop.post(f"order/E-16/{action}", b"not json").status == 200


def test_07_refund_answers_all_its_fields(shop: ShopClient) -> None:
    shop.submit("ST-20017")
    pay(shop, "ST-20017", 1990)
    reply = shop.post("order/ST-20017/refund", refund())
    assert reply.status == 200
    answered = reply.json
    assert answered.pop("id").startswith("rf_")
    assert answered.pop("referenceNumber").startswith("PMR")
    assert answered == {
        "externalReference": "RMA-1", "amount": "5.00", "currency": "EUR", "plannedDate": "03-03-2026",
        "executionDate": None, "status": "NEW",
    }  # fmt: skip
    assert shop.read("ST-20017", "includeRefunds=true")["refunds"] == [reply.json]


def test_07_refund_waits_for_bank_details_that_are_unknown(shop: ShopClient) -> None:
    shop.submit("E-18")
    assert shop.post("order/E-18/refund", refund()).json["status"] == "BANKDETAILS_MISSING"


def test_09_submit_many_answers_the_orders_in_the_sequence_sent(shop: ShopClient) -> None:
    shop.submit("E-20", amount=1)
    reply = shop.post("orders", [order("E-22"), order("E-20", amount=2), order("E-21")])
    assert reply.status == 200
    assert [(each["number"], each["amount"]) for each in reply.json] == [
        ("E-22", "19.90"), ("E-20", "2.00"), ("E-21", "19.90"),
    ]  # fmt: skip


def test_09_submit_many_takes_the_four_flags(shop: ShopClient) -> None:
    answered = shop.post(f"orders?{ALL_FLAGS}", [order("E-23")]).json[0]
    assert {"postings", "hasBankDetailsForRefund", "paymentReminders", "refunds"} <= answered.keys()


def test_09_submit_many_takes_an_empty_list(shop: ShopClient) -> None:
    reply = shop.post("orders", [])
    assert (reply.status, reply.body) == (200, b"[]")


@pytest.mark.parametrize("count", [100, 101, 2300])
def test_09_submit_many_takes_long_lists(shop: ShopClient, count: int) -> None:
    orders = [order(f"E-24-{place}") for place in range(count)]
    reply = shop.post("orders", orders)
    assert reply.status == 200
    assert [each["number"] for each in reply.json] == [each["number"] for each in orders]
    assert shop.count("orders") == count


def test_09_submit_many_is_all_or_nothing(shop: ShopClient) -> None:  # D-13
    shop.submit("E-25")
    with shop.unchanged():
        reply = shop.post("orders", [order("E-26"), order("E-25", amount=1), order("E-27", type="X"), order("E-28")])
    assert reply.json == {
        "error": "Parameter type is not valid", "orderNumber": "E-27", "index": 2, "parameter": "type",
        "allowed": ["COD", "INVOICE", "OTHER", "PREPAYMENT"],
    }  # fmt: skip


def test_09_rule_broken_names_order_index_and_parameter(shop: ShopClient) -> None:  # D-13
    with shop.unchanged():
        reply = shop.post("orders", [order("E-29"), order("E-30", date="03-03-2026")])
    assert reply.json == {
        "error": "Parameter date must not be in the future", "orderNumber": "E-30", "index": 1, "parameter": "date",
    }  # fmt: skip


def test_09_rule_broken_in_a_list_of_one_has_its_index(shop: ShopClient) -> None:  # D-13
    reply = shop.post("orders", [order("E-31", date="03-03-2026")])
    assert (reply.json["index"], reply.json["orderNumber"]) == (0, "E-31")


def test_09_number_sent_as_json_number_is_named_in_the_refusal(shop: ShopClient) -> None:
    assert shop.post("orders", [order("x", number=5, type="X")]).json["orderNumber"] == "5"


def test_09_number_given_twice_is_refused(shop: ShopClient) -> None:
    with shop.unchanged():
        reply = shop.post("orders", [order("E-32"), order("E-33"), order("E-32", amount=7)])
    assert reply.json == {
        "error": "Could not update order (number 'E-32' is given twice)",
        "orderNumber": "E-32", "index": 2, "parameter": "number",
    }  # fmt: skip


def test_09_each_element_needs_its_number(shop: ShopClient) -> None:
    with shop.unchanged():
        reply = shop.post("orders", [order("E-34"), order("x", number=None)])
    assert reply.json == {"error": "Missing parameter number", "index": 1, "parameter": "number"}


PATHS = [
    "simple", "2026/03/17", "a#b", "100%", "with space", "Bestellung-ä-ö-ü-ß", "N" * 200, "ü/#% " * 40, "a?b=c&d",
    "orders", "setpaid", "x/setpaid", "x/refund", "x/invoice/y", "a//b", "..", "../../etc", "a;b", 'quo"te',
    "it's", "back\\slash", "東京-1", "😀", "%2F", "+", "a+b", "//", "\ufffdx", "x/cancel/y", "{}",
    "'; DROP TABLE orders--",
]  # fmt: skip


@pytest.mark.parametrize("number", PATHS, ids=lambda number: number[:20])
def test_order_number_of_any_characters_works_in_every_path(shop: ShopClient, number: str) -> None:  # D-15, D-23
    path = encoded(number)
    if not number.endswith(("/setpaid", "/refund")) and "/invoice/" not in number:
        assert shop.post(f"order/{path}", order(number)).json["number"] == number
    shop.post("orders", [order(number)])
    assert shop.get(f"order/{path}").json["number"] == number
    assert shop.post(f"order/{path}/setpaid").json["paymentStatus"] == "PAID"
    assert shop.post(f"order/{path}/setunpaid").json["paymentStatus"] == "UNPAID"
    assert shop.post(f"order/{path}/cancel").json["paymentStatus"] == "CANCELLED"
    assert shop.post(f"order/{path}/refund", refund()).status == 200
    assert shop.post(f"order/remove/{path}").json["paymentStatus"] == "DISAPPEARED"
    assert shop.get("orders?limit=1").json[0]["number"] == number
    assert shop.get(f"orders?after={path}").json == []
    assert shop.count("orders") == 1


def test_number_remove_is_the_one_that_remove_takes_for_its_own(shop: ShopClient) -> None:  # D-23: remove wins
    shop.submit("remove")
    assert shop.read("remove")["number"] == "remove"
    assert shop.post("order/remove/setpaid").error == (404, "Order 'setpaid' not found")
    assert shop.post("order/remove/remove").json["paymentStatus"] == "DISAPPEARED"


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", ""), ("GET", "order"), ("GET", "order/"), ("POST", "order/"), ("GET", "nothing"), ("PUT", "nothing"),
        ("OPTIONS", "nothing"), ("GET", "orders//"), ("GET", "image/"), ("POST", "image"),
        ("GET", "order/%00"), ("GET", "order/a%00b"), ("GET", "order/%ff"), ("POST", "order/%C3%28/setpaid"),
        ("GET", "../v1/orders"),
    ],
)  # fmt: skip
def test_unknown_path_is_404_in_json(shop: ShopClient, method: str, target: str) -> None:
    with shop.unchanged():
        assert shop.send(method, target).error == (404, "Not found")
