"""The quick way answers exactly what the long way answers, or leaves the order to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.formats.contract import bodies
from paymatch.formats.contract.bodies import OrderBody, decode_order
from paymatch.formats.contract.orders import Order
from paymatch.formats.contract.plain import check_plain, plain_body_of

PLAIN: dict[str, Any] = {
    "number": "A-1",
    "date": "02-03-2026",
    "type": "INVOICE",
    "amount": 119.5,
    "currency": "EUR",
    "customerEmail": "müller@example.com",
    "customerNumber": "K1",
    "language": "de",
    "items": [{"number": "I1", "name": 'Regal 24" groß'.replace('"', "'")}, {"number": "I2"}],
    "invoiceNumbers": ["R1", "R2"],
    "billing": {"lastName": "Müller", "countryCode": "DE"},
    "shipping": {"company": "Shop", "countryCode": "AT", "gender": "company"},
    "stopReminder": False,
}
ODD_TEXTS = [
    "",
    " ",
    "  x ",
    "x",
    "\x00",
    "\n",
    "\x7f",
    "\u0085",
    "\u00a0",
    "\u2028",
    "\u200b",
    "x\u200b",
    '"',
    "\\",
    "{}",
    "[]",
    "ü",
    "a" * 129,
    "a" * 256,
]
ODD_VALUES: list[Any] = [
    *ODD_TEXTS,
    None,
    7,
    -1,
    1.5,
    True,
    [],
    {},
    [""],
    [" "],
    ["x", 5],
    [None],
    {"number": "x"},
    2**63,
    -(2**64),
    10**30,
]
AMOUNTS = [0, 10, 10.5, 10.25, 10.255, -1.5, -0.0, "10", "10.00", "x", "", None, True, [], {}, 1e3, 12345678901234]


def _long(body: bytes) -> SubmittedOrder | tuple[str, str]:
    try:
        return bodies.check_order(decode_order(body))
    except OrderRefused as error:
        return str(error), error.parameter


def _either(body: bytes) -> SubmittedOrder | tuple[str, str]:
    """What `POST /orders` does with a list of this one order."""
    (order,) = bodies.decode_orders(b"[" + body + b"]")
    try:
        return bodies.check_order(order)
    except OrderRefused as error:
        return str(error), error.parameter


def _agree(order: dict[str, Any]) -> None:
    for body in (json.dumps(order).encode(), json.dumps(order, ensure_ascii=False, indent=1).encode()):
        assert _either(body) == _long(body)


def test_a_plain_order_goes_the_quick_way() -> None:
    body = json.dumps(PLAIN).encode()
    (order,) = bodies.decode_orders(b"[" + body + b"]")
    assert isinstance(order, plain_body_of(Order))
    assert bodies.check_order(order) == _long(body)
    (order,) = bodies.decode_orders(b"[" + body + b"]")
    found = check_plain(Order, order, {})
    assert found is not None and b'"amount":119.50,' in found[1]


def test_a_type_that_is_not_plain_takes_the_long_way() -> None:
    (order,) = bodies.decode_orders(json.dumps([PLAIN | {"customerEmail": 5}]).encode())
    assert isinstance(order, OrderBody)


@pytest.mark.parametrize("name", [name for name in OrderBody.__struct_fields__ if name != "amount"])
def test_every_field_with_every_odd_value(name: str) -> None:
    for value in ODD_VALUES:
        _agree(PLAIN | {name: value})


@pytest.mark.parametrize("value", AMOUNTS)
@pytest.mark.parametrize("name", ["amount", "exchangeRate"])
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD"])
def test_amounts(name: str, value: Any, currency: str) -> None:
    _agree(PLAIN | {name: value, "currency": currency})


@pytest.mark.parametrize("group", ["billing", "shipping"])
@pytest.mark.parametrize(
    "name",
    ["gender", "firstName", "lastName", "company", "street", "postCode", "city", "countryCode", "phone", "other"],
)
def test_addresses(group: str, name: str) -> None:
    for value in ODD_VALUES:
        _agree(PLAIN | {group: PLAIN[group] | {name: value}})


@pytest.mark.parametrize("name", ["number", "name", "other"])
def test_items(name: str) -> None:
    for value in ODD_VALUES:
        _agree(PLAIN | {"items": [{"number": "I"} | {name: value}]})


_FIELD = st.sampled_from([*OrderBody.__struct_fields__, "unknown"])
_VALUE = st.one_of(st.sampled_from(ODD_VALUES + AMOUNTS), st.text(max_size=8))


@given(st.dictionaries(_FIELD, _VALUE, max_size=6), st.sets(_FIELD, max_size=3))
def test_any_mixture(changes: dict[str, Any], missing: set[str]) -> None:
    order = {name: value for name, value in (PLAIN | changes).items() if name not in missing}
    body = json.dumps(order).encode()
    if "\\ud" not in body.decode():  # half characters are not JSON that could be stored
        assert _either(body) == _long(body)
