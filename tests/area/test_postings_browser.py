"""The clerk's morning in a real browser, by keyboard alone; and two clerks at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from paymatch.area.application import Area
from paymatch.area.people.roles import Role
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import Message
from tests.area.conftest import Person
from tests.contract.client import Clock
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

CHROMIUM = Path("/usr/bin/chromium")
POSTINGS = 20

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium here")]


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def address(service: Service) -> Iterator[str]:
    """The area on a port of this machine."""
    server = make_server("127.0.0.1", 0, Area(service).load(), handler_class=_Quiet)

    def serve() -> None:
        from django.db import connections

        server.serve_forever(poll_interval=0.05)
        connections.close_all()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def clerks(books: Books, sign_in: Callable[..., Person]) -> tuple[Person, Person]:
    """Two clerks of the shop; made before the browser starts, in whose loop Django refuses to work."""
    return sign_in(Role.CLERK, books.shop), sign_in(Role.CLERK, books.shop)


@pytest.fixture
def chromium(clerks: tuple[Person, Person]) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def books(service: Service, new_shop: Callable[..., Shop], area_clock: Clock) -> Books:
    """Twenty payments, each of which two orders may be for."""
    found = Books(service.database, new_shop(ibans=[ACCOUNT]), now=area_clock.now)
    for place in range(POSTINGS):
        for order in "12":
            found.order(f"SO-47{place:02}{order}", f"{30 + place}.00")
    found.bring(camt(Message.STATEMENT, *(paid(3000 + 100 * place, f"Muster {place}") for place in range(POSTINGS))))
    return found


def opened(chromium: Any, address: str, person: Person) -> Any:
    """The person's page of postings."""
    context = chromium.new_context(base_url=address)
    cookie = person.client.cookies["paymatch_session"].value
    context.add_cookies([{"name": "paymatch_session", "value": cookie, "url": address}])
    page = context.new_page()
    page.goto(f"/shops/{person.shop.id}/postings")
    return page


def test_twenty_postings_take_twenty_keys(
    clerks: tuple[Person, Person], chromium: Any, address: str, books: Books
) -> None:
    page = opened(chromium, address, clerks[0])
    keys = 0
    for left in range(POSTINGS, 0, -1):
        page.locator(".q-tabs [aria-current] .q-count", has_text=str(left)).wait_for()
        page.keyboard.press("Enter")
        keys += 1
    page.get_by_role("heading", name="Done for today").wait_for()
    matched = "SELECT count(*) FROM postings WHERE shop_id = $1 AND status = 'matched' AND by_hand"
    assert (keys, books.rows(matched)) == (POSTINGS, [(POSTINGS,)])
    page.keyboard.press("u")
    page.get_by_text("Undone.").wait_for()
    assert books.rows(matched) == [(POSTINGS - 1,)]
    books.sound()


def test_two_clerks_at_once(clerks: tuple[Person, Person], chromium: Any, address: str, books: Books) -> None:
    first, second = clerks
    one, other = opened(chromium, address, first), opened(chromium, address, second)
    one.keyboard.press("Enter")
    one.locator(".q-toast").wait_for()
    booked = books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1")
    other.keyboard.press("Enter")
    other.get_by_text(f"{first.email} has decided this posting meanwhile.").wait_for()
    assert books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1") == booked
