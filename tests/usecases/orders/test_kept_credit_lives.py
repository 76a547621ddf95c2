"""Kept credit through payments that are undone and come back, any number of times, by a second reckoning (D-87)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paymatch.domain.customers.credits import CreditRefused, to_keep_again
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.settlement import credits
from tests.contract.client import Clock
from tests.keys import KEYRING
from tests.length import times
from tests.usecases.orders.test_credits import ERIKA, account, balance, do, listed, overpaid
from tests.usecases.refunds.refund_world import RefundWorld

DUE, PAID, NEXT = 9_000, 10_000, 700


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=4, keyring=KEYRING)
    yield found
    found.close()


@dataclass
class Reckoned:
    """The customer's money, without entries: what was kept, pays the next order, or fills in for the payment."""

    is_paid: bool = True
    kept: int = 0
    used: int = 0
    lent: int = 0  # of the credit, that pays the first order while its payment is gone

    @property
    def credit(self) -> int:
        return self.kept - self.used - self.lent

    def act(self, name: str) -> bool:
        """Whether it is possible."""
        before = (self.is_paid, self.kept, self.used)
        if name == "keep" and self.is_paid:
            self.kept = PAID - DUE
        elif name == "use":
            self.used += min(self.credit, NEXT - self.used)
        elif name == "take_back_use":
            self.used = 0
        elif name == "reverse" and self.is_paid:
            self.is_paid, self.lent = False, self.credit
        elif name == "restore":
            self.is_paid, self.lent = True, 0
        return before != (self.is_paid, self.kept, self.used)

    def found(self) -> tuple[int, int, int, int]:
        """Overpaid on the first order, free credit, open of the first and of the second order."""
        on_first = PAID * self.is_paid - self.kept + self.lent
        return max(on_first - DUE, 0), self.credit, max(DUE - on_first, 0), NEXT - self.used


class Life:
    """The same at the service."""

    def __init__(self, world: RefundWorld) -> None:
        self.world = world
        overpaid(world, "C-1")
        world.client.submit("C-2", amount=NEXT / 100, customerEmail=ERIKA, language="en")
        ((self.posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1")

    def act(self, name: str) -> bool:
        """Whether it was possible."""
        world, at = self.world, self.world.clock.now
        world.clock.pass_time(seconds=1)
        if name in ("keep", "use", "take_back_use"):
            action: Callable[..., object] = getattr(credits, name)
            try:
                do(world, action, "C-1" if name == "keep" else "C-2")
            except CreditRefused:
                return False
            return True
        is_matched = world.client.rows("SELECT status = 'matched' FROM postings WHERE shop_id = $1") == [(True,)]
        if is_matched is (name == "restore"):
            return False
        if name == "reverse":
            assigning.unmatch(world.database, world.client.shop, self.posting, at)
        else:
            assigning.match(world.database, world.client.shop, self.posting, [Part("C-1", PAID)], at)
        return True

    def found(self) -> tuple[int, int, int, int]:
        """Overpaid on the first order, free credit, open of the first and of the second order."""
        first, second = listed(self.world, "C-1"), listed(self.world, "C-2")
        return first.overpaid_minor, balance(self.world), first.open_minor, second.open_minor


STEPS = ("keep", "use", "take_back_use", "reverse", "restore")


@settings(
    max_examples=times(10, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.sampled_from(STEPS), max_size=12))
def test_credit_is_credit_again_whenever_its_payment_is_back(
    database: Database, tmp_path: Path, steps: list[str]
) -> None:
    life, reckoned = Life(RefundWorld(database, tmp_path, clock=Clock())), Reckoned()
    for step in (*steps, "restore"):
        assert life.act(step) == reckoned.act(step), step
        assert life.found() == reckoned.found(), step
        assert account(life.world, "3500") == -reckoned.credit
        life.world.check()
    overpaid_minor, credit, _, left = life.found()
    assert overpaid_minor + credit + NEXT - left == PAID - DUE, "nothing is lost or comes twice"


def test_a_payment_undone_and_back_and_undone_and_back(database: Database, tmp_path: Path) -> None:
    life = Life(RefundWorld(database, tmp_path, clock=Clock()))
    life.act("keep")
    for _ in range(3):
        assert life.found() == (0, 1_000, 0, 700)
        life.act("reverse")
        assert life.found() == (0, 0, 9_000, 700)
        life.act("restore")
    assert life.found() == (0, 1_000, 0, 700)


def test_credit_that_a_person_returned_to_its_order_stays_there(database: Database, tmp_path: Path) -> None:
    life = Life(RefundWorld(database, tmp_path, clock=Clock()))
    life.act("keep")
    do(life.world, credits.pay_out, "C-1")
    life.act("reverse")
    life.act("restore")
    assert life.found() == (1_000, 0, 0, 700)


def test_a_refund_that_was_planned_meanwhile_comes_first(database: Database, tmp_path: Path) -> None:
    life = Life(RefundWorld(database, tmp_path, clock=Clock()))
    life.act("keep")
    life.act("reverse")
    life.world.file("C-1", 4)
    life.act("restore")
    assert life.found() == (400, 600, 0, 700)
    life.world.check()


@given(st.integers(0, 9999), st.integers(-9999, 19999), st.integers(0, 999), st.integers(0, 999))
def test_no_more_is_kept_again_than_returned_and_is_over(due: int, credited: int, returned: int, planned: int) -> None:
    again = to_keep_again(due, credited, returned, planned)
    assert 0 <= again <= returned
    assert again == 0 or credited - again >= due + planned
