"""The outlook of a new order in a browser: it follows what is typed, by keyboard alone, and fits every look."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from tests.area.conftest import Person, page_of
from tests.area.test_axe_browser import AXE, CHECK, LOOKS, STANDARD
from tests.area.test_order_money import ERIKA, overpay
from tests.usecases.refunds.refund_world import RefundWorld

pytestmark = pytest.mark.browser


@pytest.fixture
def page(world: RefundWorld, sign_in: Callable[..., Person], browser: Callable[[], Any], address: str) -> Any:
    """The form of a shop in which a customer has a credit of 10.00."""
    world.client.change(mail_from="shop@example.org", payment_information="on", reminders="on")
    world.client.submit("O-1", amount=100, customerEmail=ERIKA)
    overpay(world)
    clerk = sign_in(TeamRole.CLERK, world.client.shop)
    clerk.post("orders/O-1", {"action": "keep-credit"})
    found = page_of(browser(), address, clerk, locale="en-GB", reduced_motion="reduce")
    found.goto(f"/shops/{clerk.shop.id}/new-order")
    return found


def type_order(page: Any) -> None:
    """Number, customer, e-mail and amount, from field to field by Tab."""
    page.locator("#id_number").focus()
    for text in ("10426", "", "Hotel Meeresblick", ERIKA, "318,60"):
        page.keyboard.type(text)
        page.keyboard.press("Tab")


def test_it_follows_what_is_typed_and_the_focus_stays(page: Any) -> None:
    outlook = page.locator("#order-outlook")
    assert "it says here what is sent to whom" in outlook.inner_text()
    assert not page.get_by_role("button", name="Show what happens").is_visible()
    type_order(page)
    outlook.get_by_text("Payment information is sent at once").wait_for()
    assert page.evaluate("document.activeElement.name") == "due"
    page.locator("#use-credit").focus()
    page.keyboard.press("Space")
    outlook.get_by_text("Used here: 308.60 EUR is left to pay").wait_for()
    assert page.evaluate("document.activeElement.id") == "use-credit"
    page.keyboard.press("Space")
    outlook.get_by_text("Use it for this order").wait_for()


def test_it_fits_every_look(page: Any) -> None:
    type_order(page)
    page.locator("#order-outlook").get_by_text("How it will be paid").wait_for()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for scheme, width in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CHECK, [scheme, STANDARD]) == [], (scheme, width)
