"""Mails carry the link to the order's page, and what is said there holds reminders back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from paymatch.formats.mail.message import plain_text
from paymatch.store.database import Database
from paymatch.usecases.customers import links, notices
from paymatch.usecases.reminders.reminders import send_due
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world

BASE = "https://pay.shop.example"


@pytest.fixture
def world(migrated_url: str) -> Iterator[MailWorld]:
    database = Database(migrated_url, size=4, keyring=KEYRING)
    yield new_world(database)
    database.close()


def remind(world: MailWorld) -> list[str]:
    """The links in the mails that go out now."""
    before = len(world.door.sent)
    while send_due(world.database, world.shop, world.door, world.now, base=BASE):
        pass
    texts = [plain_text(mail.content) for mail in world.door.sent[before:]]
    return [link for text in texts for link in re.findall(rf"{BASE}/p/\S+", text)]


def test_a_reminder_waits_five_days_for_the_payment_that_the_customer_has_announced(world: MailWorld) -> None:
    world.order("A-1")
    world.go_to("2026-03-16 10:00")
    world.statement(world.now.date().replace(day=13))
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert notices.say_paid(tx, "A-1") is True
    assert remind(world) == []
    assert world.held("A-1") == "says-paid: the customer says that the payment was made: reminders wait for it"
    world.go_to("2026-03-21 08:59")  # a Saturday: no reminders are sent
    assert remind(world) == []
    world.go_to("2026-03-23 10:00")
    world.statement(world.now.date().replace(day=20))
    (link,) = remind(world)
    with world.database.of_shop(world.shop, at=world.now) as tx:
        found = links.follow(world.database, link.rpartition("/")[2], world.now)
        assert found is not None
        assert (found[0].id, found[1]) == (world.id, "A-1")
        assert links.hand_out(tx, "A-1", BASE) == link


def test_the_wrong_person_gets_no_reminder_of_any_order(world: MailWorld) -> None:
    for number in ("B-1", "B-2"):
        world.order(number, customerEmail="somebody@example.com")
    world.order("B-3")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        notices.say_wrong_person(tx, "B-1")
    world.go_to("2026-03-16 10:00")
    world.statement(world.now.date().replace(day=13))
    assert len(remind(world)) == 1
    assert [mail.recipient for mail in world.door.sent] == ["b-3@example.com"]
    assert world.held("B-2").startswith("wrong-person: the recipient at the order's address says")
    world.order("B-2", customerEmail="erika@example.com")
    assert len(remind(world)) == 1
    assert world.mails() == [("B-2", 1, "SENT"), ("B-3", 1, "SENT")]


def test_nothing_is_said_about_an_order_that_is_not_open(world: MailWorld) -> None:
    world.order("C-1", "0.00")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert notices.say_paid(tx, "C-1") is False
    assert world.rows("SELECT kind FROM customer_notices WHERE shop_id = $1") == []
