"""An e-mail address that is typed at the checkout spends no credit of the customer whose it is (D-80, D-87)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.store.database import Database
from paymatch.usecases.settlement import credits
from tests.contract.bank import pay
from tests.usecases.refunds.refund_world import RefundWorld

ERIKA: Final = "erika@example.com"
HOME: Final = {
    "firstName": "Erika", "lastName": "Mustermann", "street": "Weg 1", "postCode": "50667", "city": "Köln",
    "countryCode": "DE",
}  # fmt: skip
AWAY: Final = HOME | {"street": "Gasse 9", "postCode": "10115", "city": "Berlin"}


@pytest.fixture
def world(database: Database, tmp_path: Path) -> RefundWorld:
    """Erika has a credit of 10.00, and the shop lets credit pay new orders."""
    made = RefundWorld(database, tmp_path)
    made.client.change(use_credit="on")
    return made


def keep_credit(world: RefundWorld, **more: Any) -> None:
    """Erika's first order becomes cheaper once it is paid, and a person keeps the rest as her credit."""
    world.client.submit("C-1", amount=100, customerEmail=ERIKA, billing=HOME, **more)
    pay(world.client, "C-1", 100_00)
    world.client.submit("C-1", amount=90, customerEmail=ERIKA, billing=HOME, **more)
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        credits.keep(tx, "C-1")


TYPED: Final[dict[str, dict[str, Any]]] = {
    "another address of delivery": {"billing": HOME, "shipping": AWAY},
    "another bill": {"billing": AWAY},
    "another name": {"billing": HOME | {"firstName": "Tom", "lastName": "Thief"}},
    "another company": {"billing": HOME | {"company": "Thief GmbH"}},
    "no address": {"billing": {"lastName": "Mustermann", "countryCode": "DE"}},
}
OWN: Final[dict[str, dict[str, Any]]] = {
    "the same address": {"billing": HOME},
    "delivery to her bill's address": {"billing": HOME, "shipping": HOME},
    "other letters": {"billing": {name: value.upper() for name, value in HOME.items()}},
}


@pytest.mark.parametrize("kind", TYPED)
def test_attack_a_typed_address_spends_no_credit(world: RefundWorld, kind: str) -> None:
    keep_credit(world)
    world.client.submit("EVIL-1", amount=7, customerEmail=ERIKA, **TYPED[kind])
    assert world.client.status("EVIL-1") == "UNPAID"
    world.check()


@pytest.mark.parametrize("kind", OWN)
def test_honest_erikas_next_order_is_paid_by_her_credit(world: RefundWorld, kind: str) -> None:
    keep_credit(world)
    world.client.submit("C-2", amount=7, customerEmail=ERIKA.upper(), **OWN[kind])
    assert world.client.status("C-2") == "PAID"
    world.check()


def test_honest_a_customer_number_of_the_shop_is_enough(world: RefundWorld) -> None:
    keep_credit(world, customerNumber="K-1")
    world.client.submit("C-2", amount=7, customerEmail="new@example.com", customerNumber="K-1", billing=AWAY)
    assert world.client.status("C-2") == "PAID"


def test_honest_a_person_still_uses_the_credit(world: RefundWorld) -> None:
    keep_credit(world)
    world.client.submit("C-2", amount=7, customerEmail=ERIKA, billing=AWAY)
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        assert credits.use(tx, "C-2") == 7_00
    assert world.client.status("C-2") == "PAID"
