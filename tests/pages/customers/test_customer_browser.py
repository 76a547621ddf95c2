"""The order's own page in a real browser: axe-core finds nothing, nothing overflows, values can be copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from wsgiref.simple_server import make_server

import pytest

from paymatch.api.openapi.document import document
from paymatch.clock import utc_now
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.outbound.files import DirectoryFiles
from paymatch.pages import Pages
from paymatch.store.database import Database
from tests.contract.client import Clock
from tests.fakes.serving import BrowserServer, QuietHandler, serving
from tests.formats.codes.png import read_code
from tests.keys import KEYRING
from tests.pages.customers.page_world import Customer
from tests.usecases.refunds.refund_world import RefundWorld

AXE: Final = Path(__file__).parents[2] / "area" / "axe" / "axe.min.js"
RULES: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
LOOKS: Final = (("light", 390), ("dark", 1280))
NARROW: Final = 320
OVERFLOWS: Final = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
CHECK: Final = """async (runOnly) => {
    const found = await axe.run({runOnly, resultTypes: ["violations"]});
    const root = document.documentElement;
    return found.violations.map((each) => `${each.id}: ${each.nodes.map((one) => one.html.slice(0, 160)).join(" ")}`)
        .concat(root.scrollWidth > root.clientWidth ? [`overflows by ${root.scrollWidth - root.clientWidth} px`] : []);
}"""

pytestmark = pytest.mark.browser


@pytest.fixture
def customer(migrated_url: str, tmp_path: Path) -> Iterator[Customer]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    world = RefundWorld(database, tmp_path, clock=Clock())
    world.client.change(
        accent="#f2c200", contact_email="help@shop.example", contact_phone="+49 30 901820",
        website="https://shop.example", legal_footer="Shop GmbH\nAm Markt 1",
    )  # fmt: skip
    yield Customer(world, DirectoryFiles(tmp_path))
    database.close()


@pytest.fixture
def address(customer: Customer) -> Iterator[str]:
    """The pages on a port of this machine."""
    static = Pages(customer.world.database, utc_now, None, document)

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        return (customer.pages if environ["PATH_INFO"].startswith("/p/") else static)(environ, start_response)

    server = make_server("127.0.0.1", 0, answer, server_class=BrowserServer, handler_class=QuietHandler)
    with serving(server) as url:
        yield url


def test_the_page_is_accessible_and_fits_in_every_language(
    customer: Customer, address: str, browser: Callable[[], Any]
) -> None:
    customer.world.paid("A-1", 4_000, amount=100)
    customer.world.paid("A-2", 10_000, amount=100, account="")
    customer.world.file("A-2", 30)
    opened, asking = customer.link("A-1"), customer.link("A-2")
    problems: list[str] = []
    context = browser().new_context(base_url=address, bypass_csp=False, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    for place, language in enumerate(LANGUAGES):
        for path in (opened, asking):
            page.goto(f"{path}?lang={language}")
            page.evaluate(AXE.read_text())
            scheme, width = LOOKS[(place + (path == opened)) % 2]
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            problems += [f"{language} {scheme} {width} {each}" for each in page.evaluate(CHECK, RULES)]
            page.set_viewport_size({"width": NARROW, "height": 800})
            problems += [f"{language} overflows at {NARROW} px"] * page.evaluate(OVERFLOWS)
    problems += [line.text for line in page.console_messages() if line.type in ("error", "warning")]
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{opened}?lang=en")
    assert page.locator("dt:text-is('IBAN')").bounding_box()["y"] < 800, "the account is on the first screen of a phone"
    page.click("img.code")
    assert page.locator("img.code").bounding_box()["width"] >= 300, "a code that another phone can read"
    with page.expect_download() as kept:
        page.click("a[href$=payment-code]")
    assert read_code(Path(kept.value.path()).read_bytes()).startswith("BCD")
    page.goto(f"{asking}?lang=en")
    page.emulate_media(media="print")
    assert page.locator("#account, button, a[href*=wrong-person]").filter(visible=True).count() == 0, "on paper"
    page.emulate_media(media="screen")
    page.fill("[name=holder]", "Erika Müller")
    page.fill("[name=iban]", "AT61 1904 3002 3457 3201")
    with page.expect_navigation():  # the page that comes is looked at, with its style
        page.click("#account button")
    page.evaluate(AXE.read_text())
    problems += page.evaluate(CHECK, RULES)
    with page.expect_navigation():
        page.click("button[value=confirm]")
    assert "Thank you! We have your bank details" in page.inner_text("main")
    page.goto(f"{opened}?lang=en")
    page.click("button[aria-label='Copy: IBAN']")
    page.wait_for_selector(".copied button[aria-label=Copied]")
    assert page.evaluate("navigator.clipboard.readText()") == "DE89370400440532013000"
    assert not problems, "\n".join(problems)


def test_text_of_twice_the_size_grows_as_a_whole_and_fits(
    customer: Customer, address: str, browser: Callable[[], Any]
) -> None:
    """Readers set a larger type in their browser: account and reference grow with the rest, nothing is cut."""
    customer.world.paid("A-1", 4_000, amount=100)
    opened = customer.link("A-1")
    page = browser().new_context(base_url=address, reduced_motion="reduce").new_page()
    page.set_viewport_size({"width": NARROW, "height": 800})
    shown = ".value, .hint, dt, .what, button"
    sizes = f"[...document.querySelectorAll('{shown}')].map((at) => parseFloat(getComputedStyle(at).fontSize))"
    for language in LANGUAGES:
        page.goto(f"{opened}?lang={language}")
        usual = page.evaluate(sizes)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate(sizes) == pytest.approx([2 * each for each in usual])
        assert not page.evaluate(OVERFLOWS), language
