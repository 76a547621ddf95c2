"""The API reference in a real browser: axe-core finds nothing, nothing overflows, nothing is blocked or logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from wsgiref.simple_server import make_server

import pytest

from paymatch.api.openapi.document import document
from paymatch.clock import utc_now
from paymatch.pages import Pages
from paymatch.store.database import Database
from tests.fakes.serving import BrowserServer, QuietHandler, serving
from tests.keys import KEYRING
from tests.length import some

AXE: Final = Path(__file__).parents[1] / "area" / "axe" / "axe.min.js"
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PATHS: Final = (
    "/docs", "/docs/orders", "/docs/refunds", "/docs/collection", "/docs/invoices-and-images", "/docs/postings",
    "/docs/events-and-callbacks", "/docs/reports", "/docs/sandbox", "/docs/objects", "/docs/objects/order",
    "/docs/objects/report", "/docs/search?q=refund",
)  # fmt: skip
LOOKS: Final = ((("light", 1280), ("dark", 390)), (("dark", 1280), ("light", 390)))
"""Each page in two of its four looks, in turn: what pages share is seen in all of them."""
CHECK: Final = """async (runOnly) => {
    for (const each of document.querySelectorAll("details")) each.open = true;
    const found = await axe.run({runOnly, resultTypes: ["violations"]});
    const root = document.documentElement;
    return found.violations.map((each) => `${each.id}: ${each.nodes.map((one) => one.html.slice(0, 160)).join(" ")}`)
        .concat(root.scrollWidth > root.clientWidth ? [`overflows by ${root.scrollWidth - root.clientWidth} px`] : [])
        .concat(root.scrollHeight > 40000 ? [`${root.scrollHeight} px long`] : []);
}"""

pytestmark = pytest.mark.browser


@pytest.fixture
def address(module_url: str) -> Iterator[str]:
    database = Database(module_url, size=1, keyring=KEYRING)
    server = make_server(
        "127.0.0.1", 0, Pages(database, utc_now, None, document), server_class=BrowserServer, handler_class=QuietHandler
    )
    with serving(server) as url:
        yield url
    database.close()


def test_every_page_is_accessible_and_fits_and_loads_all_it_asks_for(address: str, browser: Callable[[], Any]) -> None:
    page = browser().new_context(base_url=address, reduced_motion="reduce").new_page()
    problems: list[str] = []
    page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
    page.on(
        "response", lambda answer: problems.append(f"{answer.status} {answer.url}") if answer.status > 399 else None
    )
    for turn, path in enumerate(some(PATHS, 4)):
        page.goto(path)
        page.evaluate(AXE.read_text())
        for scheme, width in LOOKS[turn % 2]:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            problems += [f"{path} {scheme} {width} {each}" for each in page.evaluate(CHECK, RULES)]
    problems += [line.text for line in page.console_messages() if line.type in ("error", "warning")]
    problems += [str(error) for error in page.page_errors()]
    assert not problems, "\n".join(problems)


def test_examples_have_the_readers_address_and_key_and_the_search_follows_the_typing(
    address: str, browser: Callable[[], Any]
) -> None:
    context = browser().new_context(base_url=address)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/docs/refunds")
    page.fill("#key", "pm_key'; x")
    page.get_by_role("button", name="Copy: Call, List refunds").click()
    page.get_by_role("button", name="Copy: Call, List refunds").get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f'curl "{address}/api/v2/refunds" \\\n  -H "X-Service-API-Key: pm_keyx"'
    assert "pm_key" not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    page.keyboard.press("/")
    page.keyboard.type("order.duedate")
    hit = page.locator("#found a[href='/docs/objects/order#order-dueDate']")
    hit.wait_for()
    assert not page.locator("#page").is_visible()
    hit.click()
    page.wait_for_url("**/docs/objects/order#order-dueDate")
    assert page.locator("tr:target").inner_text().startswith("dueDate")


def test_an_error_is_opened_where_its_address_leads(address: str, browser: Callable[[], Any]) -> None:
    page = browser().new_context(base_url=address).new_page()
    page.goto("/docs/refunds#createRefund-errors")
    assert page.get_by_text("Planned date must be in the future").first.is_visible()
