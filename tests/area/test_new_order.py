"""An order that a person makes: the API's rules and errors, beside the field that they are about."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import msgspec
import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.formats.contract.bodies import read_order
from paymatch.store.orders.order_json import Include
from paymatch.usecases.orders import made_here, orders
from tests.area.conftest import Person
from tests.contract.client import Clock
from tests.usecases.refunds.refund_world import RefundWorld

FORM = {
    "number": "10426",
    "type": "INVOICE",
    "customer": "Hotel Meeresblick",
    "email": "",
    "amount": "318,60",
    "due": "",
}


def test_an_order_made_here_is_as_one_of_the_api(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    answer = person.post("new-order", FORM)
    assert answer["Location"] == f"/shops/{person.shop.id}/orders/10426"
    with service.database.of_shop(person.shop) as tx:
        found = msgspec.json.decode(orders.read(tx, "10426", Include()))
    assert (found["amount"], found["type"], found["paymentStatus"]) == (318.6, "INVOICE", "UNPAID")
    assert found["billing"] == {"lastName": "Hotel Meeresblick", "countryCode": person.shop.country}
    again = person.post("new-order", FORM | {"amount": "1"})
    assert again.status_code == 422
    assert "There is an order with this number already" in again.content.decode()
    with service.database.of_shop(person.shop) as tx:
        assert msgspec.json.decode(orders.read(tx, "10426", Include()))["amount"] == 318.6


@pytest.mark.parametrize("wrong", [{"amount": "12O,00"}, {"due": "2099-01-01"}, {"email": "nobody"}, {"customer": ""}])
def test_what_the_api_refuses_is_refused_beside_its_field(
    service: Service, sign_in: Callable[..., Person], wrong: dict[str, str]
) -> None:
    person = sign_in(TeamRole.CLERK)
    answer = person.post("new-order", FORM | wrong)
    assert answer.status_code == 422
    (name,) = wrong
    fields = answer.content.decode().split('<div class="field">')[1:]
    assert ["errorlist" in each for each in fields] == [f'name="{name}"' in each for each in fields]
    with service.database.of_shop(person.shop) as tx:
        assert not orders.exists(tx, "10426")


def refused_fields(answer: Any) -> dict[str, str]:
    """Field of the form -> the reason next to it."""
    found = {}
    for field in answer.content.decode().split('<div class="field">')[1:]:
        if (why := re.search(r'class="errorlist"[^>]*><li>(.*?)</li>', field)) is not None:
            found[re.search(r'name="(\w+)"', field)[1]] = unescape(why[1])  # type: ignore[index]
    return found


def test_all_that_is_wrong_is_said_at_once(service: Service, sign_in: Callable[..., Person]) -> None:
    """What the form reads, what the API's forms check, its rules and the number that is taken: one submit tells all."""
    person = sign_in(TeamRole.CLERK)
    person.post("new-order", FORM)
    wrong = {
        "amount": "12O,00", "due": "2099-01-01", "email": "nobody", "customer": "", "country": "XX",
    }  # fmt: skip
    answer = person.post("new-order", FORM | wrong)
    assert answer.status_code == 422
    expected = {
        "number": "There is an order with this number already",
        "amount": "Enter an amount such as 12.50",
        "due": "The due day is more than six months ahead",
        "email": "E-mail cannot be read as it is",
        "customer": "Customer is missing",
        "country": "Select a valid choice. XX is not one of the available choices.",
    }
    assert refused_fields(answer) == expected
    mended = person.post("new-order", FORM | {"number": "10427", "due": "", "email": "eva@example.org"})
    assert mended.status_code == 302
    changed = person.post("change-order/10427", FORM | {"number": "10427"} | wrong)
    assert refused_fields(changed) == {name: why for name, why in expected.items() if name != "number"}
    with service.database.of_shop(person.shop) as tx:
        assert msgspec.json.decode(orders.read(tx, "10427", Include()))["amount"] == 318.6


def stored(service: Service, person: Person, number: str) -> Any:
    with service.database.of_shop(person.shop) as tx:
        return msgspec.json.decode(orders.read(tx, number, Include()))


def test_an_order_made_here_is_changed_here(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK)
    more = {"street": "Strandstr. 4", "post_code": "26506", "city": "Norddeich", "invoice": "RE-1, RE-2"}
    person.post("new-order", FORM | {"customer": "Eva Muster", "due": "1.4.2026"} | more)
    assert f'href="/shops/{person.shop.id}/change-order/10426"' in person.get("orders/10426").content.decode()
    page = person.get("change-order/10426").content.decode()
    for value in ("318.60", "Eva Muster", "1 Apr 2026", "Strandstr. 4", "RE-1, RE-2"):
        assert f'value="{value}"' in page
    changed = FORM | more | {"customer": "Eva Muster", "amount": "320.00", "due": "2 Apr 2026", "city": "Emden"}
    parts = {"first": "Eva", "last": "Muster", "country": person.shop.country}
    assert person.post("change-order/10426", changed | parts).status_code == 302
    found = stored(service, person, "10426")
    assert (found["amount"], found["dueDate"], found["invoiceNumbers"]) == (320.0, "02-04-2026", ["RE-1", "RE-2"])
    assert found["billing"] == {
        "firstName": "Eva", "lastName": "Muster", "street": "Strandstr. 4", "postCode": "26506", "city": "Emden",
        "countryCode": person.shop.country,
    }  # fmt: skip
    refused = person.post("change-order/10426", changed | parts | {"due": "32.4.2026"})
    assert refused.status_code == 422
    assert "Enter a day such as 1 Dec 2026" in refused.content.decode()
    assert stored(service, person, "10426") == found


def test_an_order_of_the_shop_system_is_not_changed_here(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK, world.client.shop)
    world.client.submit("A-1")
    assert "change-order" not in person.get("orders/A-1").content.decode()
    assert person.get("change-order/A-1").status_code == 404
    assert person.post("change-order/A-1", FORM).status_code == 404


def test_the_next_free_number_is_proposed(service: Service, sign_in: Callable[..., Person], area_clock: Clock) -> None:
    person = sign_in(TeamRole.CLERK)

    def make(number: str) -> None:
        area_clock.now += timedelta(minutes=1)
        assert person.post("new-order", FORM | {"number": number}).status_code == 302

    def proposed() -> str:
        page = person.get("new-order").content.decode()
        assert "if empty 14 days from today" in page
        (field,) = re.findall(r'<input[^>]* name="number"[^>]*>', page)
        value = re.search(r' value="([^"]*)"', field)
        return value[1] if value else ""

    assert proposed() == ""
    for number, following in (("T-0099", "T-0100"), ("T-0100", "T-0101"), ("T-9", "T-10"), ("counter", "")):
        make(number)
        assert proposed() == following, number
    make("T-100")
    order = {
        "number": "T-101", "date": "16-11-2026", "type": "INVOICE", "amount": 12, "currency": "EUR",
        "billing": {"lastName": "Muster", "countryCode": "DE"},
    }  # fmt: skip
    with service.database.of_shop(person.shop) as tx:
        assert made_here.next_number(tx) == "T-101"
        orders.submit(tx, [read_order(msgspec.json.encode(order))])  # by the shop system
        assert made_here.next_number(tx) == "T-102"
