"""Which reminders go by letter, and where a letter can be sent (D-52)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paymatch.domain.reminders.letters import PostalAddress
from paymatch.domain.reminders.policy import PlannedReminder, Switches, Why
from tests.domain.reminders.test_reminders import DUE, NEW, PLAN, found, utc, why

LETTERS = Switches(False, True, letters=True)
HOME = PostalAddress("", "Erika Mustermann", "Seeweg 5", "24103", "Kiel", "DE")
POSTAL = replace(NEW, postal=HOME.text)
NO_MAIL: list[dict[str, Any]] = [{"email": ""}, {"refused_addresses": frozenset({"erika@example.com"})}]


@pytest.mark.parametrize(("letters_from", "by_letter"), [(0, False), (1, True), (2, False)])
def test_reminders_are_letters_from_the_level_that_the_plan_says(letters_from: int, by_letter: bool) -> None:
    plan = replace(PLAN, letters_from=letters_from)
    assert found(POSTAL, switches=LETTERS, plan=plan) == PlannedReminder(1, DUE, by_letter)
    assert found(POSTAL, plan=plan) == PlannedReminder(1, DUE)  # the shop sends no letters
    assert found(NEW, switches=LETTERS, plan=plan) == PlannedReminder(1, DUE)  # to nowhere
    refused = replace(POSTAL, refused_postal=frozenset({POSTAL.postal}))
    assert found(refused, switches=LETTERS, plan=plan) == PlannedReminder(1, DUE)
    moved = replace(POSTAL, refused_postal=frozenset({"another address"}))
    assert found(moved, switches=LETTERS, plan=plan) == PlannedReminder(1, DUE, by_letter)


@pytest.mark.parametrize("changes", NO_MAIL)
def test_whom_no_mail_reaches_gets_letters_if_the_plan_allows_it(changes: dict[str, Any]) -> None:
    order = replace(POSTAL, **changes)
    allowed = replace(PLAN, letters_without_mail=True)
    assert found(order, switches=LETTERS, plan=allowed) == PlannedReminder(1, DUE, by_letter=True)
    assert why(order, switches=LETTERS) in (Why.NO_ADDRESS, Why.ADDRESS_REFUSED)
    assert found(POSTAL, switches=LETTERS, plan=allowed) == PlannedReminder(1, DUE)  # a mail reaches this one


def test_payment_information_is_a_letter_only_where_no_mail_reaches() -> None:
    switches, now = Switches(True, True, letters=True), utc("2026-03-03T10:00")
    assert found(POSTAL, now, switches, plan=replace(PLAN, letters_from=1)) == PlannedReminder(0, now)
    allowed = replace(PLAN, letters_without_mail=True)
    assert found(replace(POSTAL, email=""), now, switches, plan=allowed) == PlannedReminder(0, now, by_letter=True)
    changed = replace(POSTAL, informed_at=now, amount_changed=True)
    assert found(changed, now, switches, plan=replace(PLAN, letters_from=1)) == PlannedReminder(0, now, corrects=True)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"company": "Lampenladen GmbH", "name": ""}, ""),
        ({"name": ""}, "the address has no name"),
        ({"street": " ", "city": ""}, "the address has no street and no city"),
        ({"postcode": "", "country": "IE"}, ""),  # some countries have none
    ],
)
def test_where_a_letter_can_be_sent(changes: dict[str, str], problem: str) -> None:
    address = replace(HOME, **changes)
    assert address.problem == problem
    assert bool(address.text) is not bool(problem)


def test_an_address_is_written_line_by_line() -> None:
    assert replace(HOME, company="Lampen  GmbH").lines == (
        "Lampen GmbH", "Erika Mustermann", "Seeweg 5", "24103 Kiel",
    )  # fmt: skip
    assert HOME.text == "Erika Mustermann\nSeeweg 5\n24103 Kiel\nDE"
