"""Every page of the merchant area in a real browser: axe-core finds nothing, nothing overflows, nothing is logged.

Which pages there are comes from the routes; what stands in their variable parts comes from the links of other pages,
so a page that no other one leads to is found, too.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.area.people.roles import Role
from paymatch.area.service import Service
from tests.area.conftest import Person
from tests.area.filled_shop import fill
from tests.usecases.refunds.refund_world import RefundWorld

AXE: Final = Path(__file__).parent / "axe" / "axe.min.js"
NOWHERE: Final = "/shops/0/overview"
OUTSIDE: Final = ("/login", "/operator/", "/account/password/reset/", NOWHERE)
TABS: Final = ("collective", "aside", "decided", "automatic")
LOOKS: Final = {"en": (("light", 1400), ("dark", 390)), "de": (("dark", 1400), ("light", 390))}
"""Each pair of language, scheme and width: a page breaks by one of them, or by two together."""
FILES: Final = frozenset({"order_invoice"})
"""Addresses that answer with a file."""
NOT_FILLED: Final = frozenset({"letter", "letter_run", "request"})
"""Pages of what the filled shop has none of: letters, and requests that came through the server in front."""
STANDARD: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
OF_LOOKS: Final = ("color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size")
"""The rules that depend on scheme and width; the others see the same in each look of a page."""
CHECK: Final = """async ([scheme, runOnly]) => {
    document.documentElement.dataset.bsTheme = scheme;
    const found = await axe.run({runOnly, resultTypes: ["violations"]});
    const root = document.documentElement;
    return found.violations.map((each) => `${each.id}: ${each.nodes.map((one) => one.html.slice(0, 160)).join(" ")}`)
        .concat(root.scrollWidth > root.clientWidth ? [`overflows by ${root.scrollWidth - root.clientWidth} px`] : []);
}"""

pytestmark = pytest.mark.browser


@pytest.fixture
def owner(world: RefundWorld, service: Service, sign_in: Callable[..., Person]) -> Person:
    """Owner of the filled shop, who is one of the operator's people, too."""
    person = sign_in(Role.OWNER, world.client.shop, staff=True, proven=True)
    fill(world, service, person)
    return person


def pages_of(owner: Person) -> list[str]:
    """An address of every page; what stands in its variable parts comes from the links of the others."""
    from django.urls import resolve

    from paymatch.area.page import PAGES

    base = f"/shops/{owner.shop.id}/"
    wanted = {page.name for page in PAGES} - FILES - NOT_FILLED
    waiting = deque(base + page.route for page in PAGES if "<" not in page.route)
    taken: dict[str, str] = {}
    while waiting:
        address = waiting.popleft()
        name = resolve(address.partition("?")[0]).url_name
        if name not in wanted or name in taken:
            continue
        answer = owner.get(address)
        assert answer.status_code == 200, address
        taken[name] = address
        links = [unescape(link) for link in re.findall(r'href="([^"#]+)"', answer.content.decode())]
        waiting += [link for link in links if link.startswith(base) and "format=" not in link]
    assert wanted - set(taken) == set(), "pages that no other page leads to"
    return [*taken.values(), *(f"{base}postings?tab={tab}" for tab in TABS)]


def test_every_page_is_accessible_and_fits(owner: Person, address: str, browser: Callable[[], Any]) -> None:
    paths = [*OUTSIDE, *pages_of(owner)]
    chromium, problems = browser(), []
    for language, looks in LOOKS.items():
        page = signed_in(chromium, address, owner, language)
        for path in paths:
            problems += [f"{language} {path} {problem}" for problem in problems_of(page, path, looks)]
    assert not problems, "\n".join(problems)


def problems_of(page: Any, path: str, looks: Sequence[tuple[str, int]]) -> list[str]:
    """What axe-core finds in the page as it looks in each scheme and width, and what the browser logs."""
    page.goto(path)
    page.evaluate(AXE.read_text())
    found = []
    for rules, (scheme, width) in zip((STANDARD, OF_LOOKS), looks, strict=True):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 1000})
        found += [f"{scheme} {width} {problem}" for problem in page.evaluate(CHECK, [scheme, rules])]
    if path != NOWHERE:  # the browser logs that it is not there
        found += [line.text for line in page.console_messages() if line.type in ("error", "warning")]
        found += [str(error) for error in page.page_errors()]
    page.clear_console_messages()
    page.clear_page_errors()
    return found


def signed_in(chromium: Any, address: str, person: Person, language: str) -> Any:
    """A page of a browser in which the person is signed in."""
    context = chromium.new_context(base_url=address, locale=f"{language}-DE", reduced_motion="reduce")
    cookie = person.client.cookies["paymatch_session"].value
    context.add_cookies([{"name": "paymatch_session", "value": cookie, "url": address}])
    return context.new_page()
