"""Credit balances: what is overpaid is kept, used, given back, income or loss, and the books say the same (D-87)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.customers.credits import CreditRefused, customer_key, to_return
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.customers import credits as store
from paymatch.store.database import Database
from paymatch.store.orders import order_list
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching import assigning, moving
from paymatch.usecases.reports import exports, journal
from paymatch.usecases.settlement import credits
from tests.contract.bank import pay
from tests.contract.client import Clock
from tests.keys import KEYRING
from tests.pages.customers.page_world import Customer
from tests.usecases.refunds.refund_world import RefundWorld

ERIKA = "erika@example.com"


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    return RefundWorld(database, tmp_path, clock=Clock())


def overpaid(world: RefundWorld, number: str, due: float = 90, minor: int = 10_000, **more: object) -> None:
    """An order of which something was sent back after it was paid in full."""
    more = {"customerEmail": ERIKA, "language": "en", **more}
    world.client.submit(number, amount=minor / 100, **more)
    pay(world.client, number, minor)
    world.client.submit(number, amount=due, **more)


def do(world: RefundWorld, action: Callable[[ShopTx, str], object], number: str) -> object:
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        return action(tx, number)


def balance(world: RefundWorld, email: str = ERIKA) -> int:
    with world.database.of_shop(world.client.id) as tx:
        return store.balance(tx, customer_key("", email, ""), "EUR")


def listed(world: RefundWorld, number: str) -> order_list.ListedOrder:
    with world.database.of_shop(world.client.id) as tx:
        found = order_list.find(tx, number)
    assert found is not None
    return found


def account(world: RefundWorld, number: str) -> int:
    """What the journal books on an account in all, debits positive, in minor units."""
    with world.database.of_shop(world.client.shop) as tx:
        found = list(journal.bookings(tx, date(2020, 1, 1), date(2030, 1, 1)))
    return sum(each.minor * ((each.debit.number == number) - (each.credit.number == number)) for each in found)


def test_what_is_overpaid_is_kept_and_pays_the_next_order(world: RefundWorld, tmp_path: Path) -> None:
    overpaid(world, "C-1")
    assert listed(world, "C-1").overpaid_minor == 1_000
    do(world, credits.keep, "C-1")
    assert (listed(world, "C-1").overpaid_minor, world.client.status("C-1"), balance(world)) == (0, "PAID", 1_000)
    assert account(world, "3500") == -1_000, "a liability of the shop"
    world.check()
    world.client.submit("C-2", amount=25, customerEmail=ERIKA, language="en")
    assert world.client.status("C-2") == "UNPAID", "it is offered, never taken by itself"
    customer = Customer(world, DirectoryFiles(tmp_path))
    assert "You have a credit of €10.00 with us." in customer.get(customer.link("C-2")).text
    assert do(world, credits.use, "C-2") == 1_000
    assert (world.client.status("C-2"), listed(world, "C-2").open_minor, balance(world)) == ("PAID_PARTIAL", 1_500, 0)
    assert (account(world, "3500"), account(world, "10000")) == (0, -10_000)
    assert world.client.get("order/C-2").json["amountPaid"] == "10.00"
    do(world, credits.take_back_use, "C-2")
    assert (world.client.status("C-2"), balance(world)) == ("UNPAID", 1_000)
    world.check()


def test_a_shop_may_let_credit_pay_new_orders_by_itself(world: RefundWorld) -> None:
    overpaid(world, "C-1")
    do(world, credits.keep, "C-1")
    world.client.change(use_credit="on")
    world.client.submit("C-2", amount=7, customerEmail=ERIKA.upper())
    assert (world.client.status("C-2"), balance(world)) == ("PAID", 300)
    world.client.submit("C-3", amount=7, customerEmail="other@example.com")
    assert world.client.status("C-3") == "UNPAID", "another customer's"
    world.check()


def test_an_undone_payment_takes_its_kept_credit_along(world: RefundWorld) -> None:
    overpaid(world, "C-1")
    do(world, credits.keep, "C-1")
    rows = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'matched'")
    assigning.unmatch(world.database, world.client.shop, rows[0][0], world.clock.now)
    assert (balance(world), listed(world, "C-1").open_minor, world.client.status("C-1")) == (0, 9_000, "UNPAID")
    world.check()


def test_credit_that_pays_another_order_stays_there_when_its_payment_is_undone(world: RefundWorld) -> None:
    """The customer owes it with the first order: nothing is lost, and no balance falls below zero."""
    overpaid(world, "C-1")
    do(world, credits.keep, "C-1")
    world.client.submit("C-2", amount=10, customerEmail=ERIKA)
    do(world, credits.use, "C-2")
    rows = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'matched'")
    assigning.unmatch(world.database, world.client.shop, rows[0][0], world.clock.now)
    assert (world.client.status("C-2"), balance(world), listed(world, "C-1").open_minor) == ("PAID", 0, 10_000)
    world.check()


def test_credit_goes_back_to_whom_it_came_from(world: RefundWorld) -> None:
    """The address of an order was corrected after its overpayment was kept, and after credit paid it."""
    overpaid(world, "C-1")
    do(world, credits.keep, "C-1")
    world.client.submit("C-2", amount=4, customerEmail=ERIKA)
    do(world, credits.use, "C-2")
    for number, amount in (("C-1", 90), ("C-2", 4)):
        world.client.submit(number, amount=amount, customerEmail="new@example.com", language="en")
    do(world, credits.take_back_use, "C-2")
    assert (balance(world), balance(world, "new@example.com")) == (1_000, 0)
    do(world, credits.pay_out, "C-1")
    assert (balance(world), listed(world, "C-1").overpaid_minor) == (0, 1_000)
    world.check()


def test_income_and_what_may_not_be_done(world: RefundWorld) -> None:
    overpaid(world, "C-1", due=99)
    do(world, credits.book_as_income, "C-1")
    assert (listed(world, "C-1").overpaid_minor, account(world, "4830")) == (0, -100)
    for action in (credits.keep, credits.book_as_income, credits.use, credits.take_back_use, credits.pay_out):
        with pytest.raises(CreditRefused):
            do(world, action, "C-1")
    with pytest.raises(CreditRefused):
        do(world, credits.note_loss, "C-1")
    world.check()


def test_a_planned_refund_is_not_kept_as_well(world: RefundWorld) -> None:
    overpaid(world, "C-1")
    world.file("C-1", 10)
    with pytest.raises(CreditRefused):
        do(world, credits.keep, "C-1")


def test_the_export_and_its_sum(world: RefundWorld) -> None:
    overpaid(world, "C-1")
    do(world, credits.keep, "C-1")
    with world.database.of_shop(world.client.shop) as tx:
        rows = list(exports.rows(tx, "credits", date(2026, 1, 1), date(2026, 12, 31)))
        sums = store.sums(tx, date(2026, 12, 31))
    assert [(row["number"], row["kind"], row["amount"], row["currency"]) for row in rows] == [
        ("C-1", "kept", 1_000, "EUR")
    ]
    assert sums == [("EUR", 1, 1_000)]


def test_a_payment_moves_to_another_order_whole_or_in_part(world: RefundWorld) -> None:
    overpaid(world, "M-1")
    world.client.submit("M-2", amount=10)
    posting = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'matched'")[0][0]
    shop, now = world.client.shop, world.clock.now
    moving.move(world.database, shop, posting, "M-1", "M-2", 1_000, now)
    assert (world.client.status("M-2"), listed(world, "M-1").overpaid_minor) == ("PAID", 0)
    moving.move(world.database, shop, posting, "M-1", "M-2", None, now)
    assert (world.client.status("M-1"), listed(world, "M-2").overpaid_minor) == ("UNPAID", 9_000)
    with pytest.raises(AssignmentRefused):
        moving.move(world.database, shop, posting, "M-2", "M-1", 20_000, now)
    world.check()


@given(st.integers(0, 9999), st.integers(-9999, 9999), st.integers(0, 999), st.integers(0, 999))
def test_no_more_goes_back_than_is_lacking_was_kept_and_is_left(due: int, credited: int, kept: int, left: int) -> None:
    back = to_return(due, credited, kept, left)
    assert 0 <= back <= min(kept, left)
    assert back == 0 or credited + back <= due
