"""Menus in a real browser: each opens within the window, and nothing covers or cuts what it offers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.area.conftest import Person, page_of

MENUS: Final = (
    (1400, "orders", ".person-menu > summary"),
    (1400, "orders", ".columns-menu > summary"),
    (1400, "postings", ".q-more > summary"),
    (390, "orders", ".tabbar summary"),
    (390, "postings?tab=decided", ".q-more > summary"),
)
REACHED: Final = """(summary) => {
    const drop = summary.parentElement.querySelector(".drop");
    const offered = [...drop.querySelectorAll("a, button, label")].filter((each) => each.checkVisibility());
    const missed = offered.filter((each) => {
        each.scrollIntoView({block: "nearest"});
        const box = each.getBoundingClientRect();
        const hit = (x) => each.contains(document.elementFromPoint(x, box.top + box.height / 2));
        return !hit(box.left + 12) || !hit(box.right - 4);
    });
    return offered.length ? missed.map((each) => each.innerText.trim() || each.outerHTML.slice(0, 80)) : ["nothing"];
}"""

SMALL: Final = """() => [...document.querySelectorAll("a[href]:not(.skip), button, summary")].filter((each) => {
    const box = each.getBoundingClientRect();
    const within_text = getComputedStyle(each).display === "inline" || each.closest("td");
    return each.checkVisibility() && !within_text && (box.width < 24 || box.height < 24);
}).map((each) => each.outerHTML.slice(0, 80))"""
"""What is less than 24 px wide or high and stands alone: links and buttons outside of sentences and tables."""
COVERED: Final = """() => {
    const at = document.activeElement, bar = document.querySelector(".tabbar");
    const below = at.getBoundingClientRect().bottom > bar.getBoundingClientRect().top && !at.matches(".scroll");
    return at === document.body ? "end" : below && !bar.contains(at) ? at.outerHTML.slice(0, 80) : "";
}"""
"""What has the focus and lies under the bar of a small screen; "end" behind the last element. Of a table that can be
scrolled the beginning is seen."""
PAGES: Final = ("overview", "orders", "postings/rules", "reports", "developers", "settings")

pytestmark = pytest.mark.browser


def test_what_a_menu_offers_is_reached(filled: Person, address: str, browser: Callable[[], Any]) -> None:
    context = browser().new_context(base_url=address, reduced_motion="reduce", locale="de-DE")
    cookie = filled.client.cookies["paymatch_session"].value
    context.add_cookies([{"name": "paymatch_session", "value": cookie, "url": address}])
    page, missed = context.new_page(), []
    for width, path, summary in MENUS:
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"/shops/{filled.shop.id}/{path}")
        menu = page.locator(summary)
        menu.click()
        missed += [f"{width} {path} {summary}: {each}" for each in menu.evaluate(REACHED)]
    assert missed == []


def test_what_is_pressed_is_large_enough(filled: Person, address: str, browser: Callable[[], Any]) -> None:
    page = page_of(browser(), address, filled, viewport={"width": 1400, "height": 900})
    small = {}
    for path in PAGES:
        page.goto(f"/shops/{filled.shop.id}/{path}")
        small[path] = page.evaluate(SMALL)
    assert small == {path: [] for path in PAGES}


def test_the_bar_of_a_small_screen_covers_nothing_that_has_the_focus(
    filled: Person, address: str, browser: Callable[[], Any]
) -> None:
    page = page_of(browser(), address, filled, viewport={"width": 390, "height": 700}, reduced_motion="reduce")
    covered = []
    for path in ("orders", "refunds", "settings"):
        page.goto(f"/shops/{filled.shop.id}/{path}")
        for _step in range(120):
            page.keyboard.press("Tab")
            found = page.evaluate(COVERED)
            if found == "end":
                break
            covered += [f"{path}: {found}"] * bool(found)
    assert covered == []
