"""Every reminder keeps what it rested on, and a complaint leads to the payment in one step (D-125)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from paymatch.store.database import Database
from paymatch.store.reminders import reasons
from paymatch.store.search.payments import ComplaintPayment
from paymatch.store.transactions import ShopId
from paymatch.usecases.desk.complaints import Complaint, search_payment
from paymatch.usecases.desk.order_view import view
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
    new = shops.create(database, "Reasons", START, ibans=[ACCOUNT])
    found = MailWorld(database, ShopId(new.shop.id))
    found.set(reminders="on", mail_from="post@shop.example")
    return found


def payments(world: MailWorld, **said: object) -> list[tuple[str, int, tuple[str, ...], str]]:
    """(text, amount, orders that it pays, by what it fits) of what a complaint about A-1001 finds."""

    def fits(each: ComplaintPayment) -> str:
        by = {"number": each.by_number, "amount": each.by_amount, "name": each.by_name, "account": each.by_account}
        return " ".join(name for name, meets in by.items() if meets)

    with world.database.of_shop(world.shop, at=world.now) as tx:
        found = search_payment(tx, "A-1001", Complaint(**said))  # type: ignore[arg-type]
    return [(each.text, each.amount_minor, each.orders, fits(each)) for each in found.payments]


def test_a_reminder_keeps_what_it_rested_on_and_a_complaint_finds_the_payment(world: MailWorld) -> None:
    world.order("A-1001", invoiceNumbers=["RE-77"], customerNumber="K-9")
    world.order("A-1002", "12.00")
    world.go_to("2026-03-14 10:00")
    world.statement(date(2026, 3, 13), 0, (77, "rounding"), (1200, "A-1002"))
    world.go_to("2026-03-16 10:00")
    world.send()
    assert [mail.recipient for mail in world.door.sent] == ["a-1001@example.com"]
    with world.database.of_shop(world.shop, at=world.now) as tx:
        (kept,) = reasons.of_order(tx, "A-1001")
        assert view(tx, "A-1001").reasons == (kept,)
        assert reasons.of_order(tx, "A-1002") == []
    assert (kept.dunning_level, kept.decided_at, kept.open_minor) == (1, world.now, 4990)
    assert (kept.covered_until, kept.undecided, kept.of_amount) == (date(2026, 3, 13), 1, ())
    assert kept.last_import_at == datetime(2026, 3, 14, 10, tzinfo=UTC)
    reference = world.rows("SELECT reference FROM orders WHERE shop_id = $1 AND number = 'A-1001'")[0][0]
    assert set(kept.looked_for) == {"A-1001", "RE-77", "K-9", "Erika Mustermann", *([reference] if reference else [])}

    assert payments(world) == []  # neither its amount nor its name nor its number
    assert payments(world, amount_minor=77) == [("rounding", 77, (), "amount")]
    assert payments(world, amount_minor=1200) == [("A-1002", 1200, ("A-1002",), "amount")]  # it paid another order
    assert payments(world, amount_minor=77, day=date(2026, 1, 2)) == []
    assert payments(world, name="Nobody Else") == []


def test_a_payment_of_the_very_amount_that_waits_is_named(world: MailWorld) -> None:
    world.order("A-1001")
    world.go_to("2026-03-14 10:00")
    world.statement(date(2026, 3, 13), 0, (4990, "a gift"), (4990, "another"))
    world.go_to("2026-03-16 10:00")
    sent = world.send()
    with world.database.of_shop(world.shop, at=world.now) as tx:
        told = reasons.of_order(tx, "A-1001")
    waiting = world.rows(
        "SELECT id FROM postings WHERE shop_id = $1 AND status = 'unmatched' ORDER BY booking_date DESC, id"
    )
    if world.mails():  # neither is suggested for it, so that it is reminded of
        assert (sent, told[0].undecided, told[0].of_amount) == (1, 2, tuple(row[0] for row in waiting))
    else:
        assert (told, waiting) == ([], [])
    assert [fits for _, _, _, fits in payments(world)] == ["amount", "amount"]


@pytest.mark.parametrize(
    ("customer", "banks"),
    [
        ("Jörg Müller", "MUELLER JOERG"), ("Jörg Müller", "Joerg Muller"), ("Jürgen Weiß", "WEISS"),
        ("Ηλίας Παππάς", "PAPPAS ILIAS"), ("Николай Иванов", "Ivanov Nikolai"), ("José Núñez", "NUNEZ JOSE"),
    ],
)  # fmt: skip
def test_a_complaint_finds_the_name_as_a_bank_writes_it(world: MailWorld, customer: str, banks: str) -> None:
    world.order("A-1001")
    world.go_to("2026-03-14 10:00")
    world.statement(date(2026, 3, 13), 0, (77, f"from {banks}"), (78, "from Anna Brandt"))
    assert payments(world, amount_minor=1, name=customer) == [(f"from {banks}", 77, (), "name")]


def test_a_short_number_is_no_part_of_another(world: MailWorld) -> None:
    world.order("12")
    world.go_to("2026-03-14 10:00")
    texts = ("Order 12", "no. 12 thanks", "112", "RE-120", "on 12.03.", "12")
    world.statement(date(2026, 3, 13), 0, *((100 + place, text) for place, text in enumerate(texts)))
    with world.database.of_shop(world.shop, at=world.now) as tx:
        found = search_payment(tx, "12", Complaint(amount_minor=1, name="Nobody Else"))
    assert sorted(each.text for each in found.payments) == ["12", "Order 12", "no. 12 thanks"]
