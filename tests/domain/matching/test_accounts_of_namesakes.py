"""Two customers of one name: an account that has paid for the one does not pay for the other by itself (D-149)."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.domain.matching.model import PaidCustomer, ShopFacts
from tests.domain.matching.world import decided, order, outcome, posting

IBAN = "DE05290688558474297641"
HERE: dict[str, Any] = {"customer_number": "20009", "email": "claire@example.org", "post_code": "71769"}
OTHER = PaidCustomer("31000", "cg@example.com", "10115", ("Claire Gotthard",))


def decide(paid: tuple[PaidCustomer, ...], text: str = "", name: str = "Claire Gotthard", **more: Any) -> str:
    shop = ShopFacts(open_orders=200, paid_customers={IBAN: paid})
    orders = [order("10480", **{**HERE, **more})]
    (decision,) = decided(orders, [posting(text, name=name, counterparty_iban=IBAN)], shop)
    assert outcome(decision)[1] == (("10480", 4990),)
    return outcome(decision)[0]


def test_the_account_of_a_namesake_is_asked_about() -> None:
    assert decide((OTHER,)) == "suggested"
    assert decide((OTHER,), customer_number="", email="") == "suggested"
    assert decide((OTHER, PaidCustomer("777", names=("Otto Seiler",)))) == "suggested"


@pytest.mark.parametrize(
    "paid",
    [
        (),  # an account that has not paid yet
        (PaidCustomer("20009", names=("Claire Gotthard",)),),
        (PaidCustomer("31000", "Claire@Example.org", "10115", ("Claire Gotthard",)),),  # a guest has many numbers
        (PaidCustomer("31000", "", "71769", ("Claire Gotthard",)),),
        (OTHER, PaidCustomer("20009", names=("Claire Gotthard",))),  # the account pays for both
        (PaidCustomer("31000", "o@example.com", "10115", ("Otto Seiler",)),),  # the first one was a gift
        (PaidCustomer("31000", "p@example.com", "71769", ("Peter Gotthard",)),),
    ],
)
def test_a_customers_own_account_is_not(paid: tuple[PaidCustomer, ...]) -> None:
    assert decide(paid) == "matched"


def test_a_number_says_which_of_them_it_is() -> None:
    assert decide((OTHER,), "10480") == "matched"
    assert decide((OTHER,), "Kundennr 20009") == "matched"
    assert decide((OTHER,), "10489") == "suggested"  # one digit is wrong, or it is a number of the namesake's
