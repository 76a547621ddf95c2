"""Orders of which a refund is under way: who is asked for money, who is not, and for how long (D-3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from paymatch.domain.collection.cases import CollectionRefused
from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.domain.shops.alerts import AlertKind
from paymatch.formats.mail.message import html_page, plain_text
from paymatch.store.database import Database
from paymatch.store.refunds import given_back
from paymatch.usecases.collection import cases
from paymatch.usecases.collection.lapses import lapse_due
from paymatch.usecases.matching.assigning import Part, match
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.refunds import refunds
from paymatch.usecases.reminders.reminder_lists import preview
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world

GIVEN_BACK = "refund: a refund in progress covers the open amount: the customer is not asked for it"


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    opened = Database(migrated_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def due(database: Database) -> MailWorld:
    """An order of 49.90 whose first reminder is due on Monday, 16 March, and whole bank data until Friday."""
    world = new_world(database)
    world.order("A-1001")
    world.statement(date(2026, 3, 13))
    world.send()
    world.go_to("2026-03-16 10:00")
    return world


def file(world: MailWorld, minor: int, number: str = "A-1001") -> str:
    """Files a refund for tomorrow; its id."""
    wanted = SubmittedRefund(f"RET-{number}-{minor}", minor, EUR, 2, (world.now + timedelta(days=1)).date())
    with world.database.of_shop(world.shop, at=world.now) as tx:
        refunds.create(tx, number, wanted)
    ((found,),) = world.rows(
        "SELECT id FROM refunds WHERE shop_id = $1 AND external_reference = $2", f"RET-{number}-{minor}"
    )
    return str(found)


def cancel(world: MailWorld, refund_id: str) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        refunds.cancel(tx, refund_id)


def alerts_of(world: MailWorld) -> list[str]:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        keep_alerts(tx)
    found = list_alerts(world.database, world.shop)
    return [str(row["text"]) for row in found if row["kind"] == AlertKind.REFUND_UNPAID]


def test_nobody_is_reminded_of_what_a_refund_gives_back(due: MailWorld) -> None:
    file(due, 4990)
    assert due.rows("SELECT status FROM refunds WHERE shop_id = $1") == [("BANKDETAILS_MISSING",)]
    assert due.send() == 1
    assert (due.mails(), due.held("A-1001")) == ([], GIVEN_BACK)
    for day in ("2026-03-30 10:00", "2026-05-04 10:00"):
        due.go_to(day)
        due.send()
        assert due.mails() == []
    (row,) = list(preview(due.database, due.shop, date(2026, 6, 1), due.now))
    assert (row["orderNumber"], row["mail"], row["reason"]) == ("A-1001", "", "refund")
    assert check_shop(due.database, due.shop) == []


def test_a_refund_that_is_cancelled_lets_the_reminder_go(due: MailWorld) -> None:
    refund_id = file(due, 4990)
    due.send()
    cancel(due, refund_id)
    assert due.send() == 1
    assert due.mails() == [("A-1001", 1, "SENT")]
    assert "erstatten" not in plain_text(due.door.sent[0].content)


def test_an_honest_debt_of_which_a_part_goes_back_waits_for_two_weeks(due: MailWorld) -> None:
    file(due, 1000)
    due.send()
    assert due.mails() == []
    assert due.held("A-1001") == "refund: a refund of a part of it is in progress: reminders wait until 2026-03-30"
    due.go_to("2026-03-30 08:30")
    due.statement(date(2026, 3, 27))
    due.send()
    assert due.mails() == []
    due.go_to("2026-03-30 10:00")
    due.send()
    assert due.mails() == [("A-1001", 1, "SENT")]
    said = plain_text(due.door.sent[0].content)
    assert "Sobald Ihre Zahlung eingegangen ist, erstatten wir Ihnen 10,00\u00a0€." in said
    assert "49,90\u00a0€" in said


def test_a_mail_about_several_orders_says_of_which_a_part_goes_back(database: Database) -> None:
    world = new_world(database)
    for number in ("A-1001", "A-1002", "A-1003"):
        world.order(number, customerEmail="erika@example.com", language="en")
    file(world, 1000)
    file(world, 4990, "A-1003")
    world.go_to("2026-03-16 10:00")
    world.statement(date(2026, 3, 13))
    world.send()
    assert world.mails() == [("A-1001", 1, "SENT"), ("A-1002", 1, "SENT")]
    (mail,) = world.door.sent
    said, told = plain_text(mail.content), "Once your payment has arrived, we will refund €10.00 to you."
    first, second = (said.index(f"order {number}\n---") for number in ("A-1001", "A-1002"))
    assert said.count(told) == 1 and first < said.index(told) < second
    assert told in html_page(mail.content)


def test_new_payment_information_is_not_sent_for_what_is_given_back(database: Database) -> None:
    world = new_world(database, payment_information="on")
    world.order("A-1001")
    file(world, 4990)
    world.order("A-1002")
    world.send()
    assert world.mails() == [("A-1002", 0, "SENT")]
    world.order("A-1001", amount="60.00")  # a part of it is owed now
    world.send()
    assert world.mails() == [("A-1001", 0, "SENT"), ("A-1002", 0, "SENT")]


def test_a_correction_is_not_sent_for_what_is_given_back(database: Database) -> None:
    world = new_world(database, payment_information="on")
    world.order("A-1001", amount="80.00")
    world.send()
    file(world, 4990)
    world.order("A-1001")
    world.send()
    assert world.mails() == [("A-1001", 0, "SENT")]


def test_what_came_in_and_goes_back_is_asked_for_by_nobody(due: MailWorld) -> None:
    """A part is paid and the whole of it is refunded: what is open is less than what goes back."""
    due.go_to("2026-03-16 08:00")
    due.statement(date(2026, 3, 14), 0, (3000, "A-1001"))
    match_due(due.database, due.shop, due.now)
    ((posting,),) = due.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'suggested'")
    match(due.database, due.shop, posting, [Part("A-1001")], due.now)
    assert due.rows("SELECT status FROM orders WHERE shop_id = $1") == [("PAID_PARTIAL",)]
    file(due, 3000)
    due.go_to("2026-03-16 10:00")
    due.send()
    assert (due.mails(), due.held("A-1001")) == ([], GIVEN_BACK)


def test_a_person_is_told_two_weeks_later(due: MailWorld) -> None:
    refund_id = file(due, 4990)
    due.go_to("2026-03-30 09:59")
    assert alerts_of(due) == []
    due.go_to("2026-03-30 10:00")
    assert alerts_of(due) == [
        "Order A-1001 is not paid (49.90 EUR is open), and refunds in progress cover that: the customer is no longer"
        " asked for it. Cancel the refund if the customer owes it, otherwise cancel the order"
    ]
    cancel(due, refund_id)
    assert alerts_of(due) == []


def test_an_alert_is_about_debts_that_nobody_is_asked_for(due: MailWorld) -> None:
    file(due, 1000)
    due.order("A-1002", type="COD")
    due.order("A-1003", type="OTHER")
    for number in ("A-1002", "A-1003"):
        file(due, 4990, number)
    due.go_to("2026-05-04 10:00")
    assert alerts_of(due) == []
    with due.database.of_shop(due.id) as tx:
        found = [given_back.given_back_unpaid(tx, minor, due.now) for minor in (3989, 3990)]
    assert [[row[:3] for row in rows] for rows in found] == [[], [("A-1001", 4990, "EUR")]]


def test_an_agency_does_not_get_what_is_given_back(due: MailWorld) -> None:
    with due.database.of_shop(due.shop) as tx:
        cases.set_agency(tx, {"name": "Agency Ltd"})
    refund_id = file(due, 4990)
    with due.database.of_shop(due.shop, at=due.now) as tx, pytest.raises(CollectionRefused) as refused:
        cases.hand_over(tx, "A-1001")
    assert str(refused.value) == "Could not hand over order (a refund in progress covers the open amount)"
    assert due.rows("SELECT status FROM orders WHERE shop_id = $1") == [("UNPAID",)]
    cancel(due, refund_id)
    with due.database.of_shop(due.shop, at=due.now) as tx:
        cases.hand_over(tx, "A-1001")
    assert due.rows("SELECT status FROM orders WHERE shop_id = $1") == [("COLLECTION",)]


def test_an_order_does_not_lapse_while_it_is_refunded(database: Database) -> None:
    world = new_world(database, payment_information="on", reminders="off", lapse_after="14")
    world.order("A-1001")
    world.send()
    refund_id = file(world, 4990)
    world.go_to("2026-03-30 10:00")
    world.statement(date(2026, 3, 27))
    assert lapse_due(world.database, world.shop, world.now) == 0
    cancel(world, refund_id)
    assert lapse_due(world.database, world.shop, world.now) == 1
    assert world.rows("SELECT status FROM orders WHERE shop_id = $1") == [("CANCELLED",)]
