"""Pages in the system's own colours, on paper and in windows between phone and desk."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

import pikepdf
import pytest

from tests.area.conftest import Person, page_of

CHOSEN: Final = """() => [...document.querySelectorAll("a[aria-current], .q-row[aria-current] a")]
    .filter((each) => each.checkVisibility() && (innerWidth > 960 || !each.closest(".q-row, .q-pick"))).map((each) => {
        const look = (at) => { const is = getComputedStyle(at); return [is.backgroundColor, is.borderBottomColor,
            is.borderLeftColor].join(); };
        const row = each.closest("li") ?? each, around = row.parentElement;
        const others = [...around.querySelectorAll("a:not([aria-current])")].filter((at) => at.checkVisibility()
            && at !== each && at.className === each.className);
        return [each.innerText.trim().split("\\n")[0], others.some((at) => look(at) === look(each))];
    })"""
"""Of each place that is chosen: its words, and whether another one beside it looks the same. On phones each posting is
a card."""
SCALES: Final = """() => [...document.querySelectorAll("svg.chart:not(.shares)")]
    .filter((each) => each.checkVisibility())
    .map((each) => each.getBoundingClientRect().width / each.viewBox.baseVal.width)"""
"""How much larger than drawn each chart is shown, and with it its words."""
ON_PAPER: Final = """() => {
    const shown = (what) => [...document.querySelectorAll(what)].filter((at) => at.checkVisibility()).length;
    const table = document.querySelector("table.rows");
    const pressed = shown(".side, .tabbar, .btn, .tools, .crumbs, textarea, .action, dialog");
    return [pressed, table ? getComputedStyle(table).display : ""];
}"""

pytestmark = pytest.mark.browser


def test_what_is_chosen_is_told_in_the_systems_own_colours(
    filled: Person, address: str, browser: Callable[[], Any]
) -> None:
    chromium = browser()
    told: dict[str, bool] = {}
    for width in (1400, 390):
        page = page_of(chromium, address, filled, forced_colors="active", viewport={"width": width, "height": 900})
        for path in ("overview", "orders", "postings", "reminders/texts", "settings", "refunds?status=PLANNED"):
            page.goto(f"/shops/{filled.shop.id}/{path}")
            found = page.evaluate(CHOSEN)
            assert found, path
            told |= {f"{width} {path} {words}": same for words, same in found}
    assert [place for place, same in told.items() if same] == []


@pytest.mark.parametrize("width", [1400, 1000, 700, 390])
def test_words_of_charts_are_as_large_as_those_around(
    filled: Person, address: str, browser: Callable[[], Any], width: int
) -> None:
    page = page_of(browser(), address, filled, viewport={"width": width, "height": 900})
    for path in ("overview", "reports", "callbacks"):
        page.goto(f"/shops/{filled.shop.id}/{path}")
        scales = page.evaluate(SCALES)
        assert scales, path
        assert [scale for scale in scales if not 0.7 < scale < 1.45] == [], path


def test_paper_holds_what_is_read_and_nothing_that_is_pressed(
    filled: Person, address: str, browser: Callable[[], Any]
) -> None:
    page = page_of(browser(), address, filled, color_scheme="dark", viewport={"width": 680, "height": 900})
    page.emulate_media(media="print")
    for path, table in (("orders", "table"), ("refunds", "table"), ("orders/10001", ""), ("postings", "table")):
        page.goto(f"/shops/{filled.shop.id}/{path}")
        pressed, display = page.evaluate(ON_PAPER)
        assert (path, pressed) == (path, 0)
        assert not table or display == table, path
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(25, 33, 45)", path
    page.goto(f"/shops/{filled.shop.id}/orders")
    with pikepdf.open(io.BytesIO(page.pdf(format="A4"))) as pdf:
        assert len(pdf.pages) == 1
