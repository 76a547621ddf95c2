"""Fees of payment services from month to month: the usual rate is the median of the months before."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.payouts.monthly_fees import JudgedMonth, MonthOfFees, judge_months


def month(number: int, gross: int, fee: int, account: str = "stripe:Stripe", currency: str = "EUR") -> MonthOfFees:
    return MonthOfFees(account, currency, date(2025 + (number - 1) // 12, (number - 1) % 12 + 1, 1), 4, gross, fee)


def test_a_month_is_judged_by_the_median_of_those_before() -> None:
    months = [month(1, 10_000, 200), month(2, 10_000, 300), month(3, 10_000, 900), month(4, 20_001, 700)]
    found = [(each.fees.month.month, each.usual_rate, each.above_minor) for each in judge_months(months)]
    assert found == [
        (4, Fraction(3, 100), 100),  # of 20,001 three per cent are 600.03
        (3, Fraction(25, 1000), 650), (2, None, 0), (1, None, 0),
    ]  # fmt: skip


def test_accounts_and_currencies_are_judged_by_themselves() -> None:
    own = [month(each, 1_000, 10) for each in (1, 2, 3)]
    others = [month(3, 1_000, 90, "amazon:Amazon"), month(3, 1_000, 90, currency="CHF")]
    judged = {(each.fees.account, each.fees.currency): each.usual_rate for each in judge_months([*own, *others])[:3]}
    assert judged == {
        ("stripe:Stripe", "EUR"): Fraction(1, 100), ("amazon:Amazon", "EUR"): None, ("stripe:Stripe", "CHF"): None,
    }  # fmt: skip


def test_a_month_without_sales_has_no_rate_and_judges_no_other() -> None:
    months = [month(1, 0, 500), month(2, -300, 500), month(3, 1_000, 10)]
    assert [(each.rate, each.usual_rate) for each in judge_months(months)] == [
        (Fraction(1, 100), None), (None, None), (None, None),
    ]  # fmt: skip


@given(st.lists(st.tuples(st.integers(-500, 10_000), st.integers(0, 500)), max_size=20))
def test_nothing_is_above_a_rate_that_is_charged_every_month(sums: list[tuple[int, int]]) -> None:
    flat = [month(place, 1_000 + place, 0) for place in range(1, len(sums) + 1)]
    assert all(each.above_minor == 0 for each in judge_months(flat))
    found: list[JudgedMonth] = judge_months(month(place, *each) for place, each in enumerate(sums, 1))
    assert all(0 <= each.above_minor <= max(each.fees.fee_minor, 0) for each in found) and len(found) == len(sums)
