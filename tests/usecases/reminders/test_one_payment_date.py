"""Mail, payment code, page and reminder plan of one order name the same date, as the books hold it (D-95)."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy

import pytest

from paymatch.domain.reminders.payment_date import payment_date
from paymatch.formats.languages.texts import words
from paymatch.store.database import Database
from paymatch.store.reminders import reminders
from paymatch.usecases.customers import order_pages
from paymatch.usecases.shops.dunning_plans import payment_terms, plan_of
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    return new_world(database, reminders="on", payment_information="on")


def shown(world: MailWorld, number: str) -> tuple[str, str]:
    """The date on the order's page, and the one that the plan waits for."""
    with world.database.of_shop(world.shop, at=world.now) as tx:
        page = order_pages.view(tx, number)
        (order,) = reminders.load(tx, [number], 0, world.now)
        planned = payment_date(order.facts, payment_terms(world.shop, plan_of(tx)))
    assert page.to_pay is not None
    spoken = words("en")
    return spoken.day(page.to_pay.until), spoken.day(planned)


def last_text(world: MailWorld) -> str:
    body = message_from_bytes(world.door.sent[-1].content, policy=policy.default).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_the_mail_asks_for_the_due_date_that_the_page_shows(world: MailWorld) -> None:
    """Before, an order due on 27 March was asked for by mail for 12 March."""
    world.order("A-1001", language="en", dueDate="27-03-2026")
    before = shown(world, "A-1001")
    world.send()
    assert before == shown(world, "A-1001") == ("27\u00a0March 2026", "27\u00a0March 2026")
    assert "27\u00a0March 2026" in last_text(world) and "12\u00a0March" not in last_text(world)


def test_a_reminder_moves_the_date_everywhere(world: MailWorld) -> None:
    world.order("A-1002", language="en", dueDate="09-03-2026")
    world.send()
    world.statement(world.now.date())
    world.go_to("2026-03-16 09:30")
    world.statement(world.now.date().replace(day=13))
    world.send()
    assert "reminder" in str(message_from_bytes(world.door.sent[-1].content, policy=policy.default)["Subject"]).lower()
    day, planned = shown(world, "A-1002")
    assert day == planned == "26\u00a0March 2026"
    assert day in last_text(world)
