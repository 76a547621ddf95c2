"""Money that waits for a person holds the reminders of the orders that it may be for (D-134)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from paymatch.store.database import Database
from paymatch.store.reminders import reminders
from paymatch.store.transactions import ShopId
from paymatch.usecases.matching.assigning import Part, match
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.shops import shops
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import ACCOUNT, START, MailWorld


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    new = shops.create(database, "Waiting", START, ibans=[ACCOUNT])
    found = MailWorld(database, ShopId(new.shop.id))
    found.set(reminders="on", mail_from="post@shop.example")
    return found


def reminded(world: MailWorld, *paid: tuple[int, str]) -> list[str]:
    """Who is reminded two weeks later, once these payments have come."""
    world.go_to("2026-03-14 10:00")
    world.statement(date(2026, 3, 13), 0, *paid)
    match_due(world.database, world.shop, world.now)
    world.go_to("2026-03-16 10:00")
    world.send()
    return sorted(mail.recipient.split("@")[0] for mail in world.door.sent)


def test_a_payment_of_exactly_what_is_open_holds_and_others_are_reminded(world: MailWorld) -> None:
    for place in range(30):  # of so many orders of one amount none is suggested
        world.order(f"A-{1001 + place}", billing={"lastName": f"Kunde{place}", "countryCode": "DE"})
    world.order("A-2000", "49.91")
    assert reminded(world, (4990, "for the boy")) == ["a-2000"]
    world.rows("UPDATE postings SET status = 'ignored', by_hand = true WHERE shop_id = $1 RETURNING id")
    world.rows("UPDATE reminder_dues SET due_at = '2026-03-16' WHERE shop_id = $1 RETURNING 1")
    world.send()
    assert len(world.door.sent) > 1  # once a person has set the money aside, it holds nothing


@pytest.mark.parametrize(
    ("number", "minor", "text", "expected"),
    [
        (
            "20260301",
            4990,
            "Kauf vom 20260301",
            ["a-2000"],
        ),  # a date, so a person decides: no one is reminded meanwhile
        ("4990", 4990, "Zahlung EUR 49.90", ["a-2000"]),  # the amount is not the number
        ("A-1001", 1, "alles bezahlt, bitte keine Mahnung", ["a-1001", "a-2000"]),  # words without money hold nothing
    ],
)
def test_undecided_money_holds_its_order_and_words_without_money_hold_none(
    world: MailWorld, number: str, minor: int, text: str, expected: list[str]
) -> None:
    world.order(number)
    world.order("A-2000", "77.00")
    assert reminded(world, (minor, text)) == expected


def test_what_one_guest_paid_too_much_holds_no_reminder_of_the_others(world: MailWorld) -> None:
    for number, email, name in (
        ("A-1001", "a@example.com", "Adler"), ("A-1002", "b@example.com", "Busch"),
        ("A-1003", "A@example.com", "Ahrens"), ("A-1004", "work@example.com", "ADLER"),
    ):  # fmt: skip
        billing = {"firstName": "Eva", "lastName": name, "countryCode": "DE"}
        world.order(number, customerNumber="GUEST", customerEmail=email, billing=billing)
    world.go_to("2026-03-14 10:00")
    world.statement(date(2026, 3, 13), 0, (20000, "A-1001"))
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1")
    match(world.database, world.shop, posting, [Part("A-1001")], world.now)
    world.go_to("2026-03-16 10:00")
    world.send()
    assert [mail.recipient for mail in world.door.sent] == ["b@example.com"]
    for held in ("A-1003", "A-1004"):  # the same address, or the same name with another address
        assert "order A-1001 of its customer is overpaid" in world.held(held)


def test_orders_that_name_no_customer_are_not_of_one_customer(world: MailWorld) -> None:
    for number in ("A-1001", "A-1002"):
        world.order(number, customerEmail="")
    world.rows("UPDATE orders SET postings_minor = 20000 WHERE shop_id = $1 AND number = 'A-1001' RETURNING 1")
    with world.database.of_shop(world.shop, at=world.now) as tx:
        (found,) = reminders.load(tx, ["A-1002"], 0, world.now)
    assert found.facts.overpaid_order == ""


def test_what_a_customer_paid_too_much_holds_the_reminder_of_the_next_order(world: MailWorld) -> None:
    for number, amount in (("A-1001", "49.90"), ("A-1002", "12.00"), ("A-1003", "12.10")):
        world.order(number, amount, customerNumber="K-1", customerEmail="k1@example.com")
    world.order("A-1004", "12.00", customerNumber="K-2")
    world.go_to("2026-03-14 10:00")
    world.statement(date(2026, 3, 13), 0, (6195, "A-1001"))
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1")
    match(world.database, world.shop, posting, [Part("A-1001")], world.now)
    world.go_to("2026-03-16 10:00")
    world.send()
    assert sorted(mail.recipient for mail in world.door.sent) == ["a-1004@example.com", "k1@example.com"]
    assert "order A-1001 of its customer is overpaid" in world.held("A-1002")


def test_the_surplus_of_a_payment_that_waits_holds_the_next_order_too(world: MailWorld) -> None:
    for number, amount, customer in (("A-1001", "6.08", "K-1"), ("A-1002", "10.00", "K-1"), ("A-1003", "10.00", "K-2")):
        billing = {"firstName": "Eva", "lastName": f"Adler {customer}", "countryCode": "DE"}
        world.order(number, amount, customerNumber=customer, customerEmail=f"{customer}@example.com", billing=billing)
    assert reminded(world, (1608, "A-1001")) == ["K-2"]
    assert world.rows("SELECT amount_minor FROM postings WHERE shop_id = $1 AND status = 'suggested'") == [(1608,)]
    assert "order A-1001 of its customer is overpaid" in world.held("A-1002")
