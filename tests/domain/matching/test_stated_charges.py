"""Charges that bank or provider state: every cent settles, and a bank's are bounded (D-84)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.catalogue import CATALOGUE
from paymatch.domain.matching.model import Decision, ShopFacts
from paymatch.domain.orders.fees import ChargeLimit, FeeKind
from paymatch.domain.witnesses import Witness
from tests.domain.matching.world import decided, order, posting


def decision_on(due: int, arrived: int, shop: ShopFacts | None = None, **more: Any) -> Decision:
    return decided([order("SW-20001", due)], [posting("SW-20001", arrived, **more)], shop)[0]


def credited(decision: Decision) -> tuple[int, FeeKind | None] | None:
    """(what the order is credited, what was withheld) of an automatic match; None if there is none."""
    if decision.match is None:
        return None
    (allocation,) = decision.match.allocations
    return allocation.credited_minor, allocation.fee_kind


@pytest.mark.parametrize("charges", [1, 50, 95, 300])
def test_a_bank_s_stated_charges_settle_from_the_first_cent(charges: int) -> None:
    found = decision_on(6000, 6000 - charges, charges_minor=charges)
    assert credited(found) == (6000, FeeKind.BANK_CHARGE)


@given(st.integers(100, 60000), st.data())
def test_every_stated_fee_of_a_provider_settles(gross: int, data: st.DataObject) -> None:
    fee = data.draw(st.integers(1, gross // 2))
    found = decision_on(gross, gross - fee, charges_minor=fee, charges_by=Witness.PROVIDER)
    assert credited(found) == (gross, FeeKind.PAYMENT_FEE)


@pytest.mark.parametrize(
    ("due", "arrived", "charges"), [(8000, 3965, 35), (8000, 3999, 1), (4690, 2340, 5), (8000, 7000, 50)]
)
def test_a_stated_charge_of_an_instalment_is_credited_with_it(due: int, arrived: int, charges: int) -> None:
    assert credited(decision_on(due, arrived, charges_minor=charges)) == (arrived + charges, FeeKind.BANK_CHARGE)


def test_a_charge_beyond_what_is_missing_credits_what_is_open() -> None:
    """100.00 sent for 98.00, 95.00 arrived: the order is paid, and no more than that."""
    assert credited(decision_on(9800, 9500, charges_minor=500)) == (9800, FeeKind.BANK_CHARGE)


def test_a_charge_of_an_instalment_has_the_bounds_of_every_charge() -> None:
    assert credited(decision_on(8000, 3000, charges_minor=1000)) in (None, (3000, None))


@pytest.mark.parametrize("stated", [{"charges_minor": 9900}, {"instructed_amount_minor": 10000}])
def test_charges_without_bounds_pay_nothing(stated: dict[str, Any]) -> None:
    found = decision_on(10000, 100, instructed_currency="EUR", **stated)
    assert found.match is None
    words = "charges of 99.00 EUR are stated, 99.0 % of what was sent: more than is accepted without a person"
    assert found.review_reason == words
    assert len(found.suggestions) == 1


@pytest.mark.parametrize(
    ("due", "charges", "automatic"),
    [(6000, 300, True), (6000, 301, False), (60000, 3000, True), (60001, 3001, False), (600000, 3001, False)],
)
def test_a_bank_s_charges_are_taken_up_to_five_per_cent_and_thirty(due: int, charges: int, automatic: bool) -> None:
    assert (decision_on(due, due - charges, charges_minor=charges).match is not None) is automatic


def test_the_shop_sets_both_bounds_and_its_tolerance_goes_beyond_them() -> None:
    wide = ShopFacts(open_orders=200, charge_limit=ChargeLimit(2000, 10000))
    assert credited(decision_on(6000, 5000, wide, charges_minor=1000)) == (6000, FeeKind.BANK_CHARGE)
    tolerant = ShopFacts(open_orders=200, fee_tolerance_minor=1000)
    assert credited(decision_on(6000, 5000, tolerant, charges_minor=1000)) == (6000, FeeKind.BANK_CHARGE)


@pytest.mark.parametrize(("due", "arrived"), [(6000, 5910), (2000, 1910), (6000, 5913), (10000, 9900), (6000, 5999)])
def test_the_shops_tolerance_settles_before_cents_are_judged(due: int, arrived: int) -> None:
    shop = ShopFacts(open_orders=200, fee_tolerance_minor=100)
    assert credited(decision_on(due, arrived, shop)) == (due, FeeKind.BANK_CHARGE)
    assert credited(decision_on(due, arrived)) == (arrived, None)


def test_a_discount_that_the_text_claims_and_nobody_grants_stays_open() -> None:
    shop = ShopFacts(open_orders=200, fee_tolerance_minor=500)
    (found,) = decided([order("SW-20001", 10000)], [posting("SW-20001 abzgl. 3 % Skonto", 9700)], shop)
    assert credited(found) == (9700, None)


def test_what_only_a_payer_says_of_an_amount_is_the_payers_word() -> None:
    said = {row.code + row.said for row in CATALOGUE if row.code.startswith("amount") and row.witness is Witness.PAYER}
    assert said == {
        "amount-fee",
        "amount-kept-in-doubtamount-kept",
        "amount-cash-discountamount-cash-discount-said",
        "amount-instalmentamount-instalment-said",
        "amount-partialamount-partial-said",
    }
