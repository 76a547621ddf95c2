"""The clerk's morning in a real browser, by keyboard alone; and two clerks at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import Role
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import Message
from tests.area.conftest import Person
from tests.contract.client import Clock
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

POSTINGS = 20

pytestmark = pytest.mark.browser


@pytest.fixture
def clerks(books: Books, sign_in: Callable[..., Person]) -> tuple[Person, Person]:
    """Two clerks of the shop; made before the browser starts, in whose loop Django refuses to work."""
    return sign_in(Role.CLERK, books.shop), sign_in(Role.CLERK, books.shop)


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
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    page = opened(browser(), address, clerks[0])
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


def test_two_clerks_at_once(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    first, second = clerks
    chromium = browser()
    one, other = opened(chromium, address, first), opened(chromium, address, second)
    one.keyboard.press("Enter")
    one.locator(".q-toast").wait_for()
    booked = books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1")
    other.keyboard.press("Enter")
    other.get_by_text(f"{first.email} has decided this posting meanwhile.").wait_for()
    assert books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1") == booked
