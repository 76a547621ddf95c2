"""A developer's first hour in a real browser: a key, a first call, a test event, a payment in the sandbox, PAID."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.usecases.shops import shops
from tests.area.conftest import Person, page_of

pytestmark = pytest.mark.browser


@pytest.fixture
def developer(service: Service, new_shop: Callable[..., Shop], sign_in: Callable[..., Person]) -> Person:
    """Made before the browser starts, in whose loop Django refuses to work."""
    shop = new_shop(sandbox=True)
    with service.database.of_shop(shop) as tx:
        shops.change(tx, {"callbacks": "on", "callback-url": "https://shop.example/paymatch"})
    return sign_in(TeamRole.DEVELOPER, shop, proven=True)


@pytest.fixture
def page(developer: Person, browser: Callable[[], Any], address: str) -> Any:
    return page_of(browser(), f"{address}/shops/{developer.shop.id}/", developer)


def test_key_test_event_and_sandbox_payment_to_paid(page: Any) -> None:
    page.goto("developers/keys/new")
    page.get_by_role("button", name="Create key").click()
    key = page.locator("pre.wire").inner_text().strip()
    assert key.startswith("pm_test_")

    page.goto("developers/try")
    page.get_by_label("Test key").fill(key)
    page.get_by_role("button", name="Send").click()
    page.locator("#try-status", has_text="200").wait_for()
    assert '"paymentStatus": "UNPAID"' in page.locator("#try-answer").inner_text()
    page.locator("#try-call option", has_text="GET /orders").first.wait_for(state="attached")
    page.get_by_label("Call", exact=True).select_option("GET /order/{orderNumber}")
    assert "/api/v2/order/A-1001'" in page.locator("#try-curl").inner_text()

    page.goto("callbacks")
    page.get_by_role("button", name="Send test event").click()
    page.get_by_role("cell", name="Test event").wait_for()

    page.goto("developers/sandbox")
    page.get_by_label("Number of the order").fill("A-1001")
    page.get_by_role("button", name="Pay", exact=True).click()
    page.get_by_text("The bank delivers its statement").wait_for()
    page.get_by_role("button", name="Move the clock").click()
    page.get_by_text("1 bank files, 1 postings").wait_for()
    page.goto("developers/try")
    page.get_by_label("Test key").fill(key)
    page.get_by_label("Method").select_option("GET")
    page.get_by_role("button", name="Send").click()
    page.locator("#try-status", has_text="200").wait_for()
    assert '"paymentStatus": "PAID"' in page.locator("#try-answer").inner_text()
