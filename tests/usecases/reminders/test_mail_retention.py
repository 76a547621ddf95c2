"""How long mail keeps its address and words, and what of it stays for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.outbound.mail.outgoing import MailNotSent
from paymatch.store.database import Database
from paymatch.store.work import alerts
from paymatch.usecases.orders import orders
from paymatch.usecases.privacy.retention import forget_old
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.work.alerts import keep_alerts
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import Door, MailWorld, new_world

SENT_AT = datetime(2026, 3, 16, 10, tzinfo=UTC)


@pytest.fixture
def world(migrated_url: str) -> Iterator[MailWorld]:
    """A shop on the day on which the first reminders of its orders are due."""
    database = Database(migrated_url, size=2, keyring=KEYRING)
    world = new_world(database)
    world.statement(date(2026, 3, 13))
    world.now = SENT_AT
    yield world
    database.close()


def forgotten(world: MailWorld) -> int:
    return forget_old(world.database, world.shop, world.now).counts.get("messages of mails", 0)


def close(world: MailWorld, *numbers: str) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        for number in numbers:
            orders.set_paid(tx, number)


def words(world: MailWorld) -> list[tuple[Any, ...]]:
    """(order, recipient, subject, has a message, forgotten) of all mails, by order."""
    return world.rows(
        "SELECT order_number, recipient, subject, content <> '', forgotten FROM mails WHERE shop_id = $1 ORDER BY 1, id"
    )


def refuse(world: MailWorld, number: str) -> str:
    """The mail about the order is refused; its id."""
    world.order(number)
    world.door = Door(failure=MailNotSent(f"550 <{number.lower()}@example.com>: no such user", permanent=True))
    world.send()
    world.door = Door()
    ((mail_id,),) = world.rows("SELECT id FROM mails WHERE shop_id = $1 AND order_number = $2", number)
    return str(mail_id)


def test_address_and_words_go_after_a_year_and_the_history_stays(world: MailWorld) -> None:
    world.order("A-1001")
    world.send()
    history = (
        "SELECT m.id, m.order_number, m.dunning_level, m.status, m.message_id, m.fee_minor, m.attempts, m.created_at,"
        " m.finished_at, m.order_seq, r.sent_date, o.dunning_level, o.payment_info_at FROM mails m"
        " JOIN reminders r ON r.shop_id = m.shop_id AND r.order_number = m.order_number"
        " JOIN orders o ON o.shop_id = m.shop_id AND o.number = m.order_number WHERE m.shop_id = $1"
    )
    before = world.rows(history)
    assert [row[1:4] + row[8:12] for row in before] == [("A-1001", 1, "SENT", SENT_AT, 0, date(2026, 3, 16), 1)]
    close(world, "A-1001")
    world.now = SENT_AT + timedelta(days=365)
    assert forgotten(world) == 0
    ((_, recipient, subject, *kept),) = words(world)
    assert (recipient, subject != "", kept) == ("a-1001@example.com", True, [True, False])
    world.now += timedelta(seconds=1)
    assert forgotten(world) == 1
    assert words(world) == [("A-1001", "", "", False, True)]
    assert world.rows(history) == before
    assert forgotten(world) == 0
    with world.database.of_shop(world.shop) as tx:
        (mail,) = reminder_lists.list_mails(tx)
    assert (mail["mail"], mail["finishedAt"], mail["to"], mail["text"]) == ("reminder 1", SENT_AT, "", "")
    assert mail["forgotten"]
    assert check_shop(world.database, world.shop) == []


def test_an_order_that_opens_again_is_not_reminded_twice_of_a_level(world: MailWorld) -> None:
    world.order("A-1001")
    world.send()
    close(world, "A-1001")
    world.set(keep_mail_days="30")
    world.now = SENT_AT + timedelta(days=35)  # Monday, 20 April
    assert forgotten(world) == 1
    with world.database.of_shop(world.shop, at=world.now) as tx:
        orders.set_unpaid(tx, "A-1001")
    world.statement(date(2026, 4, 17))
    world.send()
    assert world.mails() == [
        (
            "A-1001",
            1,
            "SENT",
        ),
        ("A-1001", 2, "SENT"),
    ]
    assert [mail.recipient for mail in world.door.sent] == ["a-1001@example.com"] * 2
    assert check_shop(world.database, world.shop) == []


@pytest.mark.parametrize("status", ["UNPAID", "PAID_PARTIAL", "COLLECTION"])
def test_mail_stays_whole_while_something_is_owed(world: MailWorld, status: str) -> None:
    world.order("A-1001")
    world.send()
    world.rows("UPDATE orders SET status = $2 WHERE shop_id = $1 RETURNING number", status)
    world.now += timedelta(days=3000)
    assert forgotten(world) == 0
    assert words(world)[0][3:] == (True, False)


def test_mail_that_is_not_sent_yet_is_never_touched(world: MailWorld) -> None:
    world.door = Door(failure=MailNotSent("450 mailbox busy", permanent=False))
    world.order("A-1001")
    world.send()
    close(world, "A-1001")
    world.now += timedelta(days=3000)
    assert forgotten(world) == 0
    ((_, recipient, _, *kept),) = words(world)
    assert (recipient, kept, world.mails()) == ("a-1001@example.com", [True, False], [("A-1001", 1, "PENDING")])


def test_a_refused_address_is_remembered_while_the_order_is_open(world: MailWorld) -> None:
    mail_id = refuse(world, "A-1001")
    world.now += timedelta(days=400)
    assert forgotten(world) == 0
    world.order("A-1001", "50.00")
    world.send()
    assert world.held("A-1001").startswith("address-refused: ")
    with world.database.of_shop(world.shop) as tx:
        assert [alert.subject for alert in reminder_lists.mail_alerts(tx)] == [mail_id]


def test_what_servers_said_of_an_address_goes_with_it(world: MailWorld) -> None:
    mail_id = refuse(world, "A-1001")
    with world.database.of_shop(world.id) as tx:
        (alert,) = alerts.alerts(tx)
        alerts.resolve(tx, [alert.id], world.now, by_hand=True)
    close(world, "A-1001")
    world.now += timedelta(days=366)
    assert forgotten(world) == 1
    assert world.rows("SELECT id, status, error, recipient FROM mails WHERE shop_id = $1") == [
        (mail_id, "REFUSED", "550", "")
    ]
    assert world.held("A-1001") == "address-refused"
    with world.database.of_shop(world.shop, at=world.now) as tx:
        assert alerts.alerts(tx, with_resolved=True) == []
        orders.set_unpaid(tx, "A-1001")
        assert keep_alerts(tx)[0] == 0  # there is no address to tell of
        assert alerts.subjects(tx, "mail-refused") == set()


def test_the_reason_of_a_withdrawn_mail_stays(world: MailWorld) -> None:
    mail_id = refuse(world, "A-1001")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        reminder_lists.try_again(tx, mail_id)
    close(world, "A-1001")
    world.now += timedelta(days=366)
    assert forgotten(world) == 1
    assert world.rows("SELECT status, error, recipient FROM mails WHERE shop_id = $1") == [
        ("WITHDRAWN", "to be tried again", "")
    ]


def test_the_shop_says_how_long(world: MailWorld) -> None:
    for number in ("A-1001", "A-1002"):
        world.order(number)
    world.send()
    close(world, "A-1001", "A-1002")
    world.set(keep_mail_days="30")
    world.now += timedelta(days=30)
    assert forgotten(world) == 0
    world.set(keep_mail_days="forever")
    assert world.shop.keep_mail_days is None
    world.now += timedelta(days=5000)
    assert forgotten(world) == 0
    world.set(keep_mail_days="9999")
    assert forgotten(world) == 0
    world.set(keep_mail_days="30")
    first = forget_old(world.database, world.shop, world.now, batch=1)
    assert (first.counts, first.more) == ({"messages of mails": 2}, False)
    for text in ("0", "-1", "10000", "1.5", "never", ""):
        with pytest.raises(SettingRefused, match="a number of days from 1 to 9999 is expected, or forever"):
            world.set(keep_mail_days=text)


def test_another_shop_keeps_its_own(world: MailWorld) -> None:
    other = new_world(world.database)
    other.statement(date(2026, 3, 13))
    other.now = SENT_AT
    for each in (world, other):
        each.order("A-1001")
        each.send()
        close(each, "A-1001")
        each.now += timedelta(days=366)
    assert forgotten(world) == 1
    assert words(other)[0][3:] == (True, False)
