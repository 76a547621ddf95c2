"""The clerk's morning in a real browser, by keyboard alone; and two clerks at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import CamtMessage
from tests.area.conftest import Person, page_of
from tests.contract.client import Clock
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

POSTINGS = 20
BY_HAND = "SELECT count(*) FROM postings WHERE shop_id = $1 AND status = 'matched' AND by_hand"
ASIDE = "SELECT aside_reason FROM postings WHERE shop_id = $1 AND aside_reason <> '' ORDER BY id"

pytestmark = pytest.mark.browser


@pytest.fixture
def clerks(books: Books, sign_in: Callable[..., Person]) -> tuple[Person, Person]:
    """Two clerks of the shop; made before the browser starts, in whose loop Django refuses to work."""
    return sign_in(TeamRole.CLERK, books.shop), sign_in(TeamRole.CLERK, books.shop)


@pytest.fixture
def books(service: Service, new_shop: Callable[..., Shop], area_clock: Clock) -> Books:
    """Twenty payments, each of which two orders may be for."""
    found = Books(service.database, new_shop(ibans=[ACCOUNT]), now=area_clock.now)
    for place in range(POSTINGS):
        for order in "12":
            found.order(f"SO-47{place:02}{order}", f"{30 + place}.00")
    found.bring(
        camt(CamtMessage.STATEMENT, *(paid(3000 + 100 * place, f"Muster {place}") for place in range(POSTINGS)))
    )
    return found


def opened(chromium: Any, address: str, person: Person) -> Any:
    """The person's page of postings."""
    page = page_of(chromium, address, person)
    page.goto(f"/shops/{person.shop.id}/postings")
    return page


def test_twenty_postings_take_twenty_keys(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    """None of them is lost, however fast they are pressed: those that come early wait for the step before."""
    page = opened(browser(), address, clerks[0])
    for _ in range(POSTINGS):
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Done for today").wait_for()
    assert page.evaluate("document.activeElement.id") == "main"
    assert books.rows(BY_HAND) == [(POSTINGS,)]
    page.locator(".nav-list [data-jump='p'] .count").wait_for(state="detached")
    page.keyboard.press("u")
    page.get_by_text("Undone.").wait_for()
    assert books.rows(BY_HAND) == [(POSTINGS - 1,)]
    books.sound()


def test_the_posting_that_comes_has_the_focus_and_is_booked_by_enter(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    page = opened(browser(), address, clerks[0])
    here = page.locator(".q-scroll:focus")
    page.keyboard.press("j")
    here.wait_for()
    heading = page.locator("#q-shown")
    assert (here.get_attribute("role"), here.get_attribute("aria-labelledby")) == ("group", "q-shown")
    amount = page.locator(".q-amount").inner_text().removesuffix("EUR").strip()
    assert heading.inner_text().endswith("Eva Muster")
    assert page.title() == f"{amount} EUR Eva Muster · Postings to decide · {books.shop.name}"

    page.locator(".q-row:nth-child(5) .q-link").focus()  # as by Tab
    page.keyboard.press("Enter")
    page.locator(".q-row:nth-child(5)[aria-current]").wait_for()
    here.wait_for()
    page.keyboard.press("Enter")
    page.locator(".q-toast", has_text="EUR booked to").wait_for()
    here.wait_for()
    page.keyboard.press("u")
    page.get_by_text("Undone.").wait_for()
    here.wait_for()
    page.locator("[data-key='j']").focus()
    page.keyboard.press("Enter")
    page.locator("[data-key='j']:focus").wait_for()  # who moves by a button stays on it


def test_what_is_typed_ahead_reaches_the_field_that_it_opens(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    from playwright.sync_api import expect

    page = opened(browser(), address, clerks[0])
    for key in ("2", "s", *"12.50"):
        page.keyboard.press(key)
    expect(page.locator("[name=credited]")).to_have_value("12.50")
    for key in ("Escape", "Escape", "Enter", "u"):
        page.keyboard.press(key)
    page.get_by_text("Undone.").wait_for()
    assert books.rows(BY_HAND) == [(0,)]


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
    other.get_by_text(f"{first.email} has already decided this posting. Nothing was changed.").wait_for()
    assert books.rows("SELECT posting_id, order_number FROM allocations WHERE shop_id = $1") == booked


def test_every_key_of_the_queue(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    books.order("SO-9901", "80.00", billing={"lastName": "Halt", "countryCode": "DE"})
    books.bring(
        camt(CamtMessage.STATEMENT, paid(7850, "Gutschrift", counterparty_name="Plaza"), opening=79_000, number=2)
    )
    page = opened(browser(), address, clerks[0])
    keys, amount = page.keyboard, page.locator(".q-amount")
    for key, row in (("j", 2), ("j", 3), ("k", 2)):
        keys.press(key)
        page.locator(f".q-row:nth-child({row})[aria-current]").wait_for()
    for place in "21":
        keys.press(place)
        page.locator(f"tr.q-chosen .q-pick[data-key='{place}']").wait_for()
    keys.press("?")
    page.locator("#q-help[open]").wait_for()
    keys.press("Escape")
    page.locator("#q-help[open]").wait_for(state="detached")

    keys.press("/")
    keys.type("Muster 7")
    keys.press("Enter")
    amount.get_by_text("37.00").wait_for()
    keys.press("c")
    page.locator("#q-said:focus").wait_for()
    keys.type("asked the customer")
    keys.press("Tab")
    keys.press("Enter")
    page.locator(".q-comments", has_text="asked the customer").wait_for()
    page.locator(".q-scroll:focus").wait_for()  # what had the focus is gone: the hands stay on the posting

    keys.press("s")
    page.locator("#q-split").wait_for()
    keys.press("Control+a")
    keys.type("20.00")
    page.locator("#q-left", has_text="17.00 left").wait_for()
    keys.press("Escape")
    keys.press("x")
    page.locator("#q-reason:focus").wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    keys.press("Escape")
    page.locator("#q-aside[open]").wait_for(state="detached")
    assert asked == [], "the split was left"
    assert (page.locator("#q-aside[open]").count(), page.locator("[name=credited]").input_value()) == (0, "20.00")
    keys.press("Escape")
    page.locator("#q-split").wait_for(state="detached")
    assert books.rows(BY_HAND) == [(0,)]

    keys.press("s")
    page.locator("#q-split").wait_for()
    keys.press("Control+a")
    keys.type("37.00")
    keys.press("Enter")
    page.locator(".q-toast", has_text="37.00 EUR booked to").wait_for()
    assert books.rows(BY_HAND) == [(1,)]
    keys.press("u")
    page.get_by_text("Undone.").wait_for()
    assert books.rows(BY_HAND) == [(0,)]

    keys.press("/")
    keys.press("Control+a")
    keys.type("Plaza")
    keys.press("Enter")
    amount.get_by_text("78.50").wait_for()
    keys.press("1")  # the nearest order, as no candidate was found
    page.locator("[name=credited]:focus").wait_for()
    assert page.locator("[name=part]").get_attribute("value") == "SO-9901"
    keys.press("Escape")
    keys.press("Escape")
    page.locator("#q-split").wait_for(state="detached")
    keys.press("s")
    page.locator("#q-find:focus").wait_for()
    keys.type("SO-9901")
    keys.press("Enter")
    page.locator(".q-found .btn:focus", has_text="SO-9901").wait_for()
    keys.press("Enter")
    page.locator("[name=credited]:focus").wait_for()
    keys.press("f")
    page.locator("#q-withheld", has_text="1.50").wait_for()
    keys.press("Enter")
    page.locator(".q-toast", has_text="78.50 EUR booked to").wait_for()
    withheld = "SELECT order_number, amount_minor, withheld_minor FROM allocations WHERE shop_id = $1"
    assert books.rows(withheld) == [("SO-9901", 7850, 150)]
    books.sound()


def test_reasons_have_keys_and_numbers_are_asked_for(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    """X and a digit, X X as last time, and O for the rule that is offered then; N shows the strength in numbers."""
    page = opened(browser(), address, clerks[0])
    number = page.locator(".q-evidence tfoot .q-number").first
    assert not number.is_visible()
    page.keyboard.press("n")
    number.wait_for()
    page.keyboard.press("x")
    page.keyboard.press("3")
    page.locator(".q-toast").wait_for()
    assert books.rows(ASIDE) == [("Card settlement",)]
    page.keyboard.press("x")
    page.keyboard.press("x")
    offered = page.locator("[data-offered-rule]")
    offered.wait_for()
    assert books.rows(ASIDE) == [("Card settlement",), ("Card settlement",)]
    page.keyboard.press("o")
    page.get_by_role("heading", name="Always do this").wait_for()


def test_a_clerk_on_a_phone_decides_from_the_cards(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    """Books, sets aside with a usual or another reason, splits and opens; and takes it back."""
    page = page_of(browser(), address, clerks[0])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/shops/{clerks[0].shop.id}/postings")
    cards = page.locator(".q-row")
    cards.nth(0).get_by_label("Set aside the posting of").click()
    cards.nth(0).get_by_role("button", name="Asked the customer").click()
    page.locator(".q-toast", has_text="set aside").wait_for()
    assert books.rows(ASIDE) == [("Asked the customer",)]
    page.locator(".q-toast").get_by_role("button", name="Undo").click()
    page.wait_for_url("**/postings/*")
    assert books.rows(ASIDE) == []
    page.get_by_role("link", name="All postings").click()
    cards.nth(1).get_by_role("button", name="Book to").click()
    page.locator(".q-toast", has_text="booked to").wait_for()
    assert books.rows(BY_HAND) == [(1,)]
    cards.nth(0).get_by_label("Set aside the posting of").click()
    cards.nth(0).get_by_role("link", name="Another reason").click()
    page.locator("#q-aside[open] #q-reason").fill("asks the bank")
    page.locator("#q-aside[open]").get_by_role("button", name="Set aside", exact=True).click()
    page.locator(".q-toast", has_text="set aside").wait_for()
    assert books.rows(ASIDE) == [("asks the bank",)]
    page.goto(f"/shops/{clerks[0].shop.id}/postings")
    cards.nth(0).get_by_label("More about the posting of").click()
    page.locator(".q-actions").get_by_role("link", name="Split").click()
    page.locator("#q-split").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_what_is_ticked_is_counted_with_its_sum(
    clerks: tuple[Person, Person], browser: Callable[[], Any], address: str, books: Books
) -> None:
    for place in range(2):
        books.order(f"SO-480{place}", f"{1100 + place}.50")
    books.bring(camt(CamtMessage.STATEMENT, paid(110050, "Fremd A"), paid(110150, "Fremd B")))
    page = page_of(browser(), address, clerks[0])
    page.goto(f"/shops/{clerks[0].shop.id}/postings/accept?least=50")
    boxes = page.locator("input[name=accept]")
    assert boxes.count() == 2
    sums, button = page.locator("[data-ticked-sums]"), page.locator(".q-many-bar .btn-primary")
    for place in range(2):
        boxes.nth(place).set_checked(True)
    assert (sums.inner_text(), button.inner_text()) == ("2 of 2 ticked: 2,202.00\u00a0EUR", "Book the selected (2)")
    boxes.nth(0).set_checked(False)
    assert button.inner_text() == "Book the selected (1)" and sums.inner_text().startswith("1 of 2 ticked: 1,10")
    boxes.nth(1).set_checked(False)
    assert (sums.inner_text(), button.inner_text()) == ("0 of 2 ticked", "Book the selected (0)")
