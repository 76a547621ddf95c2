"""Customers with a carrier's everyday word in their name, and carriers that are called like an order (D-5)."""

from __future__ import annotations

import pytest

from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from tests.contract.bank import book, entry
from tests.usecases.refunds.refund_world import PAYER, RefundWorld

ELSE = "DE02120300000000202051"


def company(world: RefundWorld, number: str, name: str, amount: float = 100, **more: object) -> None:
    """An order of a company."""
    world.client.submit(number, amount=amount, billing={"company": name, "countryCode": "DE"}, **more)


@pytest.mark.parametrize(
    "name",
    [
        "Nordlicht Logistik GmbH", "Nordlicht Express GmbH", "Nordlicht Payments GmbH", "Paket Nord KG",
        "Nordlicht Logistics GmbH", "Kurier Nordlicht e.K.", "Marktplatz Nordlicht eG",
    ],
)  # fmt: skip
def test_a_customer_of_such_a_name_is_refunded_without_being_asked(world: RefundWorld, name: str) -> None:
    company(world, "SO-501", name)
    book(world.client, entry("Bestellung SO-501", 10_000, name=name))
    assert world.client.read("SO-501", "includePostings=true")["hasBankDetailsForRefund"] is True
    refund = world.file("SO-501", 40)
    assert world.status(refund) == "NEW"
    world.pass_days(1)
    world.run()
    assert world.status(refund) == "IN_PROCESS"
    world.check()


def test_the_carrier_that_pays_for_a_customer_is_asked_for(world: RefundWorld) -> None:
    world.client.submit("SO-502", amount=100)
    book(world.client, entry("Bestellung SO-502", 10_000, name="Nordlicht Logistik GmbH"))
    assert world.client.status("SO-502") == "PAID"
    assert world.status(world.file("SO-502", 40)) == "BANKDETAILS_MISSING"


@pytest.mark.parametrize("is_earlier", [True, False])
def test_an_account_that_passes_on_money_is_nobodys_although_an_order_is_called_like_it(
    world: RefundWorld, is_earlier: bool
) -> None:
    """Whether it has done so before the order's payment, or does so before the transfer."""
    name = "Blitz Kurier Logistik"
    refund = ""
    for number in ("SO-503", "SO-504") if is_earlier else ("SO-504", "SO-503"):
        if number == "SO-503":
            world.client.submit(number, amount=100)
        else:
            company(world, number, name)
        book(world.client, entry(f"Bestellung {number}", 10_000, name=name))
        if world.client.status(number) == "UNPAID":  # paid by another customer's account: a person decides
            ((posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'suggested'")
            assigning.match(world.database, world.client.shop, posting, [Part(number, 10_000)], world.clock.now)
        assert world.client.status(number) == "PAID"
        if number == "SO-504":
            refund = world.file("SO-504", 40)
    world.pass_days(1)
    world.run()
    assert world.status(refund) == ("BANKDETAILS_MISSING" if is_earlier else "NEW")
    assert world.client.read("SO-504", "includePostings=true")["hasBankDetailsForRefund"] is False
    world.check()


def test_known_carriers_are_asked_for_whatever_the_order_is_called(world: RefundWorld) -> None:
    company(world, "SO-505", "DHL Paket GmbH")
    book(world.client, entry("Bestellung SO-505", 10_000, name="DHL Paket GmbH"))
    assert world.status(world.file("SO-505", 40)) == "BANKDETAILS_MISSING"


def test_another_account_of_the_same_name_is_not_taken_for_the_carriers(world: RefundWorld) -> None:
    name = "Nordlicht Logistik GmbH"
    world.client.submit("SO-506", amount=100)
    company(world, "SO-507", name)
    book(world.client, entry("Bestellung SO-506", 10_000, name=name, account=ELSE))
    book(world.client, entry("Bestellung SO-507", 10_000, name=name, account=PAYER))
    assert world.status(world.file("SO-507", 40)) == "NEW"
