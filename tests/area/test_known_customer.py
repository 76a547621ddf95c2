"""A customer with earlier orders in the form of a new order: filled in from the latest one, with the time to pay."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.usecases.desk.known_customers import KnownCustomer, PaymentHabit, known_customer
from tests.area.conftest import Person, page_of
from tests.area.test_new_order import FORM
from tests.area.test_order import text
from tests.contract.bank import pay
from tests.contract.client import START
from tests.usecases.refunds.refund_world import RefundWorld

HOTEL = "einkauf@example.org"
BILLED = {
    "firstName": "Erika", "lastName": "Mustermann", "street": "Am Markt 1", "postCode": "20095", "city": "Hamburg",
    "countryCode": "DE",
}  # fmt: skip
LOOK = FORM | {"do": "preview", "email": HOTEL.upper(), "customer": ""}


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """A shop whose customer has paid one order, after nine days, and has a later open one."""
    more: dict[str, Any] = {"customerEmail": HOTEL, "customerNumber": "K-7", "billing": BILLED}
    day = START.date()
    world.client.submit("O-1", amount=100, date=f"{day:%d-%m-%Y}", dueDate=f"{day:%d-%m-%Y}", **more)
    world.pass_days(9)
    pay(world.client, "O-1", 10_000, booking_date=day + timedelta(days=9))
    later = more | {"date": f"{day + timedelta(days=9):%d-%m-%Y}", "billing": BILLED | {"street": "Am Markt 2"}}
    world.client.submit("O-2", amount=20, language="fr", **later)
    return sign_in(TeamRole.CLERK, world.client.shop)


def known(world: RefundWorld, number: str = "", email: str = "") -> KnownCustomer | None:
    with world.client.database.of_shop(world.client.shop, at=world.client.clock()) as tx:
        return known_customer(tx, number, email)


def values(content: str) -> dict[str, str]:
    """Name -> value of each text field and of the chosen language."""
    found = dict(re.findall(r'<input type="(?:text|hidden)" name="([a-z_]+)"(?: value="([^"]*)")?', content))
    return found | dict(re.findall(r'<select name="(language|country)".*?value="(\w+)" selected', content, re.DOTALL))


def test_a_customer_is_known_by_number_or_address(clerk: Person, world: RefundWorld) -> None:
    by_email, by_number = known(world, email=HOTEL.upper()), known(world, number=" K-7 ")
    assert by_email is not None and by_email == by_number
    assert (by_email.found.latest, by_email.found.orders) == ("O-2", 2)
    assert by_email.habit == PaymentHabit(paid_orders=1, days=9, days_late=9)
    assert known(world, email="other@example.org") is None
    assert known(world, number="K-8", email=HOTEL) is None, "a number that is typed is meant"
    assert known(world) is None and known(world, email="Erika Mustermann") is None


def test_an_address_of_two_customers_decides_nothing(clerk: Person, world: RefundWorld) -> None:
    world.client.submit("O-3", amount=5, customerEmail=HOTEL, customerNumber="K-8", billing=BILLED)
    assert known(world, email=HOTEL) is None
    found = known(world, number="K-7")
    assert found is not None and found.found.number == "K-7"


def test_empty_fields_are_filled_in_once(clerk: Person) -> None:
    page = clerk.post("new-order", LOOK)
    found = values(page.content.decode())
    assert {name: found[name] for name in ("customer", "street", "post_code", "city", "customer_number")} == {
        "customer": "Erika Mustermann", "street": "Am Markt 2", "post_code": "20095", "city": "Hamburg",
        "customer_number": "K-7",
    }  # fmt: skip
    assert (found["country"], found["language"], found["email"]) == ("DE", "fr", HOTEL.upper())
    said = text(page)
    assert "is known : 2 orders, pays after 9 days, 9 days late. Address and language are those of" in said
    again = clerk.post("new-order", LOOK | {"known": found["known"], "customer_number": "K-7"})
    assert values(again.content.decode())["street"] == "", "what a person has emptied stays empty"


def test_what_is_typed_is_kept(clerk: Person) -> None:
    found = values(clerk.post("new-order", LOOK | {"customer": "Otto Muster", "city": "Bremen"}).content.decode())
    assert (found["customer"], found["street"], found["city"]) == ("Otto Muster", "", "Bremen")


def test_nothing_is_filled_in_unseen(clerk: Person, world: RefundWorld) -> None:
    clerk.post("new-order", FORM | {"email": HOTEL})
    stored = world.client.read("10426")
    assert stored["billing"] == {"lastName": "Hotel Meeresblick", "countryCode": "DE"}
    assert "customerNumber" not in stored


@pytest.mark.browser
def test_it_is_typed_and_sent_by_keys_alone(
    clerk: Person, world: RefundWorld, browser: Callable[[], Any], address: str
) -> None:
    page = page_of(browser(), address, clerk, locale="en-GB", reduced_motion="reduce")
    page.goto(f"/shops/{clerk.shop.id}/new-order")
    page.locator("#id_number").focus()
    for words in ("10427", "", "", HOTEL):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.locator("#order-outlook").get_by_text("pays after 9 days").wait_for()
    assert page.locator("#id_customer").input_value() == "Erika Mustermann"
    assert page.locator("#id_street").input_value() == "Am Markt 2"
    assert "Am Markt 2" in page.locator("#order-folded-1").inner_text()
    page.keyboard.type("12,50")
    page.keyboard.press("Control+Shift+Enter")
    page.get_by_text("Order 10427 is created.").wait_for()
    assert page.url.endswith("/new-order")
    assert world.client.read("10427")["billing"] == BILLED | {"street": "Am Markt 2"}
    page.locator("#id_number").fill("10428")
    page.locator("#id_customer").fill("Otto Muster")
    page.locator("#id_amount").fill("3")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/orders/10428")
    page.locator("textarea[name=said]").fill("called twice")
    page.keyboard.press("Control+Enter")
    page.get_by_text("called twice").wait_for()
    page.locator("textarea[name=said]").fill("not sent by a key outside of its form")
    page.locator("textarea[name=said]").blur()
    page.keyboard.press("Control+Enter")
    assert page.locator("textarea[name=said]").input_value() == "not sent by a key outside of its form"


@pytest.mark.parametrize(
    ("habit", "said"),
    [
        (PaymentHabit(1, 0, None), "pays on the day of the order"),
        (PaymentHabit(3, 1, 0), "pays after 1 day, on the due date"),
        (PaymentHabit(3, 9, -5), "pays after 9 days, 5 days early"),
    ],
)
def test_the_usual_time_to_pay_is_said_in_words(service: Service, habit: PaymentHabit, said: str) -> None:
    from django.utils.translation import override

    from paymatch.area.views.known_customer import habit_words

    with override("en"):
        assert habit_words(habit) == said
