"""Reports with many columns: they fit a small laptop, and are cards of few lines on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.area.conftest import Person, page_of

pytestmark = pytest.mark.browser

SCROLLED = """() => [...document.querySelectorAll("main .scroll")].filter((at) => at.scrollWidth > at.clientWidth)
    .map((at) => at.scrollWidth - at.clientWidth)"""
LINES = (
    """() => [...document.querySelectorAll(".report-table tbody tr:not(.group, .sum)")].map((at) => at.offsetHeight)"""
)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("report", ["postings", "cash"])
def test_a_wide_report_fits_and_is_short_on_a_phone(
    report: str, language: str, filled: Person, browser: Callable[[], Any], address: str
) -> None:
    page = page_of(browser(), address, filled, locale=f"{language}-DE", reduced_motion="reduce")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"/shops/{filled.shop.id}/reports/{report}")
    assert page.locator(".report-table tbody tr").count() >= 1
    assert page.evaluate(SCROLLED) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(SCROLLED) == []
    assert max(page.evaluate(LINES)) <= 180
