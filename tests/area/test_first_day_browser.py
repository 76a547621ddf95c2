"""The owner's first day in a real browser: from the operator's invitation to the first paid order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from paymatch.api import Api, ApiConfig
from paymatch.area.people.roles import Role
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.outbound.files import DirectoryFiles
from tests.area.conftest import PASSWORD
from tests.contract.bank import ACCOUNT
from tests.contract.client import Clock, ShopClient

pytestmark = pytest.mark.browser


def test_owners_first_day(
    service: Service, new_shop: Callable[..., Shop], area_clock: Clock, browser: Callable[[], Any], address: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    from paymatch.area.people import accounts

    shop = new_shop(sandbox=True, ibans=[ACCOUNT])
    owner = accounts.create_person(f"owner-{uuid4().hex[:8]}@example.org", shop=shop.id, role=Role.OWNER)
    invitation = accounts.sign_in_link(owner, address, area_clock())
    page = browser().new_context(base_url=address).new_page()
    page.set_default_timeout(10_000)

    page.goto(invitation)
    page.get_by_role("heading", name="To the first paid order").wait_for()
    page.goto("/account/password/set/")
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("Password successfully set.").wait_for()
    page.get_by_label("E-mail").fill(owner.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="To the first paid order").wait_for()

    page.goto(f"/shops/{shop.id}/settings")
    page.get_by_label("Account holder").fill("Teehaus Windmühle")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()

    page.goto(f"/shops/{shop.id}/developers")
    page.get_by_role("link", name="New key").click()
    page.get_by_label("What it is for").fill("The shop's server")
    page.get_by_role("button", name="Make the key").click()
    key = page.locator("pre.wire").inner_text().strip()
    api = Api(service.database, DirectoryFiles(tmp_path), ApiConfig(("x-service-api-key",), area_clock, 1000))
    client = ShopClient(api, service.database, area_clock, shop, key)
    client.submit("A-1001", amount=24.90)

    page.goto(f"/shops/{shop.id}/developers/sandbox")
    page.get_by_label("Number of the order").fill("A-1001")
    page.get_by_role("button", name="Pay").click()
    page.get_by_text("has paid.").wait_for()
    page.get_by_role("button", name="Move the clock").click()
    page.get_by_text("1 postings").wait_for()

    page.goto(f"/shops/{shop.id}/overview")
    assert page.get_by_role("heading", name="To the first paid order").count() == 0
    page.goto(f"/shops/{shop.id}/orders")
    page.get_by_role("link", name="A-1001").click()
    page.locator(".order-title .badge", has_text="Paid").wait_for()
    assert client.status("A-1001") == "PAID"
