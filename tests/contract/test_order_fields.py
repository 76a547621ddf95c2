"""docs/api.md, Order, Item and Address: every writable field is taken, echoed, and refused in a wrong form."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from tests.contract.client import ShopClient, encoded, order, wire

MINIMAL = {"date": "01-03-2026", "type": "PREPAYMENT", "amount": "19.90", "currency": "EUR"}
BILLING = {"lastName": "Muster", "countryCode": "DE"}

ECHOED: list[tuple[str, Any, Any]] = [
    # (field, as sent, as answered)
    ("date", "28-02-2026", "28-02-2026"),
    ("dueDate", "15-03-2026", "15-03-2026"),
    ("type", "INVOICE", "INVOICE"),
    ("type", "COD", "COD"),
    ("type", "OTHER", "OTHER"),
    ("amount", 10, "10.00"),
    ("amount", 0, "0.00"),
    ("amount", -5.5, "-5.50"),
    ("amount", "1234.5", "1234.50"),  # D-14
    ("amount", b"1.99e2", "199.00"),
    ("amount", 999999999.99, "999999999.99"),
    ("amount", b"49.9000", "49.90"),  # D-39: trailing zeros, and what binary floats leave of a sum
    ("amount", "10.500", "10.50"),
    ("amount", "-3.1000000", "-3.10"),
    ("amount", 0.1 + 0.2, "0.30"),
    ("amount", 1.1 * 3, "3.30"),
    ("amount", b"19.9899999999999984368", "19.99"),
    ("amount", b"19.990001", "19.99"),
    ("amount", b"4.9e-7", "0.00"),
    ("amount", b"5.551115123125783e-17", "0.00"),  # 0.1 + 0.2 - 0.3
    ("currency", "CHF", "CHF"),
    ("exchangeRate", 1.0842, "1.0842"),
    ("exchangeRate", "0.95", "0.95"),
    ("exchangeRate", 1 / 1.07, "0.9345794392523364"),
    ("exchangeRate", b"3.6E-5", "0.000036"),
    ("exchangeRate", 1 / 300000, "0.0000033333333333333333"),
    ("exchangeRate", b"1.0e1", 10),
    ("customerEmail", "eva@example.com", "eva@example.com"),
    ("customerNumber", "4711/shopper_9", "4711/shopper_9"),
    ("customerNumber", 4711, "4711"),  # D-14
    ("marketplaceNumber", "302-1234567-1234567", "302-1234567-1234567"),
    ("paymentMethod", "prepay_v2", "prepay_v2"),
    ("paymentMethodDescription", "Vorkasse per Überweisung", "Vorkasse per Überweisung"),
    ("statusDescription", "waiting for payment", "waiting for payment"),
    ("language", "de", "de"),
    ("language", "de-AT", "de-AT"),
    ("itemNumbers", ["A1", "B2"], ["A1", "B2"]),
    (
        "items",
        [{"number": "A1", "name": "Tasse"}, {"number": 17}],
        [{"number": "A1", "name": "Tasse"}, {"number": "17"}],
    ),
    ("invoiceNumbers", ["RE-1", 2026001], ["RE-1", "2026001"]),
    ("shippingNumbers", ["00340434161094015902"], ["00340434161094015902"]),
    ("proformaNumbers", ["PF-9"], ["PF-9"]),
    ("stopReminder", True, True),
    ("stopReminder", False, False),
    ("stopReminder", 1, True),
    ("stopReminder", 0, False),
    ("initialDunningLevel", 2, 2),
    ("initialDunningLevel", "3", 3),
    ("initialDunningLevel", 2.0, 2),
    ("shipping", {"company": "Muster GmbH", "countryCode": "AT"}, {"company": "Muster GmbH", "countryCode": "AT"}),
]


@pytest.mark.parametrize(("name", "sent", "answered"), ECHOED, ids=lambda value: str(value)[:30])
def test_order_field_is_taken_and_echoed(shop: ShopClient, name: str, sent: Any, answered: Any) -> None:
    body = json.dumps(order("F-1", **{name: "@" if isinstance(sent, bytes) else sent})).encode()
    created = shop.post("order/F-1", body.replace(b'"@"', sent) if isinstance(sent, bytes) else body)
    assert created.status == 200
    assert (created.json[name], type(created.json[name])) == (answered, type(answered))  # 1 is no boolean in JSON
    assert (shop.read("F-1")[name], type(shop.read("F-1")[name])) == (answered, type(answered))


def test_order_number_as_json_number_is_its_text(shop: ShopClient) -> None:  # D-14
    assert shop.post("order/100234", order("x", number=100234)).json["number"] == "100234"


@pytest.mark.parametrize("gender", ["male", "female", "company", "unknown"])
def test_address_with_all_fields_is_echoed(shop: ShopClient, gender: str) -> None:
    address = {
        "gender": gender, "firstName": "Eva", "lastName": "Müller", "company": "Müller & Söhne", "street": "Am Weg 5",
        "postCode": "01067", "city": "Dresden", "countryCode": "DE", "phone": "+49 351 1234",
    }  # fmt: skip
    answered = shop.submit("F-2", billing=address, shipping=address)
    assert answered["billing"] == address
    assert answered["shipping"] == address


def test_country_code_is_kept_in_upper_case(shop: ShopClient) -> None:
    assert shop.submit("F-3", billing={"lastName": "M", "countryCode": "at"})["billing"]["countryCode"] == "AT"


def test_post_code_as_json_number_is_its_text(shop: ShopClient) -> None:
    billing = {**BILLING, "postCode": 80331}
    assert shop.submit("F-4", billing=billing)["billing"]["postCode"] == "80331"


EMPTY = ["dueDate", "customerEmail", "customerNumber", "language", "exchangeRate"]


@pytest.mark.parametrize("name", EMPTY)
def test_empty_optional_text_is_unset_and_left_out(shop: ShopClient, name: str) -> None:
    assert name not in shop.submit("F-5", **{name: ""})


@pytest.mark.parametrize("name", ["itemNumbers", "items", "invoiceNumbers", "shippingNumbers", "proformaNumbers"])
def test_empty_list_is_unset_and_left_out(shop: ShopClient, name: str) -> None:
    assert name not in shop.submit("F-6", **{name: []})


def test_null_is_unset(shop: ShopClient) -> None:
    names = ["dueDate", "exchangeRate", "items", "shipping", "stopReminder", "initialDunningLevel", "customerEmail"]
    reply = shop.post("order/F-7", {**order("F-7"), **dict.fromkeys(names)})
    assert reply.status == 200
    assert not set(names) & reply.json.keys()


def test_read_only_and_unknown_fields_are_ignored(shop: ShopClient) -> None:  # D-22
    read_only = {
        "paymentStatus": "PAID", "referenceNumber": "RF00", "bankAccount": {"iban": "X"}, "dunningLevel": 7,
        "amountPaid": 5, "postings": [{}], "collectionPartner": "x", "collectionFile": "x", "collectionStatus": "x",
        "collectionHistory": [1], "paymentReminders": 1, "refunds": "x", "hasBankDetailsForRefund": True,
        "somethingElse": {"a": [1]},
    }  # fmt: skip
    expected = {"number": "F-8", **MINIMAL, "billing": BILLING, "paymentStatus": "UNPAID", "dunningLevel": 0}
    assert shop.submit("F-8", **read_only) == expected


def test_submission_replaces_all_writable_fields(shop: ShopClient) -> None:
    shop.submit("F-9", customerEmail="eva@example.com", items=[{"number": "1"}], stopReminder=True)
    answered = shop.submit("F-9", amount=5)
    assert answered == {
        "number": "F-9", **MINIMAL, "amount": "5.00", "billing": BILLING, "paymentStatus": "UNPAID", "dunningLevel": 0,
    }  # fmt: skip


JSON_VALUES: dict[str, Any] = {
    "true": True, "false": False, "zero": 0, "number": 7, "decimal": 1.5, "text": "x", "empty list": [], "list": ["x"],
    "nested list": [["x"]], "list of null": [None], "object": {"x": 1}, "list of objects": [{"x": 1}],
}  # fmt: skip
_TEXT = {"zero", "number", "text"}  # a JSON number is taken as its text (D-14)
TAKES: dict[str, set[str]] = {
    "number": _TEXT - {"text"},  # the path says 7 or 0
    "date": set(),
    "dueDate": set(),
    "type": set(),
    "amount": {"zero", "number", "decimal"},
    "currency": set(),
    "exchangeRate": {"number", "decimal"},
    "customerEmail": set(),
    "customerNumber": _TEXT,
    "marketplaceNumber": _TEXT,
    "paymentMethod": _TEXT,
    "paymentMethodDescription": _TEXT,
    "statusDescription": _TEXT,
    "language": set(),
    "itemNumbers": {"empty list", "list", "list of null"},
    "items": {"empty list"},
    "invoiceNumbers": {"empty list", "list", "list of null"},
    "shippingNumbers": {"empty list", "list", "list of null"},
    "proformaNumbers": {"empty list", "list", "list of null"},
    "billing": set(),
    "shipping": {"empty list"},  # the absent object of languages whose objects are arrays (D-39)
    "initialDunningLevel": {"zero", "number"},
    "stopReminder": {"true", "false", "zero"},
}
ADDRESS_TAKES: dict[str, set[str]] = {
    "gender": set(),
    **dict.fromkeys(["firstName", "lastName", "company", "street", "postCode", "city", "phone"], _TEXT),
    "countryCode": set(),
}


@pytest.mark.parametrize("name", TAKES)
def test_order_field_of_every_json_type(shop: ShopClient, name: str) -> None:
    for kind, value in JSON_VALUES.items():
        path = str(value) if name == "number" and kind in TAKES[name] else "T-1"
        body = {**order(path), name: value}
        if kind in TAKES[name]:
            assert shop.post(f"order/{path}", body).status == 200, kind
            shop.run("DELETE FROM orders WHERE shop_id = $1")
            continue
        with shop.unchanged():
            status, error = shop.post(f"order/{path}", body).error
        assert status == 400
        expected = {f"Parameter {name} is not valid"}
        if name == "number":
            expected |= {"Parameter number and number in object do not match"}
        if (name, kind) == ("billing", "empty list"):
            expected = {"Missing parameter billing"}
        if kind in {"object", "list of objects"}:
            expected |= {f"Missing parameter {name}.lastName", f"Missing parameter {name}.number"}
        assert error in expected, (kind, error)


@pytest.mark.parametrize("name", ADDRESS_TAKES)
@pytest.mark.parametrize("address", ["billing", "shipping"])
def test_address_field_of_every_json_type(shop: ShopClient, address: str, name: str) -> None:
    for kind, value in JSON_VALUES.items():
        body = order("T-2", **{address: {"lastName": "M", "company": "C", "countryCode": "DE", name: value}})
        if kind in ADDRESS_TAKES[name]:
            assert shop.post("order/T-2", body).status == 200, kind
            shop.run("DELETE FROM orders WHERE shop_id = $1")
            continue
        with shop.unchanged():
            assert shop.post("order/T-2", body).error == (400, f"Parameter {address}.{name} is not valid"), kind


LEFT_OUT: list[tuple[str, Any]] = [
    ("stopReminder", ""),
    *product(["itemNumbers", "items", "invoiceNumbers", "shippingNumbers", "proformaNumbers"], ["", {}, []]),
]


@pytest.mark.parametrize(("name", "empty"), LEFT_OUT)
def test_empty_field_is_one_that_is_left_out(shop: ShopClient, name: str, empty: Any) -> None:
    without = shop.submit("E-1")
    assert name not in without
    assert shop.post("order/E-1", {**order("E-1"), name: empty}).json == without
    [again] = shop.post("orders", [{**order("E-1"), name: empty}]).json
    assert again == without


@pytest.mark.parametrize("name", ["number", "name"])
def test_item_field_of_every_json_type(shop: ShopClient, name: str) -> None:
    for kind, value in JSON_VALUES.items():
        body = order("T-3", items=[{"number": "1", name: value}])
        if kind in _TEXT:
            assert shop.post("order/T-3", body).status == 200, kind
            shop.run("DELETE FROM orders WHERE shop_id = $1")
            continue
        with shop.unchanged():
            assert shop.post("order/T-3", body).error == (400, f"Parameter items.{name} is not valid"), kind


WRONG: list[tuple[str, Any]] = [
    ("date", "2026-03-01"), ("date", "1-3-2026"), ("date", "31-02-2026"), ("date", "00-00-0000"),
    ("date", "01.03.2026"),
    ("date", "01-03-26"), ("date", " 01-03-2026"), ("date", "٠١-٠٣-٢٠٢٦"), ("date", "29-02-2025"),
    ("date", "01-13-2026"), ("date", "01-03-0000"),
    ("dueDate", "2026-03-01"), ("dueDate", "31-04-2026"), ("dueDate", "99-99-9999"),
    ("type", "prepayment"), ("type", "CREDITCARD"),
    ("amount", 1.999), ("amount", b"19.990002"), ("amount", "0.30000000000000004"), ("amount", "1.001"),
    ("amount", b"1e-400"), ("amount", b"-1e-400"), ("amount", b"1e-19"), ("amount", "1e-400"),
    ("amount", b"1.1e-5"), ("amount", "1,50"), ("amount", "EUR 5"), ("amount", " 5"), ("amount", "5."),
    ("amount", ".5"), ("amount", "1 000.00"), ("amount", 1e-3), ("amount", "NaN"),
    ("amount", "Infinity"), ("amount", "0x10"), ("amount", "+5"), ("amount", "--5"),
    ("currency", "eur"), ("currency", "EURO"), ("currency", "XXX"), ("currency", "€"),
    ("exchangeRate", 0), ("exchangeRate", -1), ("exchangeRate", "1,1"), ("exchangeRate", 1e-20),
    ("exchangeRate", 1e12), ("exchangeRate", 1e300),
    ("exchangeRate", "NaN"),
    ("language", "german language"), ("language", "d"), ("language", "de_"),
    ("initialDunningLevel", -1), ("initialDunningLevel", 10), ("initialDunningLevel", 1.5),
    ("initialDunningLevel", 10.0), ("initialDunningLevel", "x"), ("initialDunningLevel", "-1"),
    ("initialDunningLevel", "10"), ("initialDunningLevel", "1.0"), ("initialDunningLevel", "١"),
    ("initialDunningLevel", "9" * 5000),
    ("stopReminder", "true"), ("stopReminder", 2), ("stopReminder", -1), ("stopReminder", 1.0), ("stopReminder", "1"),
    ("customerNumber", "a\x00b"), ("customerNumber", "a\nb"), ("marketplaceNumber", "tab\there"),
    ("customerEmail", "a\x00@example.com"), ("paymentMethod", "\x00"),
    ("items", {"number": "1"}), ("items", ["1"]), ("items", [None]),
]  # fmt: skip


_KEY = {"expected": "a text without control characters, or a whole number"}
_KEYS = {"expected": "an array of texts"}
ADDED: dict[str, dict[str, Any]] = {
    "date": {"expected": "dd-MM-yyyy"},
    "dueDate": {"expected": "dd-MM-yyyy"},
    "type": {"allowed": ["COD", "INVOICE", "OTHER", "PREPAYMENT"]},
    "amount": {"expected": "a number with at most two decimals, such as 49.90"},
    "currency": {"expected": "an ISO 4217 code, such as EUR"},
    "exchangeRate": {"expected": "a number above 0, such as 1.0725"},
    "language": {"expected": "an ISO 639 language code, such as de or de-AT"},
    "initialDunningLevel": {"expected": "a whole number from 0 to 9"},
    "stopReminder": {"allowed": ["false", "true"]},
    "customerNumber": _KEY,
    "marketplaceNumber": _KEY,
    "customerEmail": {"expected": "a text"},
    "paymentMethod": {"expected": "a text"},
    "items": {"expected": "an array of objects with number and name"},
}
"""What a refusal says beside its fixed text (D-39)."""


@pytest.mark.parametrize("written", ["1e400", "1e9", "1000000000.00", "9999999999999.99"])
def test_an_amount_that_is_too_large_is_refused_with_the_limit(shop: ShopClient, written: str) -> None:
    body = json.dumps(order("W-1", amount="@")).replace('"@"', written).encode()
    with shop.unchanged():
        reply = shop.post("order/W-1", body)
    expected = {"parameter": "amount", "expected": "an amount of at most 999,999,999.99"}
    assert (reply.status, reply.json) == (400, {"error": "Parameter amount is not valid", **expected})


@pytest.mark.parametrize(("name", "value"), WRONG, ids=lambda value: repr(value)[:30])
def test_order_field_of_a_wrong_form_is_refused(shop: ShopClient, name: str, value: Any) -> None:
    text = json.dumps(order("W-1", **{name: "@" if isinstance(value, bytes) else value}))
    body = text.replace(": Infinity", ": 1e400").encode()
    with shop.unchanged():
        reply = shop.post("order/W-1", body.replace(b'"@"', value) if isinstance(value, bytes) else body)
    assert reply.error == (400, f"Parameter {name} is not valid")
    assert reply.json == {"error": f"Parameter {name} is not valid", "parameter": name, **ADDED[name]}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gender", "MALE"),
        ("gender", "diverse"),
        ("countryCode", "Germany"),
        ("countryCode", "ZZ"),
        ("countryCode", "ß"),
        ("countryCode", "\ufb01"),
    ],
)
def test_address_word_that_does_not_exist_is_refused(shop: ShopClient, name: str, value: str) -> None:
    with shop.unchanged():
        reply = shop.post("order/W-2", order("W-2", billing={**BILLING, name: value}))
    assert reply.error == (400, f"Parameter billing.{name} is not valid")


def test_amount_finer_than_the_currency_is_refused(shop: ShopClient) -> None:
    with shop.unchanged():
        assert shop.post("order/W-3", order("W-3", currency="JPY", amount=10.5)).error == (
            400,
            "Parameter amount is not valid",
        )
    assert shop.submit("W-3", currency="JPY", amount=10)["amount"] == "10.00"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("invoiceNumbers", ["a", {"b": 1}], "a text without control characters, or a whole number"),
        ("shippingNumbers", [True], "a text without control characters, or a whole number"),
        ("invoiceNumbers", "RE-1", "an array of texts"),
    ],
)
def test_list_of_numbers_of_a_wrong_form_is_refused(shop: ShopClient, name: str, value: Any, expected: str) -> None:
    with shop.unchanged():
        reply = shop.post("order/W-1", order("W-1", **{name: value}))
    assert reply.json == {"error": f"Parameter {name} is not valid", "parameter": name, "expected": expected}


KEYS = [
    "customerNumber", "marketplaceNumber", "itemNumbers", "invoiceNumbers", "shippingNumbers", "proformaNumbers",
    "items.number",
]  # fmt: skip


def _keyed(name: str, text: str) -> Any:
    return [{"number": text}] if name == "items.number" else [text] if name.endswith("Numbers") else text


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("target", ["order/L-1", "orders"])
def test_too_long_key_is_kept_and_finds_nothing(shop: ShopClient, name: str, target: str) -> None:  # D-15, D-39
    field = name.partition(".")[0]
    plain = shop.rows(KEY_COUNT) and shop.submit("L-0") and shop.rows(KEY_COUNT)[0][0]
    shop.run("DELETE FROM match_keys WHERE shop_id = $1")
    for length, more in ((128, True), (129, False), (5000, False)):
        sent = _keyed(name, "7" * length)
        body = order("L-1", **{field: sent})
        reply = shop.post(target, [body] if target == "orders" else body)
        assert reply.status == 200
        assert shop.read("L-1")[field] == sent
        assert (shop.rows(KEY_COUNT)[0][0] > plain) is more, length


KEY_COUNT = "SELECT count(*) FROM match_keys WHERE shop_id = $1"


def test_order_number_of_255_characters_is_the_longest(shop: ShopClient) -> None:  # D-15
    assert shop.submit("ü" * 255)["number"] == "ü" * 255
    with shop.unchanged():
        reply = shop.post("orders", [order("ü" * 256)])
    assert reply.error == (400, "Parameter number too long (max 255)")


@pytest.mark.parametrize("name", ["paymentMethod", "paymentMethodDescription", "statusDescription"])
def test_informational_text_is_cut(shop: ShopClient, name: str) -> None:  # D-15
    assert shop.submit("L-3", **{name: "ß" * 300})[name] == "ß" * 255


@pytest.mark.parametrize(
    ("name", "limit"), [("firstName", 255), ("lastName", 255), ("company", 255), ("street", 255), ("city", 128)]
)
def test_address_text_is_cut(shop: ShopClient, name: str, limit: int) -> None:  # D-15
    billing = {"lastName": "M", "countryCode": "DE", name: "é" * 300}
    assert shop.submit("L-4", billing=billing)["billing"][name] == "é" * limit


def test_item_name_is_cut(shop: ShopClient) -> None:
    assert shop.submit("L-5", items=[{"number": "1", "name": "n" * 300}])["items"][0]["name"] == "n" * 255


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\u3000 "])
@pytest.mark.parametrize("part", ["billing", "shipping"])
def test_blank_name_is_a_missing_one(shop: ShopClient, part: str, blank: str) -> None:  # D-39
    for target in ("order/B-1", "orders"):
        for address in ({"lastName": blank}, {"company": blank}, {"lastName": blank, "company": blank}):
            body = order("B-1", **{part: {**address, "countryCode": "DE"}})
            with shop.unchanged():
                reply = shop.post(target, [body] if target == "orders" else body)
            assert reply.error == (400, f"Missing parameter {part}.lastName")
    named = shop.submit("B-1", billing={"lastName": blank, "company": "Muster GmbH", "countryCode": "DE"})
    assert named["billing"] == {"company": "Muster GmbH", "countryCode": "DE"}


@pytest.mark.parametrize("name", ["date", "type", "currency"])
def test_blank_required_field_is_a_missing_one(shop: ShopClient, name: str) -> None:  # D-39
    with shop.unchanged():
        assert shop.post("order/B-2", order("B-2", **{name: "  "})).error == (400, f"Missing parameter {name}")


@pytest.mark.parametrize("mark", ["\u200b", "\u200e", "\ufeff", "\u00ad", "\u202e"], ids=ascii)
def test_order_number_with_an_invisible_character_is_refused(shop: ShopClient, mark: str) -> None:  # D-39
    number = f"A{mark}1"
    for target, body in (
        (f"order/{encoded(number)}", order(number)), ("orders", [order(number)]), ("ordersync", [number]),
    ):  # fmt: skip
        with shop.unchanged():
            reply = shop.post(target, body)
        assert reply.error == (400, "Parameter number is not valid")
        assert reply.json["expected"] == "a text without control characters and invisible characters"
    assert shop.submit("A-1", customerNumber=number)["customerNumber"] == number


UNWRITABLE = ["x", "eva@", "@example.com", "eva@localhost", "eva example.com", "e va@example.com", "a@b@c", "ü@b.de"]


@pytest.mark.parametrize("address", [*UNWRITABLE, "e" * 250 + "@example.com"], ids=lambda text: text[:20])
def test_address_that_cannot_be_written_to(shop: ShopClient, address: str) -> None:  # D-39
    with shop.unchanged():
        reply = shop.post("order/M-1", order("M-1", customerEmail=address))
    assert reply.json == {
        "error": "Parameter customerEmail is not valid",
        "parameter": "customerEmail",
        "expected": "an address that mail can be sent to",
    }
    kept, other = shop.post("orders", [order("M-1", customerEmail=address), order("M-2")]).json
    assert kept["customerEmail"] == address
    assert kept["mailProblem"] == "customerEmail is not an address that mail can be sent to"
    assert "mailProblem" not in other
    assert "mailProblem" not in shop.submit("M-1", customerEmail="eva@example.com")


def test_byte_order_mark_before_a_body_is_skipped(shop: ShopClient) -> None:  # D-39
    mark = b"\xef\xbb\xbf"
    assert shop.post("order/B-1", mark + wire(order("B-1"))).status == 200
    assert shop.post("orders", mark + wire([order("B-2")])).status == 200
    assert shop.post("ordersync", mark + wire(["B-1", "B-2"])).body == b"0"
    with shop.unchanged():
        assert shop.post("order/B-1", mark).error == (400, "Missing body")
