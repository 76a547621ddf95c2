"""A cash discount that the invoice states: judged to the cent and the day, before any guessed rate (D-96)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.model import AllocationProposal, Decision, ShopFacts
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.invoice_terms import DiscountOffer
from tests.domain.matching.world import decided, order, posting

LAST = date(2026, 3, 13)  # a Friday
GRANTING = ShopFacts(open_orders=200, discount_basis_points=300)


def offer(percent: int, due: int, last: date = LAST) -> DiscountOffer:
    return DiscountOffer(last, percent * 100, due)


def decision_on(
    due: int, arrived: int, offers: tuple[DiscountOffer, ...], day: date = LAST, shop: ShopFacts | None = None
) -> Decision:
    orders = [order("SW-20001", due, discounts=offers, order_date=date(2026, 2, 27))]
    return decided(orders, [posting("SW-20001", arrived, booking_date=day)], shop)[0]


def parts(decision: Decision) -> list[tuple[int, FeeKind | None]]:
    assert decision.match is not None
    return [(each.credited_minor, each.fee_kind) for each in decision.match.allocations]


def test_a_stated_discount_settles_to_the_cent() -> None:
    found = decision_on(11_900, 11_662, (offer(2, 11_900),))
    assert parts(found) == [(11_900, FeeKind.CASH_DISCOUNT)]
    assert found.match is not None
    said = "the amount is what is open less the 2.00 % that the invoice allows until 2026-03-13"
    assert said in [str(reason.words) for reason in found.match.reasons]


@pytest.mark.parametrize("arrived", [11_661, 11_663, 11_543])
def test_a_cent_or_another_rate_is_not_granted(arrived: int) -> None:
    """3 % of an invoice that states 2 %: what the shop grants otherwise does not count."""
    found = decision_on(11_900, arrived, (offer(2, 11_900),), shop=GRANTING)
    assert parts(found) == [(arrived, None)]


def test_without_an_invoice_the_shop_s_rate_counts() -> None:
    assert parts(decision_on(11_900, 11_543, (), shop=GRANTING)) == [(11_900, FeeKind.CASH_DISCOUNT)]


def test_a_day_late_is_too_late_and_says_so() -> None:
    on_monday = LAST + timedelta(days=3)
    found = decision_on(11_900, 11_662, (offer(2, 11_900),), on_monday, GRANTING)
    assert parts(found) == [(11_662, None)]
    assert found.match is not None
    said = "the amount is what is open less 2.00 %, which the invoice allowed until 2026-03-13 only"
    assert said in [str(reason.words) for reason in found.match.reasons]


@pytest.mark.parametrize("last", [LAST + timedelta(days=1), LAST + timedelta(days=2)])
def test_a_term_that_ends_on_a_weekend_ends_on_monday(last: date) -> None:
    monday = LAST + timedelta(days=3)
    assert parts(decision_on(11_900, 11_662, (offer(2, 11_900, last),), monday)) == [(11_900, FeeKind.CASH_DISCOUNT)]
    assert parts(decision_on(11_900, 11_662, (offer(2, 11_900, last),), monday + timedelta(days=1))) == [(11_662, None)]


def test_of_two_rates_the_one_that_still_holds_counts() -> None:
    offers = (offer(3, 10_000, date(2026, 3, 6)), offer(2, 10_000))
    assert parts(decision_on(10_000, 9_800, offers)) == [(10_000, FeeKind.CASH_DISCOUNT)]
    assert parts(decision_on(10_000, 9_700, offers)) == [(9_700, None)]
    assert parts(decision_on(10_000, 9_700, offers, date(2026, 3, 6))) == [(10_000, FeeKind.CASH_DISCOUNT)]


def test_several_orders_are_paid_each_less_its_own_discount() -> None:
    orders = [
        order("SW-20001", 10_000, discounts=(offer(2, 10_000),)),
        order("SW-20002", 20_000, discounts=(offer(3, 20_000),)),
        order("SW-20003", 5_000),
    ]
    (found,) = decided(orders, [posting("SW-20001 SW-20002 SW-20003", 34_200, booking_date=LAST)])
    assert sorted(parts(found)) == [(5_000, None), (10_000, FeeKind.CASH_DISCOUNT), (20_000, FeeKind.CASH_DISCOUNT)]


@given(st.integers(1_000, 500_000), st.integers(1, 9_00), st.integers(-40, 40))
def test_money_is_credited_in_full_or_not_at_all(due: int, basis_points: int, days: int) -> None:
    stated = DiscountOffer(LAST, basis_points, due)
    day = LAST + timedelta(days=days)
    found = decision_on(due, due - stated.amount_minor, (stated,), max(day, date(2026, 3, 2)))
    if found.match is None:
        return
    allocation: AllocationProposal = found.match.allocations[0]
    granted = allocation.fee_kind is FeeKind.CASH_DISCOUNT
    assert not granted or stated.holds_on(max(day, date(2026, 3, 2)))
    assert allocation.credited_minor == (due if granted else due - stated.amount_minor)
