"""Ctrl K in a browser: one hand types, arrows choose, the answer is shown beside; every width and theme passes axe."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import pytest

from paymatch.area.people.roles import TeamRole
from tests.area.conftest import Person, page_of
from tests.area.test_axe_browser import AXE, CHECK, LOOKS, STANDARD
from tests.area.test_bank import patient
from tests.area.test_find import MARIE
from tests.contract.bank import book, entry
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("patient")]

__all__ = ["patient"]

STANDS: Final = """() => [document.querySelector("#found [aria-selected=true] strong").innerText,
    document.querySelector("#found .find-detail:not([hidden]) .find-answer strong").innerText]"""
"""The chosen line, and its answer for the caller."""


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """A clerk of a shop with a customer who has paid one of two orders, and a payment that waits."""
    client = world.client
    client.submit("WT-11667", amount=58.30, type="INVOICE", dueDate="27-03-2026", **MARIE)
    client.submit("WT-11670", amount=41.20, type="INVOICE", dueDate="28-03-2026", **MARIE)
    book(client, entry("Bestellung WT-11667 Tee", 5_830, name="M. IVERSEN und T. Iversen"))
    book(client, entry("danke", 2_240, name="Iverson Marie", account=ERIKA))
    return sign_in(TeamRole.CLERK, client.shop)


def opened(browser: Callable[[], Any], address: str, clerk: Person, **more: Any) -> Any:
    """The overview with the dialog over it."""
    page = page_of(browser(), address, clerk, reduced_motion="reduce", **more)
    page.goto(f"/shops/{clerk.shop.id}/orders")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").wait_for()
    return page


def said(page: Any, text: str, results: int) -> None:
    """Types what the caller says, and waits for so many lines of it."""
    page.keyboard.type(text)
    from playwright.sync_api import expect

    expect(page.locator("#found a[data-result]")).to_have_count(results)


def test_one_hand_types_and_the_answer_stands_beside(clerk: Person, browser: Callable[[], Any], address: str) -> None:
    page = opened(browser, address, clerk, permissions=["clipboard-read", "clipboard-write"])
    keys = page.keyboard
    said(page, "marie iverson", 4)
    assert page.locator("#found mark.nearly").all_inner_texts() == ["Iversen", "Iversen", "Iversen", "iversen"]
    keys.press("Control+a")
    said(page, "wt 11667", 2)
    page.locator("#found-list strong", has_text="#WT-11667").wait_for()
    assert page.evaluate(STANDS) == ["#WT-11667 Marie Iversen", "Yes, the money is here."]
    keys.press("Control+c")
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "Yes, the money is here. 58.30 EUR of 2 Mar, matched by the order number"
    )
    keys.press("ArrowDown")
    assert page.evaluate(STANDS) == ["M. IVERSEN und T. Iversen", "Yes, the money is here and booked."]
    keys.press("ArrowUp")
    keys.press("Tab")
    page.locator("#found a[data-kind=orders][aria-current]").wait_for()
    assert page.locator("#found a[data-result]").count() == 1
    keys.press("Enter")
    page.wait_for_url("**/orders/WT-11667")


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_dialog_is_accessible_and_fits(
    clerk: Person, browser: Callable[[], Any], address: str, scheme: str, width: int
) -> None:
    page = opened(
        browser, address, clerk, color_scheme=scheme, viewport={"width": width, "height": 900}, locale="de-DE"
    )
    said(page, "marie iversen", 4)
    page.evaluate(AXE.read_text())
    assert page.evaluate(CHECK, [scheme, STANDARD]) == []
    if pictures := os.environ.get("PICTURES"):
        page.screenshot(path=f"{pictures}/find-{scheme}-{width}.png")
        page.goto(f"/shops/{clerk.shop.id}/find?q=marie+iversen")
        page.screenshot(path=f"{pictures}/page-{scheme}-{width}.png")
