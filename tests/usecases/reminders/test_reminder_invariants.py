"""What must always hold for mail and reminders: sound books are silent, each damage is told of."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import psycopg
import pytest

from paymatch.outbound.mail.outgoing import MailNotSent, OutgoingMail
from paymatch.store.database import Database
from paymatch.store.reminders.invariants import RULES
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

OWNED = "mails, letters, reminders and what is due belong to an order"
LEVEL = "the dunning level is what an order came with and one for each reminder"
BACKED = "a reminder by e-mail is a mail that went out, and the other way round"
TWICE = "no two mails of one level about one order"
ALIKE = "a reminder has the day and the fee of its mail"
SEQUENCE = "mails about an order go out level by level"
TOLD = "corrected payment information states another amount than the mail before it"
OPEN = "mail goes out for open orders only"
THANKED = "thanks go out for paid orders only, once for each"
SOON = "mail goes out soon after it was decided on"
NAMED = "referenceNumber is shown once a mail or a letter has named it"
TIMED = "a mail that is to be sent has its time and its address"


@pytest.fixture
def world(module_url: str) -> Iterator[MailWorld]:
    database = Database(module_url, size=2, keyring=KEYRING)
    yield new(database)
    database.close()


def new(database: Database) -> MailWorld:
    """A-1001 got payment information and two reminders; A-1002 came with level 1, got its second and was paid."""
    world = new_world(database, payment_information="on")
    world.order("A-1001")
    world.order("A-1002", initialDunningLevel=1)
    world.send()
    for day, statement in ((16, date(2026, 3, 13)), (30, date(2026, 3, 27))):
        world.statement(statement)
        world.now = datetime(2026, 3, day, 10, tzinfo=UTC)
        world.send()
    with database.of_shop(world.shop, at=world.now) as tx:
        orders.set_paid(tx, "A-1002")
    return world


def found(world: MailWorld) -> list[tuple[str, str, str]]:
    return sorted((each.rule, each.subject, each.text) for each in check_shop(world.database, world.shop))


def run(world: MailWorld, statement: str, *params: object) -> None:
    with world.database.of_shop(world.id) as tx:
        assert tx.run(statement, world.id, *params) > 0


def test_every_rule_has_its_case() -> None:
    rules = {OWNED, LEVEL, BACKED, TWICE, ALIKE, SEQUENCE, TOLD, OPEN, THANKED, SOON, NAMED, TIMED}
    assert {rule for rule, _ in RULES} == rules
    assert {rule for rule, _ in RULES} == {rule for _, _, wanted in DAMAGES for rule, _, _ in wanted} | {OWNED, TWICE}


def test_sound_books_are_silent(world: MailWorld) -> None:
    assert world.mails() == [
        ("A-1001", 0, "SENT"), ("A-1001", 1, "SENT"), ("A-1001", 2, "SENT"), ("A-1002", 2, "SENT"),
    ]  # fmt: skip
    assert world.rows("SELECT DISTINCT order_seq FROM mails WHERE shop_id = $1") == [(0,)]
    assert found(world) == []


_A1, _A2 = "shop_id = $1 AND order_number = 'A-1001'", "shop_id = $1 AND order_number = 'A-1002'"
DAMAGES: list[tuple[str, str, list[tuple[str, str, str]]]] = [
    (
        "the level went down",
        "UPDATE orders SET dunning_level = 1 WHERE shop_id = $1 AND number = 'A-1001'",
        [(LEVEL, "A-1001", "level 1, it came with 0 and had 2 reminders, levels 1 to 2")],
    ),
    (
        "the level rose without a mail",
        "UPDATE orders SET dunning_level = 2 WHERE shop_id = $1 AND number = 'A-1003'",
        [(LEVEL, "A-1003", "level 2, it came with 0 and had 0 reminders")],
    ),
    (
        "a level was left out",
        f"UPDATE reminders SET dunning_level = 4 WHERE {_A2}",
        [
            (BACKED, "A-1002", "level 2: no reminder"),
            (BACKED, "A-1002", "level 4: no mail"),
            (LEVEL, "A-1002", "level 2, it came with 1 and had 1 reminders, levels 4 to 4"),
        ],
    ),
    (
        "a reminder without a mail",
        f"UPDATE mails SET status = 'WITHDRAWN' WHERE {_A1} AND dunning_level = 2",
        [(BACKED, "A-1001", "level 2: no mail")],
    ),
    (
        "a mail without a reminder",
        f"UPDATE mails SET status = 'SENT', dunning_level = 3 WHERE {_A1} AND dunning_level = 2",
        [(BACKED, "A-1001", "level 2: no mail"), (BACKED, "A-1001", "level 3: no reminder")],
    ),
    (
        "another fee",
        f"UPDATE reminders SET fee_minor = 900 WHERE {_A1} AND dunning_level = 2",
        [(ALIKE, "A-1001", "level 2 of 2026-03-30, fee 900, its mail of 2026-03-30, fee 250")],
    ),
    (
        "another day",
        f"UPDATE reminders SET sent_date = sent_date - 2 WHERE {_A1} AND dunning_level = 1",
        [(ALIKE, "A-1001", "level 1 of 2026-03-14, fee 0, its mail of 2026-03-16, fee 0")],
    ),
    (
        "the second before the first",
        f"UPDATE mails SET finished_at = '2026-03-15 10:00Z' WHERE {_A1} AND dunning_level = 2",
        [
            (ALIKE, "A-1001", "level 2 of 2026-03-30, fee 250, its mail of 2026-03-15, fee 250"),
            (SEQUENCE, "A-1001", "level 2 went out at 2026-03-15 10:00 UTC, before the level below it"),
        ],
    ),
    (
        "a correction that tells nothing new",
        f"UPDATE mails SET correction = 1 WHERE {_A1} AND dunning_level = 1",
        [(TOLD, "A-1001", "correction 1")],
    ),
    (
        "thanks for an order that is open",
        f"UPDATE mails SET thanks = true, dunning_level = 0 WHERE {_A1} AND dunning_level = 2",
        [
            (BACKED, "A-1001", "level 2: no mail"),
            (OPEN, "A-1001", "level 0 when the order was UNPAID"),
            (THANKED, "A-1001", "1 mails of thanks, when the order was UNPAID"),
        ],
    ),
    (
        "decided on when it was paid",
        f"UPDATE mails SET order_seq = 1 WHERE {_A2}",
        [(OPEN, "A-1002", "level 2 when the order was PAID")],
    ),
    *(
        (
            f"decided on when it was {status}",
            f"UPDATE events SET from_status = '{status}' WHERE shop_id = $1",
            [(OPEN, "A-1002", f"level 2 when the order was {status}")],
        )
        for status in ("CANCELLED", "COLLECTION", "DISAPPEARED", "LEGACY", "REFUNDED")
    ),
    (
        "sent long after",
        "UPDATE events SET at = (at AT TIME ZONE 'UTC' - interval '61 minutes') AT TIME ZONE 'UTC' WHERE shop_id = $1",
        [(SOON, "A-1002", "level 2 long after event 1 to PAID")],
    ),
    (
        "a reference that nobody was told of",
        "UPDATE orders SET payment_info_at = created_at WHERE shop_id = $1 AND number = 'A-1003'",
        [(NAMED, "A-1003", "shown without one")],
    ),
    (
        "a reference that is not shown",
        "UPDATE orders SET payment_info_at = NULL WHERE shop_id = $1 AND number = 'A-1001'",
        [(NAMED, "A-1001", "not shown after a mail or letter")],
    ),
    (
        "a mail that nobody would send",
        "WITH due AS (UPDATE reminder_dues SET due_at = NULL WHERE shop_id = $1 AND order_number = 'A-1003')"
        " INSERT INTO mails (shop_id, id, order_number, dunning_level, status, message_id, recipient, fee_minor,"
        " created_at) VALUES ($1, 'ml_1', 'A-1003', 1, 'PENDING', '', 'a@example.com', 0, '2026-04-13')",
        [(TIMED, "ml_1", "order A-1003")],
    ),
    (
        "a mail to nobody",
        "INSERT INTO mails (shop_id, id, order_number, dunning_level, status, message_id, recipient, fee_minor,"
        " created_at) VALUES ($1, 'ml_1', 'A-1003', 1, 'PENDING', '', '', 0, '2026-04-13')",
        [(TIMED, "ml_1", "order A-1003")],
    ),
]


@pytest.mark.parametrize(("statement", "wanted"), [row[1:] for row in DAMAGES], ids=[row[0] for row in DAMAGES])
def test_damage_is_told_of(world: MailWorld, statement: str, wanted: list[tuple[str, str, str]]) -> None:
    world.order("A-1003", customerEmail="third@example.com", date="01-02-2026", dueDate="30-06-2026")
    world.send()
    assert found(world) == []
    run(world, statement)
    # Events that were changed are no longer those of the order's books, which other rules say.
    assert [each for each in found(world) if each[0] in dict(RULES)] == wanted


def test_an_order_of_another_shop_is_no_order_of_this_one(world: MailWorld) -> None:
    other = new_world(world.database)
    other.order("B-1")
    ((mail_id,),) = world.rows("SELECT id FROM mails WHERE shop_id = $1 AND order_number = 'A-1002'")
    for table in ("mails", "reminders", "reminder_dues"):
        run(world, f"UPDATE {table} SET order_number = 'B-1' WHERE {_A2}")
    assert [each for each in found(world) if each[0] == OWNED] == [
        (OWNED, subject, "order B-1") for subject in ("B-1", "B-1", mail_id)
    ]
    assert found(other) == []


def test_two_mails_of_a_level_are_told_of(migrated_url: str) -> None:
    world = new(Database(migrated_url, size=2, keyring=KEYRING))
    copy = "UPDATE mails SET dunning_level = 1, fee_minor = 0 WHERE shop_id = $1 AND dunning_level = 2"
    with pytest.raises(psycopg.errors.UniqueViolation):
        run(world, copy)
    with psycopg.connect(migrated_url) as connection:
        connection.execute("DROP INDEX mails_by_level")
    run(world, f"{copy} AND order_number = 'A-1001'")
    assert found(world) == [
        (BACKED, "A-1001", "level 2: no mail"),
        (ALIKE, "A-1001", "level 1 of 2026-03-16, fee 0, its mail of 2026-03-30, fee 0"),
        (TWICE, "A-1001", "level 1: 2 mails"),
    ]
    world.database.close()


def test_mail_that_was_forgotten_is_no_damage_and_none_is_forgotten_before_it_was_sent(world: MailWorld) -> None:
    run(world, "UPDATE mails SET recipient = '', subject = '', content = '', forgotten = true WHERE shop_id = $1")
    assert found(world) == []
    with pytest.raises(psycopg.errors.CheckViolation):
        run(world, "UPDATE mails SET status = 'PENDING', finished_at = NULL WHERE shop_id = $1")
    with pytest.raises(psycopg.errors.CheckViolation):
        run(world, "UPDATE mails SET recipient = 'a@example.com' WHERE shop_id = $1")


def test_what_changes_on_the_way_is_no_damage(world: MailWorld) -> None:
    """Paid while the mail is on its way, retried after a change, refused and asked for again: all of it is sound."""

    class Paying(Door):
        def send(self, mail: OutgoingMail) -> str:
            with world.database.of_shop(world.shop, at=world.now - timedelta(minutes=10)) as tx:
                orders.set_paid(tx, "A-1003")  # its call took so long
            return super().send(mail)

    dates = {"date": "30-03-2026", "dueDate": "06-04-2026"}
    world.order("A-1003", **dates)
    world.door = Paying()
    world.send()
    world.order("A-1004", **dates)
    world.door = Door(failure=MailNotSent("450 busy", permanent=False))
    world.send()
    assert found(world) == []
    with world.database.of_shop(world.shop, at=world.now) as tx:
        orders.set_paid(tx, "A-1004")
        orders.set_unpaid(tx, "A-1004")
    world.now += timedelta(hours=3)
    world.door = Door(failure=MailNotSent("550 unknown", permanent=True))
    world.send()
    assert found(world) == []
    world.door = Door()
    ((mail_id, seq),) = world.rows("SELECT id, order_seq FROM mails WHERE shop_id = $1 AND status = 'REFUSED'")
    assert seq == 2
    with world.database.of_shop(world.shop, at=world.now) as tx:
        reminder_lists.try_again(tx, mail_id)
    world.send()
    assert world.mails()[3:] == [
        ("A-1002", 2, "SENT"), ("A-1003", 0, "SENT"), ("A-1004", 0, "SENT"), ("A-1004", 0, "WITHDRAWN"),
    ]  # fmt: skip
    assert world.rows("SELECT order_number, order_seq FROM mails WHERE shop_id = $1 AND order_seq > 0 ORDER BY 2") == [
        ("A-1004", 2), ("A-1004", 2),
    ]  # fmt: skip
    assert found(world) == []
