"""An exchangeRate far away from the last one used: an alert, and the order's refunds wait for a person (D-85)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from paymatch.domain.refunds.refunds import HoldReason
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from tests.contract.bank import pay
from tests.usecases.refunds.refund_world import RefundWorld


@pytest.fixture
def world(module_url: str, tmp_path: Path) -> Iterator[RefundWorld]:
    database = Database(module_url, size=4)
    made = RefundWorld(database, tmp_path)
    yield made
    database.close()


def before(world: RefundWorld, number: str) -> Decimal | None:
    """The rate that the order's own is far away from."""
    ((found,),) = world.client.rows(f"SELECT rate_before FROM orders WHERE shop_id = $1 AND number = '{number}'")
    return None if found is None else Decimal(found)


def test_attack_a_refund_of_an_order_with_an_unusual_rate_waits(world: RefundWorld) -> None:
    world.client.submit("SO-88001", amount=100, exchangeRate=500)
    pay(world.client, "SO-88001", 10_000)
    world.file("SO-88001", 60)
    world.pass_days(1)
    assert [held.reason for held in world.run().held] == [HoldReason.UNUSUAL_RATE]
    world.client.submit("SO-88001", amount=100, exchangeRate=1)  # corrected
    assert [len(world.run().held), len(world.contents())] == [0, 1]


def test_honest_a_refund_of_an_order_with_the_usual_rate_leaves_by_itself(world: RefundWorld) -> None:
    world.client.submit("SO-88002", amount=100, exchangeRate="1.0")
    pay(world.client, "SO-88002", 10_000)
    world.file("SO-88002", 60)
    world.pass_days(1)
    assert [len(world.run().held), len(world.contents())] == [0, 1]
    assert before(world, "SO-88002") is None


def test_a_rate_is_compared_with_the_last_one_of_any_shop(world: RefundWorld, tmp_path: Path) -> None:
    world.client.submit("SO-88003", amount=100, currency="SEK", exchangeRate="11.50")
    other = RefundWorld(world.database, tmp_path, clock=world.clock)
    other.client.submit("SO-88005", amount=100, currency="SEK", exchangeRate="12.60")
    other.client.submit("SO-88006", amount=100, currency="SEK", exchangeRate="20.00")
    assert before(other, "SO-88005") is None and before(other, "SO-88006") is not None
    other.client.submit("SO-88007", amount=100, currency="SEK", exchangeRate="12.90")  # 12.60 still counts
    assert before(other, "SO-88007") is None
    other.client.submit("SO-88006", amount=100, currency="SEK")  # sent again without a rate
    assert before(other, "SO-88006") is None


def test_a_rate_of_the_bank_counts(world: RefundWorld) -> None:
    exchanged = world.posting(
        10_000, instructed_amount_minor=745_000, instructed_currency="CZK", exchange_rate="24.83", counterparty_name="X"
    )
    world.camt(WrittenEntry((exchanged,)))
    world.client.submit("SO-88010", amount=100, currency="CZK", exchangeRate="24.83")
    assert before(world, "SO-88010") is not None
