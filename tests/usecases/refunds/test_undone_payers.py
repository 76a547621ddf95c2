"""Undoing a match takes back what the booking had given to refunds: the payer's account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning
from tests.contract.bank import pay
from tests.contract.client import Clock
from tests.keys import KEYRING
from tests.pages.customers.page_world import Customer
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    return RefundWorld(database, tmp_path, clock=Clock())


def undo_last(world: RefundWorld) -> None:
    """A person undoes the match of the last payment."""
    rows = world.client.rows(
        "SELECT id FROM postings WHERE shop_id = $1 AND status = 'matched' ORDER BY id DESC LIMIT 1"
    )
    assigning.unmatch(world.database, world.client.shop, rows[0][0], world.clock.now)


def account_of(world: RefundWorld, refund_id: str) -> tuple[str, bool]:
    """(status, whether an account is known)"""
    shown = world.refund(refund_id)
    return shown["status"], bool(shown.get("iban"))


def test_a_refund_that_waited_for_an_account_waits_for_it_again(world: RefundWorld, tmp_path: Path) -> None:
    """The stranger's account leaves the refund, and the customer's page."""
    world.client.submit("U-1", amount=100, language="en", customerEmail="erika@example.com")
    refund_id = world.file("U-1", 30)
    assert account_of(world, refund_id)[0] == "BANKDETAILS_MISSING"
    pay(world.client, "U-1", 10_000, account="DE02120300000000202051")
    customer = Customer(world, DirectoryFiles(tmp_path))
    assert world.status(refund_id) == "NEW"
    assert "DE02 … 2051" in customer.get(customer.link("U-1")).text
    undo_last(world)
    assert account_of(world, refund_id) == ("BANKDETAILS_MISSING", False)
    shown = customer.get(customer.link("U-1")).text
    assert "2051" not in shown and "Where should we transfer your refund of €30.00?" in shown
    world.check()


def test_an_account_that_the_customer_named_stays(world: RefundWorld) -> None:
    world.client.submit("U-2", amount=100, customerEmail="erika@example.com")
    refund_id = world.file("U-2", 30)
    world.set_iban(refund_id, ERIKA)
    pay(world.client, "U-2", 10_000, account="DE02120300000000202051")
    undo_last(world)
    assert world.status(refund_id) == "NEW"
    assert world.client.rows("SELECT iban_given FROM refunds WHERE shop_id = $1 AND id = $2", refund_id)[0][0]


def test_the_account_of_another_payment_takes_its_place(world: RefundWorld) -> None:
    world.client.submit("U-3", amount=100, customerEmail="erika@example.com")
    pay(world.client, "U-3", 4_000, account=ERIKA)
    refund_id = world.file("U-3", 30)
    world.clock.pass_time(days=1)
    pay(world.client, "U-3", 6_000, account="DE02120300000000202051")
    undo_last(world)
    assert world.status(refund_id) == "NEW"
