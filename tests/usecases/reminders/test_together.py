"""Orders of one customer that are due together are written about in one mail, each once (D-56)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from email import message_from_bytes, policy

import pytest

from paymatch.formats.mail.message import plain_text
from paymatch.outbound.mail.outgoing import MailNotSent, OutgoingMail
from paymatch.store.database import Database
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.drafts import ORDERS_PER_MAIL
from paymatch.usecases.reminders.reminders import BATCH
from paymatch.usecases.shops import dunning_plans
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

EVA = {"customerEmail": "eva@example.com", "language": "en"}


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    """Two orders of one customer and one of another, whose first reminders are due."""
    found = new_world(database)
    found.order("A-1", **EVA)
    found.order("A-2", "12.10", **EVA)
    found.order("A-3", language="en")
    found.statement(date(2026, 3, 13))
    found.go_to("2026-03-16 10:00")
    return found


def subjects(world: MailWorld) -> list[str]:
    """Subjects of what went out, sorted."""
    return sorted(message_from_bytes(mail.content, policy=policy.default)["Subject"] for mail in world.door.sent)


def ids(sent: list[OutgoingMail]) -> list[str]:
    return [message_from_bytes(mail.content)["Message-ID"] for mail in sent]


def test_one_mail_lists_each_order_and_all_levels_move(world: MailWorld) -> None:
    world.send()
    assert subjects(world) == ["Payment for your orders at Mail", "Payment reminder for your order A-3"]
    (mail,) = [each for each in world.door.sent if each.recipient == "eva@example.com"]
    text = " ".join(plain_text(mail.content).split())
    references = dict(world.rows("SELECT number, reference FROM orders WHERE shop_id = $1"))
    assert "Several of your orders are still to be paid: A-1, A-2." in text
    assert "by 26 March 2026. The total of all orders is €62.00." in text
    for number, amount in (("A-1", "€49.90"), ("A-2", "€12.10")):
        grouped = " ".join(references[number][at : at + 4] for at in range(0, len(references[number]), 4))
        part = text[text.index(f"Payment reminder for your order {number} ---") :]
        assert part.index(f"Open amount: {amount}") < part.index(f"Payment reference: {grouped}")
    message = message_from_bytes(mail.content, policy=policy.default)
    assert [part["Content-ID"] for part in message.walk() if part.get_content_type() == "image/png"] == [
        "<code1>", "<code2>",
    ]  # fmt: skip
    assert world.mails() == [("A-1", 1, "SENT"), ("A-2", 1, "SENT"), ("A-3", 1, "SENT")]
    assert world.rows("SELECT number, dunning_level FROM orders WHERE shop_id = $1 ORDER BY 1") == [
        ("A-1", 1), ("A-2", 1), ("A-3", 1),
    ]  # fmt: skip
    assert world.rows("SELECT count(DISTINCT message_id) FROM mails WHERE shop_id = $1") == [(2,)]
    assert world.send() == 0
    assert check_shop(world.database, world.shop) == []


def test_reminders_and_payment_information_of_one_day_come_together(world: MailWorld) -> None:
    world.set(payment_information="on")
    world.order("A-4", "5.00", date="16-03-2026", dueDate="30-04-2026", **EVA)
    world.send()
    (mail,) = [each for each in world.door.sent if each.recipient == "eva@example.com"]
    text = plain_text(mail.content)
    assert "How to pay for your order A-4\n" in text and "Payment reminder for your order A-1\n" in text
    assert world.mails()[-1] == ("A-4", 0, "SENT") and len(world.mails()) == 4


@pytest.mark.parametrize(
    "other",
    [
        {"language": "fr"},
        {"customerEmail": "adam@example.com"},
        {"billing": {"firstName": "Adam", "lastName": "Muster", "countryCode": "DE"}},
    ],
    ids=lambda each: next(iter(each)),
)
def test_another_language_address_or_name_is_another_mail(world: MailWorld, other: dict[str, object]) -> None:
    world.order("A-2", "12.10", **{**EVA, **other})
    world.send()
    assert len(world.door.sent) == 3 and len(world.mails()) == 3


def test_words_of_the_shop_for_a_level_are_never_left_out(world: MailWorld) -> None:
    with world.database.of_shop(world.shop) as tx:
        dunning_plans.set_text(tx, "1", "en", "Mind {{ order }}", "By law we must say this.")
    world.send()
    assert subjects(world) == ["Mind A-1", "Mind A-2", "Mind A-3"]


def test_the_shop_words_the_mail_about_several_orders(world: MailWorld) -> None:
    with world.database.of_shop(world.shop) as tx:
        dunning_plans.set_text(tx, "1", "en", "Mind {{ order }}", "Words.")
        dunning_plans.set_text(tx, "several", "en", "Mind {{ orders }}", "{{ total }} by {{ until }}.")
    world.send()
    assert subjects(world) == ["Mind A-1, A-2", "Mind A-3"]
    (mail,) = [each for each in world.door.sent if each.recipient == "eva@example.com"]
    assert "€62.00 by 26 March 2026." in " ".join(plain_text(mail.content).split())
    assert "Mind A-1\n" in plain_text(mail.content)


def test_a_process_that_dies_sends_the_same_mail_again_though_more_is_due(world: MailWorld) -> None:
    class Dying(Door):
        def send(self, mail: OutgoingMail) -> str:
            super().send(mail)
            raise KeyboardInterrupt

    world.door = Dying()
    with pytest.raises(KeyboardInterrupt):
        world.send()
    (first,) = world.door.sent
    world.order("A-5", "7.00", **EVA)
    world.door = Door()
    world.expire_claims()
    world.send()
    assert ids([first])[0] in ids(world.door.sent)
    assert [each.content for each in world.door.sent if ids([each]) == ids([first])] != []
    assert len(world.door.sent) == 3, "what was to be sent before, what has come since, and the other customer's"
    assert len(world.mails()) == 4 and all(status == "SENT" for _, _, status in world.mails())
    assert check_shop(world.database, world.shop) == []


def test_who_pays_one_of_them_meanwhile_gets_a_mail_about_the_other(world: MailWorld) -> None:
    world.door.failure = MailNotSent("450 later", permanent=False)
    world.send()
    with world.database.of_shop(world.shop, at=world.now) as tx:
        orders.set_paid(tx, "A-1")
    world.door.failure = None
    world.go_to("2026-03-16 11:30")
    world.send()
    assert subjects(world) == ["Payment reminder for your order A-2", "Payment reminder for your order A-3"]
    assert world.mails() == [("A-1", 1, "WITHDRAWN"), ("A-2", 1, "SENT"), ("A-3", 1, "SENT")]


def test_a_refused_address_is_noted_for_every_order(world: MailWorld) -> None:
    world.door.failure = MailNotSent("550 no such user", permanent=True)
    world.send()
    assert world.mails() == [("A-1", 1, "REFUSED"), ("A-2", 1, "REFUSED"), ("A-3", 1, "REFUSED")]
    assert world.rows("SELECT count(*) FROM alerts WHERE shop_id = $1 AND kind = 'mail-refused'") == [(3,)]
    assert world.rows("SELECT max(dunning_level) FROM orders WHERE shop_id = $1") == [(0,)]


def test_orders_of_a_customer_are_claimed_together_however_many_are_due(database: Database) -> None:
    world = new_world(database)
    world.order("A-0000", **EVA)
    for place in range(BATCH + 10):
        world.order(f"B-{place:04}")
    for place in range(ORDERS_PER_MAIL):
        world.order(f"C-{place:04}", **EVA)
    world.statement(date(2026, 3, 13))
    world.go_to("2026-03-16 10:00")
    world.send()
    mails = world.rows("SELECT count(*) FROM mails WHERE shop_id = $1 AND recipient = 'eva@example.com'"
                       " GROUP BY message_id ORDER BY 1")  # fmt: skip
    assert mails == [(1,), (ORDERS_PER_MAIL,)]
    assert len(world.door.sent) == BATCH + 10 + 2
