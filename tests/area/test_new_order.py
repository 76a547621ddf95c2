"""An order that a person makes: the API's rules and errors, beside the field that they are about."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.store.database import ShopId
from paymatch.store.orders.order_json import Include
from paymatch.usecases.orders import orders
from tests.area.conftest import Person

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
    with service.database.transaction(ShopId(person.shop.id)) as tx:
        found = msgspec.json.decode(orders.read(tx, person.shop, "10426", Include()))
    assert (found["amount"], found["type"], found["paymentStatus"]) == (318.6, "INVOICE", "UNPAID")
    assert found["billing"] == {"lastName": "Hotel Meeresblick", "countryCode": person.shop.country}
    again = person.post("new-order", FORM | {"amount": "1"})
    assert again.status_code == 422
    assert "There is an order with this number already." in again.content.decode()
    with service.database.transaction(ShopId(person.shop.id)) as tx:
        assert msgspec.json.decode(orders.read(tx, person.shop, "10426", Include()))["amount"] == 318.6


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
    with service.database.transaction(ShopId(person.shop.id)) as tx:
        assert not orders.exists(tx, person.shop, "10426")
