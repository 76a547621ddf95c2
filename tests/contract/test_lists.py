"""`GET /orders` and `GET /postings`: the lists with their filters (D-7, D-8)."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest

from tests.contract.bank import PAYER, book, entry, pay
from tests.contract.client import ShopClient, order


def numbers(shop: ShopClient, query: str = "") -> list[str]:
    reply = shop.get(f"orders?{query}")
    assert reply.status == 200, reply.body
    return [each["number"] for each in reply.json]


def test_orders_empty(shop: ShopClient) -> None:
    reply = shop.get("orders")
    assert (reply.status, reply.body) == (200, b"[]")


def test_orders_max_age_is_120_days_by_default(shop: ShopClient) -> None:
    # 120 days before 02-03-2026 is 02-11-2025
    shop.post("orders", [order("old", date="01-11-2025"), order("edge", date="02-11-2025"), order("new")])
    assert numbers(shop) == ["edge", "new"]


@pytest.mark.parametrize(
    ("max_age", "found"),
    [
        ("0", ["today"]), ("1", ["yesterday", "today"]), ("100000", ["ancient", "yesterday", "today"]),
        ("999999999", ["ancient", "yesterday", "today"]),
    ],
)  # fmt: skip
def test_orders_max_age(shop: ShopClient, max_age: str, found: list[str]) -> None:
    dates = {"ancient": "01-01-1800", "yesterday": "01-03-2026", "today": "02-03-2026"}
    shop.post("orders", [order(number, date=day) for number, day in dates.items()])
    assert numbers(shop, f"maxAge={max_age}") == found


_NO_NUMBERS = ("", "-1", "1.5", "x", "1e3", "²", "%D9%A3", " 5", "%00")


@pytest.mark.parametrize(
    ("name", "value"),
    [*product(("maxAge", "limit"), _NO_NUMBERS), ("limit", "9999999999")],  # any age is taken (D-7)
)
def test_orders_number_of_a_wrong_form(shop: ShopClient, name: str, value: str) -> None:
    target = f"orders?{name}={value}".encode().decode("latin-1")
    assert shop.get(target).error == (400, f"Parameter {name} is not valid")


def test_orders_payment_status(shop: ShopClient) -> None:
    shop.post("orders", [order("a"), order("b"), order("c")])
    shop.post("order/b/setpaid")
    shop.post("order/c/cancel")
    assert numbers(shop, "paymentStatus=UNPAID") == ["a"]
    assert numbers(shop, "paymentStatus=UNPAID,PAID") == ["a", "b"]
    assert numbers(shop, "paymentStatus=PAID,UNPAID,PAID") == ["a", "b"]
    assert numbers(shop, "paymentStatus=CANCELLED%2C%20PAID") == ["b", "c"]
    assert numbers(shop, "paymentStatus=LEGACY") == []
    assert numbers(shop, "paymentStatus=") == ["a", "b", "c"]


STATES = [
    "UNPAID",
    "PAID",
    "PAID_PARTIAL",
    "CANCELLED",
    "REFUNDED",
    "REFUNDED_PARTIAL",
    "LEGACY",
    "DISAPPEARED",
    "COLLECTION",
]


@pytest.mark.parametrize("state", STATES)
def test_orders_payment_status_takes_every_state(shop: ShopClient, state: str) -> None:
    shop.post("orders", [order(each) for each in STATES])
    shop.run("UPDATE orders SET status = number WHERE shop_id = $1")
    assert numbers(shop, f"paymentStatus={state}") == [state]


@pytest.mark.parametrize("value", ["unpaid", "OPEN", "UNPAID,OPEN", "UNPAID;PAID", "%00"])
def test_orders_payment_status_that_does_not_exist(shop: ShopClient, value: str) -> None:  # D-22
    assert shop.get(f"orders?paymentStatus={value}").error == (400, "Parameter paymentStatus is not valid")


def test_orders_min_posting_date_leaves_out_orders_without_postings(shop: ShopClient) -> None:
    shop.post("orders", [order(f"LI-5000{place}") for place in range(4)])
    pay(shop, "LI-50001", 1990)
    book(shop, entry("Bestellung LI-50002", 1990, booking_date=datetime(2026, 2, 27, tzinfo=UTC).date()))
    shop.post("order/LI-50003/setpaid")
    assert numbers(shop, "minPostingDate=27-02-2026") == ["LI-50001", "LI-50002"]
    assert numbers(shop, "minPostingDate=28-02-2026") == ["LI-50001"]
    assert numbers(shop, "minPostingDate=28-02-2026&paymentStatus=PAID") == ["LI-50001"]
    assert numbers(shop, "minPostingDate=03-03-2026") == []
    assert numbers(shop, "minPostingDate=31-12-9999") == []
    assert numbers(shop, "minPostingDate=01-01-0001") == ["LI-50001", "LI-50002"]


def test_orders_flags(shop: ShopClient) -> None:
    shop.submit("a")
    assert "refunds" not in shop.get("orders").json[0]
    assert shop.get("orders?includeRefunds=true").json[0]["refunds"] == []


def test_orders_come_by_date_and_number_and_go_on_behind_one(shop: ShopClient) -> None:  # D-7
    dates = {"z": "01-02-2026", "y": "02-02-2026", "b": "03-02-2026", "a": "03-02-2026", "x/ü": "04-02-2026"}
    shop.post("orders", [order(number, date=day) for number, day in dates.items()])
    everything = ["z", "y", "a", "b", "x/ü"]
    assert numbers(shop) == everything
    assert numbers(shop, "limit=2") == ["z", "y"]
    assert numbers(shop, "limit=2&after=y") == ["a", "b"]
    assert numbers(shop, "after=b") == ["x/ü"]
    assert numbers(shop, "after=x%2F%C3%BC") == []
    assert numbers(shop, "limit=0") == []
    shop.post("order/a/setpaid")
    assert numbers(shop, "after=y&paymentStatus=UNPAID") == ["b", "x/ü"]


@pytest.mark.parametrize("value", ["unknown", "", "%00", "%FF", "a%00"])
def test_orders_after_an_unknown_order(shop: ShopClient, value: str) -> None:
    shop.submit("a")
    assert shop.get(f"orders?after={value}").error == (400, "Parameter after is not valid")


def test_orders_two_values_of_a_number_are_refused(shop: ShopClient) -> None:  # D-39
    shop.post("orders", [order("a"), order("b")])
    assert numbers(shop, "limit=1&limit=1") == ["a"]
    assert shop.get("orders?limit=1&limit=2").error == (400, "Parameter limit is not valid")


def test_orders_unknown_parameters_are_refused(shop: ShopClient) -> None:  # D-39
    assert shop.get("orders?page=3").error == (400, "Unknown parameter page")
    assert shop.get("orders?%FF=%00").error == (400, "Unknown parameter \ufffd")
    assert shop.get("orders?&&=").status == 200


def test_orders_long_list_is_streamed_whole(shop: ShopClient) -> None:
    for start in range(0, 2400, 800):
        shop.post("orders", [order(f"{start + place:04d}") for place in range(800)])
    expected = [f"{place:04d}" for place in range(2400)]
    reply = shop.get("orders")
    assert [each["number"] for each in reply.json] == expected
    assert "Content-Length" not in reply.headers
    assert numbers(shop, "limit=2000") == expected[:2000]
    assert numbers(shop, "limit=1500&after=0499") == expected[500:2000]


def postings(shop: ShopClient, query: str = "") -> Any:
    reply = shop.get(f"postings?{query}")
    assert reply.status == 200, reply.body
    return reply.json


def test_postings_empty(shop: ShopClient) -> None:
    assert shop.get("postings").body == b"[]"


def test_postings_have_their_fields_their_orders_and_their_allocations(shop: ShopClient) -> None:  # D-8
    shop.submit("LI-60001")
    pay(shop, "LI-60001", 1990, bank_reference="BANKREF1")
    (found,) = postings(shop)
    decision = found.pop("decision")
    assert "number-order-full" in {each["code"] for each in decision["evidence"]}
    assert found.pop("id").startswith("pst_")
    assert found == {
        "amount": "19.90", "currency": "EUR", "postingDate": "02-03-2026", "valuationDate": "02-03-2026",
        "originator": "Eva Muster", "reference": "BANKREF1", "text": "Bestellung LI-60001", "status": "matched",
        "bookedOn": "DE89370400440532013000", "provisional": False,
        "allocations": [{"orderNumber": "LI-60001", "amount": "19.90", "byHand": False}],
        "orders": [shop.read("LI-60001")],
    }  # fmt: skip


def test_postings_include_orders(shop: ShopClient) -> None:
    shop.submit("LI-60002")
    pay(shop, "LI-60002", 1990)
    assert "orders" not in postings(shop, "includeOrders=false")[0]
    assert postings(shop, "includeOrders=true&includePostings=true")[0]["orders"][0]["postings"][0]["amount"] == "19.90"
    assert shop.get("postings?includeOrders=no").error == (400, "Parameter includeOrders is not valid")


def test_posting_without_an_order_has_none(shop: ShopClient) -> None:
    book(shop, entry("Miete Maerz", -80000, name="Hausverwaltung"), entry("Danke", 500))
    found = {each["amount"]: each for each in postings(shop)}
    assert set(found) == {"-800.00", "5.00"}
    assert found["5.00"]["orders"] == found["-800.00"]["orders"] == []


def test_postings_created_min_is_inclusive_and_max_exclusive_in_the_shops_days(shop: ShopClient) -> None:  # D-8
    shop.clock.now = datetime(2026, 3, 1, 22, 59, tzinfo=UTC)  # still 1 March in Berlin
    book(shop, entry("first", 100))
    shop.clock.now = datetime(2026, 3, 1, 23, 0, tzinfo=UTC)  # 2 March in Berlin
    book(shop, entry("second", 200))
    for query, found in (
        ("createdMin=01-03-2026&createdMax=02-03-2026", ["1.00"]),
        ("createdMin=02-03-2026", ["2.00"]),
        ("createdMin=02-03-2026&createdMax=03-03-2026", ["2.00"]),
        ("createdMax=02-03-2026", ["1.00"]),
        ("createdMin=02-03-2026&createdMax=02-03-2026", []),
        ("createdMin=01-01-0001&createdMax=31-12-9999", ["1.00", "2.00"]),
        ("createdMin=31-12-9999", []),
        ("createdMax=01-01-0001", []),
    ):
        assert [each["amount"] for each in postings(shop, query)] == found, query


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_postings_of_the_ends_of_the_calendar_in_any_time_zone(shop: ShopClient, zone: str) -> None:
    shop.change(timezone=zone)
    assert postings(shop, "createdMin=01-01-0001&createdMax=31-12-9999") == []
    assert postings(shop, "createdMin=31-12-9999&createdMax=01-01-0001") == []


def test_postings_without_a_range_are_those_of_the_last_30_days(shop: ShopClient) -> None:  # D-8
    book(shop, entry("first", 100))
    shop.clock.pass_time(days=30)
    assert [each["amount"] for each in postings(shop)] == ["1.00"]
    shop.clock.pass_time(days=1)
    assert postings(shop) == []


def test_postings_of_an_account(shop: ShopClient) -> None:
    book(shop, entry("first", 100))
    book(shop, entry("second", 200), account="DE02120300000000202051")
    assert [each["amount"] for each in postings(shop, "iban=DE02120300000000202051")] == ["2.00"]
    assert [each["amount"] for each in postings(shop, "iban=de02%201203%200000%200000%202020%2051")] == ["2.00"]
    for nothing in (PAYER, "%00", "%FF", "x" * 1000):
        assert postings(shop, f"iban={nothing}") == []


def test_postings_limit_and_after(shop: ShopClient) -> None:
    book(shop, *(entry(f"payment {place}", 100 + place) for place in range(5)))
    ids = [each["id"] for each in postings(shop)]
    assert len(ids) == 5
    assert [each["id"] for each in postings(shop, "limit=2")] == ids[:2]
    assert [each["id"] for each in postings(shop, f"limit=2&after={ids[1]}")] == ids[2:4]
    assert postings(shop, f"after={ids[-1]}") == []
    assert postings(shop, "limit=0") == []
    assert shop.get("postings?after=unknown").error == (400, "Parameter after is not valid")
    assert shop.get("postings?after=%00").error == (400, "Parameter after is not valid")


def test_postings_show_suggestions_as_complete_proposals_with_their_evidence(shop: ShopClient) -> None:
    eva = {"billing": {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}, "customerNumber": "K-881"}
    for number, value in (("LI-60021", "30.00"), ("LI-60022", "20.00"), ("LI-60023", "20.00")):
        shop.post("orders", [order(number, amount=value, **eva)])
    shop.post("orders", [order("LI-60024", amount="70.00", currency="USD", **eva)])
    book(shop, entry("Danke", 5000), entry("Bestellung LI-60024", 7000))
    found = {each["amount"]: each for each in postings(shop)}
    assert all(each["status"] == "suggested" and each["decision"]["heldBack"] for each in found.values())
    sums = [
        [(a["orderNumber"], a["amount"]) for a in suggestion["allocations"]]
        for suggestion in found["50.00"]["decision"]["suggestions"]
    ]
    assert sums[:2] == [
        [("LI-60021", "30.00"), ("LI-60022", "20.00")],
        [("LI-60021", "30.00"), ("LI-60023", "20.00")],
    ]
    likely = [float(each["probability"]) for each in found["50.00"]["decision"]["suggestions"]]
    assert likely == sorted(likely, reverse=True)
    words = [reason["words"] for reason in found["50.00"]["decision"]["suggestions"][0]["evidence"]]
    assert words == ["open orders of this payer add up exactly", "the name matches"]
    (foreign,) = found["70.00"]["decision"]["suggestions"]
    assert foreign["allocations"] == [  # D-35
        {"orderNumber": "LI-60024", "amount": "70.00", "orderAmount": None, "orderCurrency": "USD"}
    ]
