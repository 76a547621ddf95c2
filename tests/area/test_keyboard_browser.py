"""A clerk who never touches the mouse: signs in, goes through every section, works on orders, bank and refunds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from tests.area.conftest import PASSWORD, Person, Phone, page_of, prove
from tests.area.test_bank import patient, statement
from tests.area.test_callbacks import an_answered_event
from tests.contract.bank import book, entry
from tests.contract.client import Clock
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("patient")]

__all__ = ["patient"]

MOST_STOPS: Final = 150
"""Places that a person comes to with Tab on one page, at most: more would be a trap."""
FOCUSED: Final = "document.activeElement.innerText?.trim() ?? ''"
INSIDE: Final = "document.querySelector('dialog[open]').contains(document.activeElement)"
BEHIND: Final = "document.activeElement !== document.body && !document.activeElement.closest('dialog')"
SEEN: Final = """() => {
    const at = document.activeElement, look = getComputedStyle(at), box = at.getBoundingClientRect();
    const outlined = look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2;
    return at === document.body ? "" : outlined && box.width > 3 && box.height > 3
        && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
        ? "seen" : `unseen ${at.outerHTML.slice(0, 160)} ${[look.outline, box.x, box.y, box.width, box.height]}`;
}"""
"""What the focus is on: "" beyond the page's end, else whether a person sees where it is."""


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    """Clerk of a shop with open and paid orders, one of them late, and a refund that a person has to release."""
    world.client.change(refund_limit="10.00", mail_from="shop@example.org", reminders="on")
    world.client.submit("K-1", amount=40)
    world.client.submit("K-4", amount=55, type="INVOICE", date="01-01-2026", customerEmail="late@example.org")
    for number in ("K-2", "K-3"):
        world.paid(number)
    world.file("K-3", 25, accountHolder="Erika Mustermann", iban=ERIKA)
    world.pass_days(1)
    world.run()
    return sign_in(TeamRole.CLERK, world.client.shop)


@pytest.fixture
def page(clerk: Person, browser: Callable[[], Any], address: str, phone: Phone) -> Any:
    """The clerk has signed in by keyboard and is on the overview."""
    factor = prove(clerk)
    page = browser().new_context(base_url=address, reduced_motion="reduce").new_page()
    page.goto(f"/shops/{clerk.shop.id}/overview")
    page.keyboard.type(clerk.email)
    tab_to(page, "[name=password]")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_label("Code").wait_for()
    tab_to(page, "[name=code]")
    page.keyboard.type(phone.code(factor))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Overview").wait_for()
    return page


def test_every_section_is_reached_seen_and_left(page: Any) -> None:
    keys = page.keyboard
    keys.press("Tab")
    assert page.evaluate(FOCUSED) == "Skip to the content"
    keys.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"

    sections = page.evaluate(
        "[...document.querySelectorAll('.side [data-jump]')].map((at) => [at.dataset.jump, at.href])"
    )
    assert len(sections) == 10
    unseen = []
    for key, where in sections:
        keys.press("g")
        keys.press(key)
        page.wait_for_url(where)
        unseen += [f"{where}: {each}" for each in stops(page) if each != "seen"]
    assert not unseen, "\n".join(unseen)


def stops(page: Any) -> list[str]:
    """Whether each place that Tab leads to is seen, from the first to the page's end."""
    found: list[str] = []
    for _step in range(MOST_STOPS):
        page.keyboard.press("Tab")
        seen = page.evaluate(SEEN)
        if not seen:
            return found
        found.append(seen)
    raise AssertionError(f"{page.url}: Tab never leaves the page")


def test_dialogs_take_the_focus_and_give_it_back(page: Any) -> None:
    keys = page.keyboard
    tab_to(page, ".tasks a")
    here = page.evaluate(FOCUSED)
    for opening, name in (("?", "Keys"), ("Control+k", "Find anything")):
        keys.press(opening)
        page.get_by_role("dialog", name=name).wait_for()
        assert page.evaluate(INSIDE), name
        keys.type("Or")  # Escape closes, whatever was typed
        for _step in range(4):
            keys.press("Tab")
            assert not page.evaluate(BEHIND), name
        keys.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")
        assert page.evaluate(FOCUSED) == here, name


def opened_before_its_scripts(page: Any, address: str) -> Callable[[], None]:
    """The page at this address, of whose scripts only the first has run; what comes back lets the others run."""
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/area/area.js*", hold, times=1)
    page.goto(address, wait_until="commit")
    page.wait_for_selector("#all-keys", state="attached")
    while not held:
        page.wait_for_timeout(20)
    return held[0].continue_  # type: ignore[no-any-return]


def test_keys_typed_before_the_scripts_listen_are_pressed_afterwards(page: Any, clerk: Person) -> None:
    scripts_run = opened_before_its_scripts(page, f"/shops/{clerk.shop.id}/overview")
    page.keyboard.press("g")
    page.keyboard.press("o")
    scripts_run()
    page.wait_for_url("**/orders")


def test_text_typed_before_the_scripts_listen_is_in_the_search_afterwards(page: Any, clerk: Person) -> None:
    scripts_run = opened_before_its_scripts(page, f"/shops/{clerk.shop.id}/orders")
    page.keyboard.type("/K3")
    scripts_run()
    page.locator("#main input[type=search]:focus").wait_for()
    page.wait_for_function("document.activeElement.value === 'K3'")


def test_what_is_typed_into_a_field_before_the_scripts_listen_stays_there(page: Any, clerk: Person) -> None:
    scripts_run = opened_before_its_scripts(page, f"/shops/{clerk.shop.id}/orders")
    page.locator("#main input[type=search]").focus()
    page.keyboard.type("go")
    scripts_run()
    page.wait_for_load_state("load")
    assert page.locator("#main input[type=search]").input_value() == "go"
    assert page.url.endswith("/orders")


def test_orders_bank_and_refunds(page: Any, clerk: Person, world: RefundWorld) -> None:
    keys = page.keyboard
    keys.press("g")
    keys.press("o")
    page.wait_for_url("**/orders")
    keys.press("/")
    keys.type("K-")
    keys.press("Enter")
    page.wait_for_url("**/orders?*q=K-*")
    page.locator("#main input[type=search][value='K-']").wait_for()
    for key in "jjk":
        keys.press(key)
    assert (page.evaluate(FOCUSED), page.evaluate(SEEN)) == ("K-3", "seen")
    keys.press("x")
    assert page.locator("td.pick input:checked").get_attribute("value") == "K-3"
    keys.press("Enter")
    page.wait_for_url("**/orders/K-3")

    keys.press("Control+k")
    keys.type("K-1")
    page.locator("#found a[data-result]", has_text="Open").wait_for()
    keys.press("Enter")
    page.wait_for_url("**/orders/K-1")
    tab_to(page, "summary", "Set paid")
    keys.press("Enter")
    tab_to(page, "input")
    keys.type("in cash")
    tab_to(page, "button", "Set paid")
    keys.press("Enter")
    page.locator(".order-title .badge", has_text="Paid").wait_for()
    page.locator("#main > .notice:focus").wait_for()  # the hands go on where the page tells what it did

    open_order(page, "K-2")
    tab_to(page, "summary", "Refund")
    keys.press("Enter")
    tab_to(page, "[name=amount]")
    keys.press("Control+a")
    keys.type("7.50")
    tab_to(page, "[name=note]")
    keys.type("cup broken")
    keys.press("Enter")
    page.locator(".sums", has_text="7.50").wait_for()

    open_order(page, "K-4")
    tab_to(page, "summary", "Stop reminders")
    keys.press("Enter")
    tab_to(page, "button", "Stop reminders")
    keys.press("Enter")
    page.locator(".actions", has_text="reminders").wait_for()

    keys.press("g")
    keys.press("b")
    page.wait_for_url("**/bank")
    tab_to(page, "[type=file]")
    content = statement(5_500, number=9)
    page.locator("[type=file]").set_input_files({"name": "day.sta", "mimeType": "text/plain", "buffer": content})
    tab_to(page, "button", "Preview files")
    keys.press("Enter")
    page.get_by_text("1 file, nothing booked yet").wait_for()
    tab_to(page, "button", "Import chosen files")
    keys.press("Enter")
    page.locator(".notice.green").wait_for()

    keys.press("g")
    keys.press("r")
    page.wait_for_url("**/refunds")
    tab_to(page, "[name=refund]")
    keys.press("Space")
    tab_to(page, "button", "Release")
    keys.press("Enter")
    page.get_by_text("1 refund released, 25.00 EUR.").wait_for()

    rows = world.client.rows
    assert (world.client.status("K-1"), world.client.status("K-2")) == ("PAID", "PAID")
    assert rows("SELECT released_by FROM refund_releases WHERE shop_id = $1") == [(f"person:{clerk.email}",)]


def test_queue_callbacks_reports_and_the_way_out(
    world: RefundWorld, sign_in: Callable[..., Person], service: Service, area_clock: Clock,
    browser: Callable[[], Any], address: str,
) -> None:  # fmt: skip
    """After each step the hands are where one goes on, and where a person sees it."""
    world.client.change(callback_url="https://shop.example/hook", callbacks="on")
    an_answered_event(service, area_clock, world.client.shop, 503)
    for text in ("danke", "Spende"):
        book(world.client, entry(text, 1_240))
    owner = sign_in(
        TeamRole.OWNER, world.client.shop
    )  # before the browser starts, in whose loop Django refuses to work
    page = page_of(browser(), address, owner, reduced_motion="reduce")
    page.goto(f"/shops/{world.client.shop.id}/overview")
    keys, asides = page.keyboard, "SELECT aside_reason FROM postings WHERE shop_id = $1 AND aside_reason <> ''"

    keys.type("gp")
    page.wait_for_url("**/postings")
    keys.type("x1")
    page.locator(".q-toast", has_text="set aside").wait_for()
    assert (page.evaluate(SEEN), world.client.rows(asides)) == ("seen", [("Asked the customer",)])
    keys.press("u")
    page.locator(".q-toast").wait_for(state="detached")
    assert (page.evaluate(SEEN), world.client.rows(asides)) == ("seen", [])
    keys.press("?")
    page.get_by_text("Undo the last decision").wait_for()
    keys.press("Escape")
    page.get_by_text("Undo the last decision").wait_for(state="hidden")
    for key, field, back in (("s", "#q-find", ".q-scroll"), ("c", "#q-said", "#q-comment:not([open]) summary")):
        keys.press(key)
        page.locator(f"{field}:focus").wait_for()
        keys.press("Escape")
        page.locator(f"{back}:focus").wait_for()
        assert page.evaluate(SEEN) == "seen"

    keys.type("gc")
    page.wait_for_url("**/callbacks")
    tab_to(page, "button", "Resend now")
    keys.press("Enter")
    page.locator("#main .notice.green:focus").wait_for()

    keys.type("gt")
    page.wait_for_url("**/reports")
    tab_to(page, "a", "CSV")
    with page.expect_download():
        keys.press("Enter")
    tab_to(page, ".person-menu summary")
    keys.press("Enter")
    tab_to(page, "button", "Sign out")
    keys.press("Enter")
    page.wait_for_url("**/login*")


def open_order(page: Any, number: str) -> None:
    """Goes to the order by its number."""
    page.keyboard.press("Control+k")
    page.keyboard.type(number)
    page.locator("#found a strong", has_text=number).wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/orders/{number}")


def tab_to(page: Any, selector: str, words: str = "") -> None:
    """Goes on with Tab until the focus is on such an element with these words."""
    script = (
        "([selector, words, at = document.activeElement]) => at.matches(selector) && at.textContent.includes(words)"
    )
    for _step in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if page.evaluate(script, [selector, words]):
            return
    raise AssertionError(f"Tab never comes to {selector} {words}")
