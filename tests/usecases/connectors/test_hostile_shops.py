"""Answers that no shop should give, and addresses that no shop should have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.contract.bodies import read_order
from paymatch.outbound.connectors.calls import LIMITS
from paymatch.outbound.http import HttpClient
from paymatch.usecases.connectors import connectors
from paymatch.usecases.connectors.gateways import ConnectorGateways
from tests.fakes.woocommerce import KEY, SECRET, WooShop, woo_shop
from tests.usecases.conftest import Books
from tests.usecases.connectors.shops import Connected, connect

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def woo() -> Iterator[WooShop]:
    with woo_shop() as found:
        yield found


@pytest.fixture
def connected(books: Books, woo: WooShop) -> Connected:
    return connect(books, "woocommerce", woo.url, woo.port, (KEY, SECRET))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (
            (200, {"Content-Type": "text/html"}, b"<!doctype html><title>My shop</title><p>Hello\x1b[31m"),
            "the answer is not JSON: My shop Hello [31m. Is the address of the shop right?",
        ),
        ((200, JSON, b'{"orders": []}'), "the answer does not have the expected form: a list of orders is expected"),
        ((200, JSON, b"[1, 2]"), "the answer does not have the expected form: a list of orders is expected"),
        ((200, JSON, b"[" * 100_000), "the answer does not have the expected form: no JSON"),
        (
            (302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b""),
            "the shop redirects to another address (302): enter the address at which the shop really is",
        ),
        ((301, {"Location": "http://10.0.0.1/"}, b""), "the shop redirects to another address (301)"),
        ((404, JSON, b'{"code": "rest_no_route", "message": "No route was found"}'), "(404): No route was found."),
        ((500, {}, b"<h1>Fatal error</h1>"), "the shop answered with an error (500): Fatal error"),
        ((429, {"Retry-After": "999999999999"}, b""), "the shop asks for a pause (429)"),
    ],
)  # fmt: skip
def test_an_answer_that_no_shop_should_give(
    connected: Connected, woo: WooShop, answer: tuple[int, dict[str, str], bytes], error: str
) -> None:
    woo.answers.append(answer)
    connected.work(later=timedelta())
    row = connected.row()
    assert error in row.last_error
    assert (row.since_at, row.look, row.failures) == (None, None, 1)
    assert len(woo.calls) == 1  # nothing was followed
    assert row.resting_until is not None
    assert row.resting_until <= connected.clock + timedelta(hours=24)
    assert connected.statuses() == {}


def test_an_answer_without_an_end_is_not_read_to_it(connected: Connected, woo: WooShop) -> None:
    connected.ways = ConnectorGateways(
        HttpClient(allow_private=True, limits=replace(LIMITS, answer_bytes=65536)), read_order
    )
    woo.answers.append((200, JSON, b" " * 1_000_000))
    connected.work(later=timedelta())
    assert connected.row().last_error == "the answer is longer than 8 MB"


def test_fields_of_every_wrong_form_are_problems_and_nothing_else(connected: Connected, woo: WooShop) -> None:
    order = woo.place(1)
    wrong: list[Any] = [None, True, -1, 1.5, "", "x" * 5000, [], {}, [[]], {"a": []}, "\x00", "1\r\nX: y", "../../1"]
    for place, (name, value) in enumerate(((name, value) for name in order for value in wrong), 100):
        if name != "date_modified_gmt":
            woo.orders[place] = order | {"id": place, "number": str(place), name: value}
    connected.work()
    assert connected.row().failures == 0
    assert connected.statuses()["1"] == "UNPAID"
    # Problems are refusals with words; nothing made the program fail.
    assert not [text for kind, text in connected.alerts() if kind == "item-failed"]
    assert connected.books.rows("SELECT count(*) FROM orders WHERE shop_id = $1 AND number ~ '[[:cntrl:]\ufffd]'") == [
        (0,)
    ]


@pytest.mark.parametrize(
    "url",
    ["ftp://shop.example", "https://user:pass@shop.example", "https://shop.example/?a=b", "shop.example", "https://",
     "http://169.254.169.254/", "https://shop.example/#a"],
)  # fmt: skip
def test_addresses_that_are_refused_at_once(books: Books, url: str) -> None:
    with books.database.of_shop(books.shop, at=books.now) as tx, pytest.raises(SettingRefused) as refused:
        connectors.add(tx, "woocommerce", (KEY, SECRET), {"url": url})
    assert refused.value.parameter == "url"


def test_a_name_that_resolves_to_a_private_address_is_not_called(books: Books, woo: WooShop) -> None:
    connected = connect(books, "woocommerce", f"https://shop.example:{woo.port}", woo.port, (KEY, SECRET))
    connected.ways = ConnectorGateways(
        HttpClient(resolver=lambda _host, _port: ["127.0.0.1"], limits=LIMITS), read_order
    )
    connected.work(later=timedelta())
    assert "127.0.0.1" in connected.row().last_error
    assert woo.calls == []


def test_a_port_of_another_service_is_not_called(books: Books, woo: WooShop) -> None:
    connected = connect(books, "woocommerce", "http://10.11.12.13:8081", 8443, (KEY, SECRET))
    connected.work(later=timedelta())
    assert "port" in connected.row().last_error
    assert woo.calls == []


@pytest.mark.parametrize(
    ("setting", "text"),
    [("payment-methods", ""), ("payment-methods", "bacs"), ("payment-methods", "bacs=CARD"), ("poll-minutes", "1"),
     ("poll-minutes", "x"), ("take-from", "tomorrow"), ("write-back", "maybe"), ("number-prefix", "a b"),
     ("paid-status", "wc paid"), ("unknown", "x")],
)  # fmt: skip
def test_settings_that_are_refused(connected: Connected, setting: str, text: str) -> None:
    before = connected.row().settings
    with pytest.raises(SettingRefused) as refused, connected.tx() as tx:
        connectors.change(tx, "", {setting: text})
    assert refused.value.parameter == setting
    assert connected.row().settings == before
