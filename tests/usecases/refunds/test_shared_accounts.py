"""An account that pays for many customers under a name on no list gets no refund without a person (D-5, D-37)."""

from __future__ import annotations

import pytest

from paymatch.domain.refunds.refunds import HoldReason
from tests.contract.bank import pay
from tests.usecases.refunds.refund_world import RefundWorld, texts

FORWARDER = "DE02120300000000202051"
WAITS = [HoldReason.ACCOUNT_OF_SEVERAL]


def paid_by(world: RefundWorld, holder: str, *customers: dict[str, str]) -> list[str]:
    """An order of each customer, whose `number` and `email` may be given, paid by the holder's account."""
    numbers = []
    for place, customer in enumerate(customers):
        number = f"SO-{85_000 + 137 * place}"
        names = {key: customer[key] for key in ("firstName", "lastName", "company") if key in customer}
        more = {key: customer[key] for key in ("customerNumber", "customerEmail") if key in customer}
        world.client.submit(number, amount=100, billing={"countryCode": "DE", **names}, **more)
        pay(world.client, number, 10_000, name=holder, account=FORWARDER)
        numbers.append(number)
    return numbers


def person(name: str, **more: str) -> dict[str, str]:
    first, last = name.split(" ")
    return {"firstName": first, "lastName": last, **more}


def refunded(world: RefundWorld, *numbers: str) -> list[HoldReason]:
    """Refunds of the orders come due: the reasons of those that wait."""
    for number in numbers:
        world.file(number, 40)
    world.pass_days(1)
    return [held.reason for held in world.run().held]


BERG, ROTH = person("Jonas Berg"), person("Lena Roth")


@pytest.mark.parametrize("holder", ["Sternfels Abwicklung", "Sternfels Family Office", ""])
def test_attack_an_account_of_many_customers_under_an_unknown_name(world: RefundWorld, holder: str) -> None:
    numbers = paid_by(world, holder, BERG, ROTH)
    assert refunded(world, *numbers) == WAITS * 2
    assert world.contents() == []
    refund = world.refund(world.client.get("refunds").json[0]["id"])
    assert (refund["status"], refund["reason"], refund["waitsForRelease"]) == ("NEW", str(WAITS[0]), True)
    world.check()


def test_a_release_confirms_the_account_for_this_customer_and_no_other(world: RefundWorld) -> None:
    first, second, third = paid_by(world, "Sternfels Abwicklung", BERG, ROTH, person("Ida Berg"))
    refund = world.file(first, 40)
    world.pass_days(1)
    assert [held.reason for held in world.run().held] == WAITS
    world.release(refund)
    assert world.run().held == ()
    assert texts(world.contents()[0], "CdtrAcct/Id/IBAN") == [FORWARDER]
    for number in (first, second, third):
        world.file(number, 10, reference=f"again-{number}", plannedDate="04-03-2026")
    world.pass_days(1)
    assert [(held.order_number, held.reason) for held in world.run().held] == [(second, *WAITS)]
    world.check()


def test_the_customer_confirms_the_account_by_naming_it(world: RefundWorld) -> None:
    first, _ = paid_by(world, "Sternfels Abwicklung", BERG, ROTH)
    refund = world.file(first, 40)
    world.set_iban(refund, FORWARDER, "Jonas Berg")
    world.pass_days(2)
    assert world.run().held == ()
    assert world.status(refund) == "IN_PROCESS"


def test_an_account_becomes_one_of_several_after_the_refund_was_filed(world: RefundWorld) -> None:
    [first] = paid_by(world, "Sternfels Abwicklung", BERG)
    world.file(first, 40)
    world.client.submit("SO-86000", amount=100, billing={"countryCode": "DE", **ROTH})
    pay(world.client, "SO-86000", 10_000, name="Sternfels Abwicklung", account=FORWARDER)
    world.pass_days(1)
    assert [held.reason for held in world.run().held] == WAITS


HONEST: dict[str, tuple[str, list[dict[str, str]]]] = {
    "two customer numbers and addresses": (
        "Lena Berg",
        [
            person("Jonas Roth", customerNumber="K-1", customerEmail="jonas@example.org"),
            person("Jonas Roth", customerNumber="K-2", customerEmail="roth@example.org"),
        ],
    ),
    "a couple of two surnames": ("Jonas Berg", [BERG, ROTH]),
    "a couple's joint account": ("Jonas Berg und Lena Roth", [BERG, ROTH]),
    "a family": ("Lena Berg", [BERG, person("Ida Berg"), person("Karl Berg"), ROTH]),
    "a relative of another name": ("Lena Roth", [BERG, person("Ida Berg")]),
    "no name from the bank": ("", [BERG, person("J. Berg")]),
    "a company and its branches": (
        "Sternfels Maschinenbau GmbH",
        [
            {"company": "Sternfels Maschinenbau GmbH", "lastName": "Filiale Nord"},
            {"company": "Sternfels Maschinenbau GmbH", **ROTH},
            {"company": "Sternfels Maschinenbau GmbH Werk 2", **BERG},
        ],
    ),
}


@pytest.mark.parametrize("case", HONEST)
def test_honest_accounts_get_their_refunds_automatically(world: RefundWorld, case: str) -> None:
    holder, customers = HONEST[case]
    numbers = paid_by(world, holder, *customers)
    assert refunded(world, *numbers) == []
    assert len(texts(world.contents()[0], "CdtrAcct/Id/IBAN")) == len(customers)
    world.check()
