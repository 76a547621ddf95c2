"""A leaked key that may only submit orders makes no money leave, whatever it sets (D-37, D-80)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.contract.test_endpoints import refund as body_of
from tests.usecases.refunds.refund_world import PAYER, RefundWorld, texts

THIEF: Final = "DE02120300000000202051"
NUMBER: Final = "SO-84001"


def set_order(**changes: Any) -> Callable[[RefundWorld], None]:
    """The key submits Eva's paid order again with these values."""

    def do(world: RefundWorld) -> None:
        world.client.post(f"order/{NUMBER}", world.client.read(NUMBER) | changes)

    return do


def call(path: str, body: Any = None) -> Callable[[RefundWorld], None]:
    """The key makes this call."""

    def do(world: RefundWorld) -> None:
        world.client.post(path, body)

    return do


def name_account(world: RefundWorld) -> None:
    """The key names its own account for every refund."""
    refunds = [row[0] for row in world.client.rows("SELECT id FROM refunds WHERE shop_id = $1")]
    for refund_id in (*refunds, "unknown"):
        body = {"iban": THIEF, "accountHolder": "Tom Thief"}
        assert world.client.post(f"refund/{refund_id}/account", body).status in (401, 404)


ACTIONS: Final[dict[str, Callable[[RefundWorld], None]]] = {
    "files a refund": call(f"order/{NUMBER}/refund", body_of("R-1", amount=100)),
    "files a refund to an account": call(f"order/{NUMBER}/refund", body_of("R-1", amount=100, iban=THIEF)),
    "lowers the amount": set_order(amount=1),
    "makes it free": set_order(amount=0),
    "makes it negative": set_order(amount=-500),
    "makes it huge": set_order(amount=99_999_999_999),
    "changes the currency": set_order(currency="USD", exchangeRate=0.0001),
    "sets a rate": set_order(currency="CHF", exchangeRate=1000),
    "sets a due date": set_order(dueDate="01-01-2020"),
    "sets another e-mail address": set_order(customerEmail="tom@thief.example"),
    "sets another name": set_order(billing={"firstName": "Tom", "lastName": "Thief", "countryCode": "DE"}),
    "sets the account in every field": set_order(
        customerNumber=THIEF, externalReference=THIEF, iban=THIEF, bankDetails=THIEF
    ),
    "sets refunds in the order": set_order(refunds=[{"amount": 100, "iban": THIEF, "status": "NEW"}], amountPaid=500),
    "sets the paid status": set_order(paymentStatus="REFUNDED", amountPaid=0),
    "cancels": call(f"order/{NUMBER}/cancel"),
    "removes": call(f"order/remove/{NUMBER}"),
    "sets unpaid": call(f"order/{NUMBER}/setunpaid"),
    "says that nothing is open": call("ordersync", []),
    "names an account": name_account,
    "uploads a statement": call("statements", {"file": "x"}),
    "imports an advice": call("advices", {"file": "x"}),
    "reports for the agency": call("collection/reports", [{"orderNumber": NUMBER, "status": "PAID"}]),
}


def use_key(world: RefundWorld, scope: str) -> None:
    """The client calls with a new key of this scope from now on."""
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        world.client.key = shops.create_key(tx, scope=scope)


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    """A shop whose customer Eva has paid 100.00 for her order."""
    made = RefundWorld(database, tmp_path)
    made.paid(NUMBER)
    return made


@pytest.mark.parametrize("action", ACTIONS)
def test_a_key_for_orders_makes_no_money_leave(world: RefundWorld, action: str) -> None:
    use_key(world, "orders")
    ACTIONS[action](world)
    for _ in range(3):
        world.pass_days(1)
        world.run()
    assert world.contents() == []
    world.check()


@pytest.mark.parametrize("action", ACTIONS)
def test_a_refund_that_the_shop_files_then_goes_to_the_payer_or_waits(world: RefundWorld, action: str) -> None:
    own = world.client.key
    use_key(world, "orders")
    ACTIONS[action](world)
    world.client.key = own
    world.client.post(f"order/{NUMBER}/refund", body_of("R-2", amount=40))
    use_key(world, "orders")
    ACTIONS[action](world)
    for _ in range(3):
        world.pass_days(1)
        world.run()
    sent = world.contents()
    assert [iban for each in sent for iban in texts(each, "CdtrAcct/Id/IBAN")] in ([], [PAYER])
    assert [amount for each in sent for amount in texts(each, "Amt/InstdAmt")] in ([], ["40.00"])


def test_honest_the_shops_own_refund_leaves_by_itself(world: RefundWorld) -> None:
    world.file(NUMBER, 40)
    world.pass_days(1)
    assert len(world.run().files) == 1
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [PAYER]
    world.check()
