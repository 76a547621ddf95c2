"""Input typed before a session ends: it is there again once the person is back, and no one else sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paymatch.area.people.roles import TeamRole
from tests.area.conftest import PASSWORD, Person, page_of

pytestmark = pytest.mark.browser

BACK = "What you had typed is here again. It is not saved yet."


@pytest.fixture
def people(sign_in: Callable[..., Person]) -> tuple[Person, Person]:
    """Two owners of a shop."""
    owner = sign_in()
    return owner, sign_in(TeamRole.OWNER, owner.shop)


@pytest.fixture
def page(people: tuple[Person, Person], browser: Callable[[], Any], address: str) -> Any:
    """The sign-in page, to which the first owner came who saved a street when their session had ended."""
    owner = people[0]
    page = page_of(browser(), address, owner, locale="en-GB", reduced_motion="reduce")
    page.goto(f"/shops/{owner.shop.id}/settings")
    page.fill("[name=street]", "Lange Reihe")
    page.context.clear_cookies(name="paymatch_session")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/login?next=**")
    return page


def come_in(page: Any, person: Person) -> None:
    """Signs in, and waits for the settings."""
    page.fill("[name=login]", person.email)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings")


def test_a_form_is_filled_in_again_after_the_sign_in(page: Any, people: tuple[Person, Person]) -> None:
    come_in(page, people[0])
    told = page.get_by_role("status").filter(has_text=BACK)
    told.wait_for()
    assert told.evaluate("it => it === document.activeElement"), "who reads by ear is told at once"
    assert page.input_value("[name=street]") == "Lange Reihe"

    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    assert page.input_value("[name=street]") == "Lange Reihe"
    page.reload()
    assert page.get_by_text(BACK).count() == 0
    assert page.evaluate("sessionStorage.length") == 0


def test_somebody_else_who_signs_in_sees_nothing_of_it(page: Any, people: tuple[Person, Person]) -> None:
    come_in(page, people[1])
    assert page.input_value("[name=street]") == ""
    assert page.get_by_text(BACK).count() == 0
    assert page.evaluate("sessionStorage.length") == 0
