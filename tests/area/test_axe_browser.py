"""Every page of the merchant area in a real browser: axe-core finds nothing, nothing overflows, nothing is logged.

The suite looks at some pages once, in one language, scheme and width, in turn from page to page: what pages share is
seen in all of them. `make pages` and `make long` look at all eight of each page, loaded once for a language.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.area.conftest import Person, page_of
from tests.area.every_page import NOWHERE, OUTSIDE
from tests.length import some

AXE: Final = Path(__file__).parent / "axe" / "axe.min.js"
EVERY_LOOK: Final = "PAGES_IN_EVERY_LOOK" in os.environ
MOST: Final = 16
"""Pages that the suite looks at; those of a kind follow each other, so that there are some of each kind."""
STANDARD: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
LANGUAGES: Final = ("de", "en")
Look = tuple[str, int]
LOOKS: Final[tuple[Look, ...]] = (("light", 1400), ("dark", 1400), ("light", 390), ("dark", 390))
CHECK: Final = """async ([scheme, rules]) => {
    document.documentElement.dataset.bsTheme = scheme;
    const more = {"landmark-unique": {enabled: true}};
    const found = await axe.run({runOnly: rules, rules: more, resultTypes: ["violations"]});
    const root = document.documentElement;
    return found.violations.map((each) => `${each.id}: ${each.nodes.map((one) => one.html.slice(0, 160)).join(" ")}`)
        .concat(root.scrollWidth > root.clientWidth ? [`overflows by ${root.scrollWidth - root.clientWidth} px`] : []);
}"""
SHOWN: Final = """() => {
    const main = document.querySelector("main"), root = document.documentElement;
    const wide = [...main.querySelectorAll("*")].filter((at) => at.getBoundingClientRect().right > root.clientWidth);
    const named = wide.slice(0, 5).map((at) => `${at.tagName} ${at.textContent.trim().slice(0, 40)}`);
    const title = main.querySelector("h1")?.innerText ?? "";
    const shown = [...document.querySelectorAll(".chips a, .btn")].filter((at) => at.checkVisibility());
    const cut = shown.filter((at) => at.scrollWidth > at.clientWidth + 1);
    return [title, main.innerText, root.scrollWidth > root.clientWidth ? named : [], cut.map((at) => at.innerText)];
}"""
BEYOND: Final = """() => {
    const root = document.documentElement, right = (at) => at.getBoundingClientRect().right;
    const beyond = [...document.querySelectorAll("main table.rows, .q-keys > *")].filter((at) => {
        const card = at.closest(".scroll, .q-card-table, .q-keys");
        const hides = getComputedStyle(card).overflowX === "auto" && !card.matches(".q-card-table");
        return right(at) > right(card) + 1 && !hides;
    });
    const wide = root.scrollWidth > root.clientWidth ? [`page by ${root.scrollWidth - root.clientWidth} px`] : [];
    return [...wide, ...beyond.map((at) => `${at.tagName} ${at.textContent.trim().slice(0, 40)}`)];
}"""
"""What stands out of its place: the page, a table that is not scrolled in its card, or a hint of a key."""

pytestmark = pytest.mark.browser


@pytest.fixture
def paths(filled: Person, filled_pages: dict[str, str]) -> list[str]:
    """An address of every page."""
    return [*OUTSIDE, *filled_pages.values()]


def test_every_page_is_accessible_and_fits(
    filled: Person, paths: list[str], address: str, browser: Callable[[], Any]
) -> None:
    chromium, problems = browser(), []
    for language in LANGUAGES:
        page = page_of(chromium, address, filled, locale=f"{language}-DE", reduced_motion="reduce")
        for number, path in enumerate(paths if EVERY_LOOK else some(paths, MOST)):
            looks = looks_of(number, language)
            if looks:
                problems += [f"{language} {path} {each}" for each in problems_of(page, path, looks)]
    assert not problems, "\n".join(problems)


def looks_of(number: int, language: str) -> Sequence[Look]:
    """How the page of this number is looked at in a language: in all looks, or in one if it is the language's turn."""
    if EVERY_LOOK:
        return LOOKS
    turn, place = divmod(number, len(LANGUAGES))
    return LOOKS[turn % len(LOOKS) :][:1] if LANGUAGES[place] == language else ()


def problems_of(page: Any, path: str, looks: Sequence[Look]) -> list[str]:
    """What axe-core finds in the page as it looks in each scheme and width, and what the browser logs."""
    page.goto(path)
    page.evaluate(AXE.read_text())
    found = []
    for scheme, width in looks:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 1000})
        found += [f"{scheme} {width} {problem}" for problem in page.evaluate(CHECK, [scheme, STANDARD])]
    if path != NOWHERE:  # the browser logs that it is not there
        found += [line.text for line in page.console_messages() if line.type in ("error", "warning")]
        found += [str(error) for error in page.page_errors()]
    page.clear_console_messages()
    page.clear_page_errors()
    return found


def test_a_small_laptop_shows_german_pages_whole(filled: Person, address: str, browser: Callable[[], Any]) -> None:
    viewport = {"width": 1280, "height": 1000}
    page = page_of(browser(), address, filled, viewport=viewport, locale="de-DE", reduced_motion="reduce")
    problems = []
    for path in ("postings", "refunds/files", "callbacks"):
        page.goto(f"/shops/{filled.shop.id}/{path}")
        problems += [f"{path}: {each}" for each in page.evaluate(BEYOND)]
    page.goto(f"/shops/{filled.shop.id}/refunds/files")
    scrolls = page.locator(".list-scroll").evaluate("(list) => list.scrollWidth - list.clientWidth")
    assert scrolls <= 0, "what can be done with a file is seen without scrolling"
    assert not problems, "\n".join(problems)


def test_every_page_is_read_without_javascript_on_a_small_screen(
    filled: Person, paths: list[str], address: str, browser: Callable[[], Any]
) -> None:
    viewport = {"width": 320, "height": 800}
    page = page_of(browser(), address, filled, java_script_enabled=False, viewport=viewport, locale="de-DE")
    problems = []
    for path in some(paths, MOST):
        page.goto(path)
        title, text, too_wide, cut = page.evaluate(SHOWN)
        if not title or len(text) <= len(title) or too_wide or cut:
            told = f"title {title!r}, {len(text)} characters, too wide: {too_wide}, wider than their place: {cut}"
            problems.append(f"{path}: {told}")
    assert not problems, "\n".join(problems)
