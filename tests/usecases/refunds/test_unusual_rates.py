"""An exchangeRate far away from the last one used: an alert, and the order's refunds wait for a person (D-85)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from paymatch.domain.refunds import HoldReason
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.contract.bank import pay
from tests.usecases.refunds.refund_world import RefundWorld


@pytest.fixture
def world(module_url: str, tmp_path: Path) -> Iterator[RefundWorld]:
    database = Database(module_url, size=4)
    made = RefundWorld(database, tmp_path)
    yield made
    database.close()


def alerts(world: RefundWorld) -> list[str]:
    """Texts of the open alerts about exchange rates."""
    with world.database.transaction(world.client.id) as tx:
        keep_alerts(tx, world.client.shop, world.clock.now)
    return [each["text"] for each in list_alerts(world.database, world.client.shop) if each["kind"] == "exchange-rate"]


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
    assert alerts(world) == [
        "Order SO-88001 has exchangeRate 500, and 1 EUR was the last rate used: is it right?"
        " Its refunds wait for a release"
    ]
    world.client.submit("SO-88001", amount=100, exchangeRate=1)  # corrected
    assert alerts(world) == []
    assert [len(world.run().held), len(world.contents())] == [0, 1]


def test_honest_a_refund_of_an_order_with_the_usual_rate_leaves_by_itself(world: RefundWorld) -> None:
    world.client.submit("SO-88002", amount=100, exchangeRate="1.0")
    pay(world.client, "SO-88002", 10_000)
    world.file("SO-88002", 60)
    world.pass_days(1)
    assert [len(world.run().held), len(world.contents())] == [0, 1]
    assert alerts(world) == []


def test_a_rate_is_compared_with_that_of_the_last_earlier_day_of_any_shop(world: RefundWorld, tmp_path: Path) -> None:
    world.client.submit("SO-88003", amount=100, currency="SEK", exchangeRate="11.50")
    world.client.submit("SO-88004", amount=100, currency="SEK", exchangeRate="20.00")
    assert before(world, "SO-88004") is None  # of the same day: there is nothing to compare with yet
    other = RefundWorld(world.database, tmp_path, clock=world.clock)
    other.pass_days(1)
    other.client.submit("SO-88005", amount=100, currency="SEK", exchangeRate="12.65")
    other.client.submit("SO-88006", amount=100, currency="SEK", exchangeRate="12.66")
    assert [before(other, each) for each in ("SO-88005", "SO-88006")] == [None, Decimal("11.50")]
    other.pass_days(1)
    other.client.submit("SO-88007", amount=100, currency="SEK", exchangeRate="13.90")  # 12.65 is what counts now
    other.client.submit("SO-88008", amount=100, currency="SEK", exchangeRate="0.079")
    assert [before(other, each) for each in ("SO-88007", "SO-88008")] == [None, Decimal("12.65")]
    other.pass_days(40)
    other.client.submit("SO-88009", amount=100, currency="SEK", exchangeRate="20.00")
    assert before(other, "SO-88009") is None


def test_a_rate_of_the_bank_counts(world: RefundWorld) -> None:
    exchanged = world.posting(
        10_000, instructed_amount_minor=745_000, instructed_currency="CZK", exchange_rate="24.83", counterparty_name="X"
    )
    world.camt(WrittenEntry((exchanged,)))
    rows = world.client.rows("SELECT currency, other_currency, rate FROM exchange_rates WHERE $1::uuid IS NOT NULL")
    assert ("CZK", "EUR", Decimal("74.5")) in [tuple(row) for row in rows]
    world.pass_days(1)
    world.client.submit("SO-88010", amount=100, currency="CZK", exchangeRate="24.83")
    assert before(world, "SO-88010") == Decimal("74.5")
