"""Refunds whose money may have left already by another way, and accounts that are not the customer's (D-5, D-37).

Each case stands beside its honest twin, which goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.domain.refunds.refunds import HoldReason
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from paymatch.usecases.matching.assigning import Part, match
from tests.contract.bank import ACCOUNT, PAYER
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld

EVA: Final = {"counterparty_name": "Eva Muster", "counterparty_iban": PAYER}
NUMBER: Final = "SW-61001"


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Iterator[RefundWorld]:
    found = RefundWorld(database, tmp_path)
    yield found
    found.check()


def booked(world: RefundWorld, minor: int, text: str, **more: Any) -> None:
    """A camt statement of the next day with one entry."""
    world.pass_days(1)
    part = world.posting(minor, remittance_lines=(text,), **more)
    world.camt(WrittenEntry((part,), reversal=False))


def paid(world: RefundWorld, amount: float = 50, times: int = 1, **more: Any) -> None:
    world.client.submit(NUMBER, amount=amount, billing={"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"})
    for _each in range(times):
        booked(world, round(amount * 100), f"Bestellung {NUMBER}", **{**EVA, **more})
    assert world.client.status(NUMBER) == "PAID"


def filed(world: RefundWorld, amount: float = 50) -> str:
    planned = world.clock.now.date() + timedelta(days=2)
    return world.file(NUMBER, amount, plannedDate=planned.strftime("%d-%m-%Y"))


def held(world: RefundWorld, refund: str) -> str:
    """Why the refund is not sent after a run of its day; "" if it is."""
    world.pass_days(3)
    world.run()
    return str(world.refund(refund).get("reason", ""))


@pytest.mark.parametrize(
    ("minor", "text", "more"),
    [
        (-5_000, "Rueckzahlung", EVA),
        (-5_000, "Danke", {"counterparty_name": "Familie M", "counterparty_iban": PAYER}),
        (-5_000, "Erstattung", {"counterparty_name": "Eva Muster", "counterparty_iban": ERIKA}),
    ],
)
def test_a_debit_that_waits_and_may_be_the_refund_holds_it(
    world: RefundWorld, minor: int, text: str, more: dict[str, Any]
) -> None:
    paid(world)
    refund = filed(world)
    booked(world, minor, text, **more)
    assert held(world, refund) == HoldReason.LEFT_OTHERWISE
    world.release(refund)
    world.run()
    assert world.status(refund) == "IN_PROCESS"


@pytest.mark.parametrize(
    ("minor", "text", "more"),
    [
        (-4_900, "Rechnung 77 bezahlt", {"counterparty_name": "Buero GmbH", "counterparty_iban": ERIKA}),
        (-5_000, "Miete Maerz", {"counterparty_name": "Buero GmbH", "counterparty_iban": ERIKA}),
        (-1_990, "Lieferung", EVA),
    ],
)
def test_another_debit_holds_no_refund(world: RefundWorld, minor: int, text: str, more: dict[str, Any]) -> None:
    paid(world)
    refund = filed(world)
    booked(world, minor, text, **more)
    assert held(world, refund) == ""


@pytest.mark.parametrize(
    ("minor", "more", "reason"),
    [
        (-5_000, {}, HoldReason.LEFT_OTHERWISE),
        (-5_000, {"counterparty_name": "Unbekannt", "end_to_end_id": "E-7"}, HoldReason.LEFT_OTHERWISE),
        (-4_999, {}, ""),  # of another payment
        (-5_000, {"counterparty_name": "Otto Kern", "counterparty_iban": ERIKA}, ""),
    ],
)
def test_a_return_of_the_bank_without_account_may_be_of_the_refunded_payment(
    world: RefundWorld, minor: int, more: dict[str, Any], reason: str
) -> None:
    paid(world)
    refund = filed(world)
    booked(world, minor, "", is_return=True, return_reason="FOCR", **more)
    assert held(world, refund) == reason


@pytest.mark.parametrize("code", ["PMNT/CNTR/CDPT", "082"])
def test_an_account_beside_money_paid_in_at_a_counter_is_not_the_customers(world: RefundWorld, code: str) -> None:
    paid(world, bank_code=code)
    assert world.status(filed(world)) == "BANKDETAILS_MISSING"


@pytest.mark.parametrize("code", ["PMNT/RCDT/ESCT", "PMNT/RRCT/ESCT", "166"])
def test_the_account_of_a_transfer_is_the_customers(world: RefundWorld, code: str) -> None:
    paid(world, bank_code=code)
    assert held(world, filed(world)) == ""


@pytest.mark.parametrize(
    "back", [{}, {"is_return": True, "return_reason": "FOCR"}], ids=["by hand", "returned by the bank"]
)
def test_of_two_payments_one_that_went_back_already_holds_the_refund(world: RefundWorld, back: dict[str, Any]) -> None:
    paid(world, times=2)
    refund = filed(world)
    booked(world, -5_000, f"Erstattung {NUMBER}", **EVA, **back)
    assert held(world, refund) == HoldReason.LEFT_OTHERWISE
    assert world.client.read(NUMBER)["amountPaid"] == "50.00"


def test_a_part_that_went_back_before_the_refund_was_filed_holds_nothing(world: RefundWorld) -> None:
    paid(world, times=2)
    booked(world, -5_000, f"Erstattung {NUMBER}", **EVA)
    world.pass_days(1)
    assert held(world, filed(world)) == ""


def test_the_second_of_two_refunds_goes_as_well(world: RefundWorld) -> None:
    paid(world)
    first = filed(world, 20)
    world.pass_days(2)
    world.run()
    booked(world, -2_000, "Erstattung", end_to_end_id=world.end_to_end(first), **EVA)
    planned = world.clock.now.date() + timedelta(days=2)
    second = world.file(NUMBER, 30, "R-2", plannedDate=planned.strftime("%d-%m-%Y"))
    assert held(world, second) == ""


def test_a_refund_never_goes_to_the_shops_own_account(world: RefundWorld) -> None:
    paid(world, counterparty_name="Bargeld", counterparty_iban=ACCOUNT)
    refund = filed(world)
    assert world.status(refund) == "BANKDETAILS_MISSING"
    world.set_iban(refund, ACCOUNT, "Eva Muster")
    assert held(world, refund) == HoldReason.OWN_ACCOUNT


@pytest.mark.parametrize(
    "name",
    [
        "Western Union", "TransferWise Ltd", "Revolut Bank UAB", "viafintech GmbH", "Bar-Einzahlung",
        "Kreissparkasse Mitte", "RA Kurz Anderkonto", "Trustly Group AB", "VR Payment GmbH",
    ],
)  # fmt: skip
@pytest.mark.parametrize("by_hand", [False, True])
def test_the_account_of_who_holds_money_for_others_is_not_the_customers(
    world: RefundWorld, name: str, by_hand: bool
) -> None:
    world.client.submit(NUMBER, amount=50)
    booked(world, 5_000, "Danke" if by_hand else NUMBER, counterparty_name=name, counterparty_iban=ERIKA)
    if by_hand:
        ((posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1")
        match(world.database, world.client.shop, posting, [Part(NUMBER)], world.clock.now)
    assert world.client.status(NUMBER) == "PAID"
    assert world.status(filed(world)) == "BANKDETAILS_MISSING"


@pytest.mark.parametrize("company", ["Volksbank Musterstadt eG", "Sitzbank Design GmbH"])
def test_a_bank_that_buys_gets_its_refund_by_itself(world: RefundWorld, company: str) -> None:
    world.client.submit(NUMBER, amount=50, billing={"company": company, "countryCode": "DE"})
    booked(world, 5_000, NUMBER, counterparty_name=company, counterparty_iban=ERIKA)
    assert held(world, filed(world)) == ""
