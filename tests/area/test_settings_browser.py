"""Settings with a script: what hangs on a switch, what is not saved yet, and only what was changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.usecases.shops import shops
from tests.area.conftest import Person, page_of

pytestmark = pytest.mark.browser


@pytest.fixture
def owner(service: Service, sign_in: Callable[..., Person]) -> Person:
    """The owner of a shop whose sender and reminder minimum were changed."""
    owner = sign_in(TeamRole.OWNER)
    with service.database.of_shop(owner.shop) as tx:
        shops.change(tx, {"mail-from": "shop@example.org", "reminders": "on"}, allow_private=False)
    return owner


@pytest.fixture
def page(owner: Person, browser: Callable[[], Any], address: str) -> Any:
    page = page_of(browser(), address, owner, locale="en-GB", reduced_motion="reduce")
    page.goto(f"/shops/{owner.shop.id}/settings/mail")
    return page


def test_what_is_not_saved_is_named_with_what_it_was(page: Any, owner: Person, service: Service) -> None:
    bar = page.locator(".save-bar [role=status]")
    discard = page.get_by_role("button", name="Discard")
    assert bar.inner_text() == ""
    assert not discard.is_visible()
    page.fill("[name=reminder-minimum]", "2.00")
    assert bar.inner_text() == "1 change is not saved: Reminder minimum (EUR) 1.00 → 2.00"
    page.get_by_role("switch", name="Thanks for payments received").click()
    page.fill("[name=reply-to]", "hallo@example.org")
    assert bar.inner_text() == (
        "3 changes are not saved: Answers go to – → hallo@example.org, "
        "Thanks for payments received off → on, Reminder minimum (EUR) 1.00 → 2.00"
    )
    discard.click()
    page.wait_for_function("() => !document.querySelector('.save-bar [role=status]').textContent")
    assert page.input_value("[name=reminder-minimum]") == "1.00"

    page.fill("[name=reminder-minimum]", "2.00")
    page.keyboard.press("Control+s")
    page.get_by_text("Saved.").wait_for()
    with service.database.of_shop(owner.shop) as tx:
        assert shops.settings_as_texts(tx)["reminder-minimum"] == "2.00"
        assert shops.settings_as_texts(tx)["reply-to"] == ""


def test_a_setting_is_hidden_while_its_switch_is_off(page: Any) -> None:
    assert page.locator("[name=reminder-minimum]").is_visible()
    page.get_by_role("switch", name="Reminders").click()
    assert not page.locator("[name=reminder-minimum]").is_visible()


def test_only_changed_settings_are_shown_on_request(page: Any) -> None:
    rows = page.locator(".setting-row:visible")
    assert rows.count() == 8
    page.get_by_label("only what was changed").check()
    assert rows.count() == 2
    assert page.locator(".save-bar [role=status]").inner_text() == ""
    page.get_by_label("only what was changed").uncheck()
    assert rows.count() == 8


def test_the_groups_are_at_the_side_of_a_wide_page_and_above_on_a_phone(page: Any) -> None:
    def places() -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        found = [page.locator(each) for each in (".settings-search", ".settings-groups", ".settings-form")]
        search, groups, form = [each.bounding_box() for each in found]
        return search, groups, form

    page.set_viewport_size({"width": 1280, "height": 900})
    search, groups, form = places()
    assert search["y"] + search["height"] <= groups["y"]
    assert groups["x"] + groups["width"] <= form["x"]
    page.set_viewport_size({"width": 390, "height": 844})
    search, groups, form = places()
    assert search["y"] + search["height"] <= groups["y"]
    assert groups["y"] + groups["height"] <= form["y"]
    page.locator("h1").click()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
