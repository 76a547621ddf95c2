"""What payers keep: the split of a withheld sum, and what confirmed payouts teach of a payer's tariff (D-36)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import EUR
from paymatch.domain.orders.fees import (
    FeeKind,
    Formula,
    KeptPayout,
    PayerTariff,
    PayerTariffs,
    PayerTerms,
    StatedFee,
    is_thinkable,
    is_usual,
    percent,
    split_in_proportion,
    tariff_of,
    tariffs_in_words,
    withheld_parts,
)

_CREDITS = st.lists(st.integers(1, 10**7), min_size=1, max_size=60)


@given(_CREDITS, st.data())
def test_the_parts_of_a_fee_add_up_and_leave_no_order_below_nothing(credits: list[int], data: st.DataObject) -> None:
    withheld = data.draw(st.integers(0, sum(credits)))
    parts = withheld_parts(withheld, credits)
    assert sum(parts) == withheld
    assert all(0 <= part <= credit for part, credit in zip(parts, credits, strict=True))


@given(_CREDITS, st.data())
def test_no_order_bears_more_than_a_cent_beside_its_share(credits: list[int], data: st.DataObject) -> None:
    withheld = data.draw(st.integers(0, sum(credits)))
    for part, credit in zip(withheld_parts(withheld, credits), credits, strict=True):
        assert abs(part - Fraction(withheld * credit, sum(credits))) < 1


def test_the_order_named_first_is_spared_the_odd_cent() -> None:
    assert withheld_parts(100, [1000, 1000, 1000]) == [33, 33, 34]
    assert split_in_proportion(100, [1, 1, 1]) == [34, 33, 33]
    assert split_in_proportion(5, [0, 0]) == [5, 0]
    assert split_in_proportion(5, [0, 1]) == [0, 5]
    assert split_in_proportion(10, [1, 2, 4]) == [1, 3, 6]  # remainders of 3, 6 and 5 sevenths


def test_one_payout_leaves_open_which_formula_it_was() -> None:
    tariff = tariff_of([KeptPayout(10_000, 4, 1_740)])
    assert tariff is not None
    assert tariff.formulas == (Formula(basis_points=1740), Formula(per_item_minor=435), Formula(fixed_minor=1740))
    assert not tariff.is_settled
    assert tariff.is_usual(20_000, 3_600)
    assert not tariff.is_usual(20_000, 5_000)


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (Formula(basis_points=700), Formula(basis_points=700)),
        (Formula(basis_points=1200), Formula(basis_points=1200)),
        (Formula(per_item_minor=200), Formula(per_item_minor=200)),
        (Formula(fixed_minor=490), Formula(fixed_minor=490)),
        (Formula(basis_points=150, per_item_minor=35), Formula(basis_points=150, per_item_minor=35)),
        (Formula(basis_points=290, fixed_minor=500), Formula(basis_points=290, fixed_minor=500)),
        (Formula(per_item_minor=10, fixed_minor=200), Formula(per_item_minor=10, fixed_minor=200)),
        (Formula(basis_points=5000, per_item_minor=35), Formula(basis_points=5000, per_item_minor=35)),
    ],
)
def test_four_payouts_show_the_formula(formula: Formula, shown: Formula) -> None:
    payouts = [(154_30, 3), (1_210_55, 21), (389_90, 7), (2_044_10, 40)]
    samples = [KeptPayout(gross, orders, formula.fee(gross, orders)) for gross, orders in payouts]
    tariff = tariff_of(samples)
    assert tariff is not None
    assert tariff.formulas == (shown,)
    assert tariff.is_settled
    assert tariff.explains(777_70, 12, formula.fee(777_70, 12))
    assert not tariff.explains(777_70, 12, formula.fee(777_70, 12) + 30_00)
    assert not tariff.is_usual(777_70, formula.fee(777_70, 12) + 30_00)


def test_commission_by_category_has_no_formula_but_a_usual_range() -> None:
    tariff = tariff_of([KeptPayout(100_00, 5, 7_00), KeptPayout(210_00, 8, 31_50), KeptPayout(90_00, 3, 10_10)])
    assert tariff is not None
    assert tariff.formulas == ()
    assert (tariff.lowest_share, tariff.highest_share) == (Fraction(7, 100), Fraction(15, 100))
    assert tariff.is_usual(100_00, 12_00)
    assert not tariff.is_usual(100_00, 19_00)


def test_payouts_in_full_teach_no_tariff() -> None:
    assert tariff_of([KeptPayout(100_00, 5, 0)]) is None
    assert tariff_of([]) is None


@given(st.integers(1, 3000), st.lists(st.tuples(st.integers(1_000, 10**7), st.integers(1, 60)), min_size=1))
def test_a_share_of_the_gross_is_always_explained(basis_points: int, payouts: list[tuple[int, int]]) -> None:
    formula = Formula(basis_points=basis_points)
    samples = [KeptPayout(gross, orders, formula.fee(gross, orders)) for gross, orders in payouts]
    kept = [each for each in samples if each.withheld_minor]
    tariff = tariff_of(samples)
    if tariff is not None and tariff.formulas:
        assert all(tariff.explains(each.gross_minor, each.orders, each.withheld_minor) for each in kept[:12])


def test_percentages_have_one_decimal() -> None:
    assert percent(1740, 10_000) == "17.4 %"
    assert percent(1, 3) == "33.3 %"
    assert percent(5, 10_000) == "0.1 %"


@pytest.mark.parametrize(("orders", "cents"), [(1, 1), (2, 2), (3, 2), (7, 4)])
def test_a_formula_explains_all_but_the_cents_of_reckoning_order_by_order(orders: int, cents: int) -> None:
    formula = Formula(per_item_minor=100)
    for off in (-cents, cents):
        assert formula.explains(10_000, orders, 100 * orders + off)
        assert not formula.explains(10_000, orders, 100 * orders + off + (1 if off > 0 else -1))


def test_tariffs_in_words() -> None:
    share = PayerTariff(1, Fraction(12, 100), Fraction(12, 100), (Formula(basis_points=1200),))
    parcel = PayerTariff(1, Fraction(1, 10), Fraction(2, 10), (Formula(per_item_minor=560),))
    ranging = PayerTariff(4, Fraction(7, 100), Fraction(15, 100))
    even = PayerTariff(4, Fraction(7, 100), Fraction(7, 100))
    assert tariffs_in_words(PayerTariffs(None, None), EUR) == ""
    assert tariffs_in_words(PayerTariffs(share, None), EUR) == "12.00 %"
    assert tariffs_in_words(PayerTariffs(None, parcel), EUR) == "single orders: 5.60 EUR per order"
    assert tariffs_in_words(PayerTariffs(share, parcel), EUR) == "12.00 %; single orders: 5.60 EUR per order"
    assert tariffs_in_words(PayerTariffs(ranging, None), EUR) == "7.0 % to 15.0 %"
    assert tariffs_in_words(PayerTariffs(even, None), EUR) == "7.0 %"


@pytest.mark.parametrize(
    ("kind", "gross", "orders", "most"),
    [
        (None, 100_00, 2, 4_00 + 3_00),  # four in a hundred, two whole units and half a unit for each order
        (FeeKind.PAYMENT_FEE, 100_00, 1, 4_00 + 2_50),
        (FeeKind.COMMISSION, 100_00, 2, 20_00),
        (FeeKind.DELIVERY_FEE, 100_00, 2, 4_00 + 3_00),
        (FeeKind.DELIVERY_FEE, 100_00, 1, 10_00 + 7_00),  # a single parcel
        (None, 2_00, 2, 1_00),  # never more than half
    ],
)
def test_the_most_that_is_usual_of_a_payer_by_its_kind(
    kind: FeeKind | None, gross: int, orders: int, most: int
) -> None:
    assert [is_usual(kind, gross, orders, kept, 100) for kept in (0, 1, most, most + 1)] == [False, True, True, False]


def test_up_to_four_tenths_may_be_a_fee() -> None:
    assert [is_thinkable(100_00, kept) for kept in (0, 1, 40_00, 40_01)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("stated", "gross", "fee"),
    [
        (StatedFee(), 100_00, None),
        (StatedFee(amount=310), 100_00, 310),
        (StatedFee(amount=310, basis_points=150), 100_00, 310),
        (StatedFee(basis_points=150), 100_00, 150),
        (StatedFee(basis_points=50), 99, 0),
        (StatedFee(basis_points=50), 100, 1),  # half a cent is rounded up
        (StatedFee(basis_points=1), 4_999, 0),
        (StatedFee(basis_points=150), 100_000_000, 1_500_000),
    ],
)
def test_a_stated_fee_is_an_amount_or_a_share(stated: StatedFee, gross: int, fee: int | None) -> None:
    assert stated.of(gross) == fee
    assert bool(stated) is (fee is not None)


@pytest.mark.parametrize(
    ("stated", "orders", "cents"),
    [(StatedFee(amount=310), 7, 0), (StatedFee(basis_points=310), 1, 1), (StatedFee(basis_points=310), 2, 2),
     (StatedFee(basis_points=310), 3, 2), (StatedFee(basis_points=310), 7, 4)],
)  # fmt: skip
def test_a_stated_amount_is_kept_to_the_cent_and_a_share_but_for_those_of_reckoning(
    stated: StatedFee, orders: int, cents: int
) -> None:
    around = (310 - cents - 1, 310 - cents, 310 + cents, 310 + cents + 1)
    assert [stated.is_of(100_00, orders, kept) for kept in around] == [False, True, True, False]
    assert not StatedFee().is_of(100_00, orders, 0)


def test_after_one_payout_any_of_its_formulas_explains_the_next() -> None:
    tariff = tariff_of([KeptPayout(100_00, 4, 17_40)])
    assert tariff is not None
    assert tariff.explains(200_00, 4, 34_80)  # the share
    assert tariff.explains(200_00, 8, 34_80)  # per order
    assert tariff.explains(200_00, 8, 17_40)  # per payout
    assert not tariff.explains(200_00, 8, 25_00)


def test_a_usual_share_is_a_fifth_around_those_that_were_kept() -> None:
    ranging = PayerTariff(4, Fraction(7, 100), Fraction(15, 100))
    assert [ranging.is_usual(100_00, kept) for kept in (5_59, 5_60, 18_00, 18_01)] == [False, True, True, False]
    assert [ranging.is_usual(gross, 10_00) for gross in (0, -100_00, 100_00)] == [False, False, True]
    settled = PayerTariff(3, Fraction(7, 100), Fraction(15, 100), (Formula(basis_points=1000),))
    assert not settled.is_usual(100_00, 12_00)


def test_nothing_is_learnt_from_payouts_that_tell_no_parts_apart() -> None:
    same = [KeptPayout(100_00, 2, 5_00), KeptPayout(100_00, 2, 9_00), KeptPayout(100_00, 2, 14_00)]
    cheaper = [KeptPayout(gross, 2, gross // 20 - 1_00) for gross in (100_00, 200_00, 400_00)]  # a part below nothing
    for samples in (same, cheaper):
        tariff = tariff_of(samples)
        assert tariff is not None
        assert tariff.formulas == ()


def test_what_is_known_of_a_payers_fee() -> None:
    several = PayerTariff(3, Fraction(1, 10), Fraction(1, 10), (Formula(basis_points=1000),))
    known = PayerTerms(FeeKind.COMMISSION, 100, PayerTariffs(several, None), charges_minor=3_00)
    assert [known.is_known(100_00, 4, kept) for kept in (3_00, 10_00, 20_00)] == [True, True, False]
    assert known.expected_fee(100_00, 4) == 10_00
    assert PayerTerms(FeeKind.COMMISSION, 100).expected_fee(100_00, 4) == 0
    stated = PayerTerms(FeeKind.COMMISSION, 100, known.tariffs, StatedFee(amount=5_00))
    assert [stated.is_known(100_00, 4, kept) for kept in (5_00, 10_00)] == [True, False]
    assert [stated.expected_fee(gross, 4) for gross in (100_00, 4_00)] == [5_00, 4_00]
