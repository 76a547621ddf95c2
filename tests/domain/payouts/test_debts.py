"""What a payout below zero leaves to the next: as the bank's postings say."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from paymatch.domain.payouts.debts import amounts_without_debt, with_debts
from paymatch.domain.payouts.payouts import Payout
from paymatch.domain.payouts.providers import PROVIDERS
from paymatch.domain.payouts.ties import BankPosting, ProviderPayout

MONDAY = date(2026, 11, 2)


def week(number: int, net: int, *, is_implied: bool = True, carried: tuple[int, int] = (0, 0)) -> ProviderPayout:
    came, left = carried
    amount = max(net, 0) if is_implied else came + net - left
    payout = Payout(
        f"po_{number:07d}", "EUR", amount, net, MONDAY + timedelta(days=7 * number), came,
        min(net, 0) if is_implied else left, is_implied=is_implied,
    )  # fmt: skip
    return ProviderPayout(7, PROVIDERS["shopify"], payout)


def booked(number: int, minor: int, text: str = "SHOPIFY") -> BankPosting:
    return BankPosting(number, "EUR", minor, MONDAY + timedelta(days=7 * number + 1), "SHOPIFY", text)


def figures(payouts: list[ProviderPayout]) -> list[tuple[int, int, int]]:
    assert {each.payout.rest_minor for each in payouts} == {0}
    return [(each.payout.amount_minor, each.payout.carried_in_minor, each.payout.carried_out_minor) for each in payouts]


@pytest.mark.parametrize("postings", [[], [booked(3, 8500)], [booked(3, 1, "po_0000003")]])
def test_a_debt_is_taken_over_until_it_is_paid(postings: list[BankPosting]) -> None:
    weeks = [week(1, -2000), week(2, 500), week(3, 10_000), week(4, 700)]
    expected = [(0, 0, -2000), (0, -2000, -1500), (8500, -1500, 0), (700, 0, 0)]
    assert figures(with_debts(weeks, postings)) == expected
    assert figures(with_debts(weeks[::-1], postings)) == expected[::-1]


def test_a_debt_that_the_bank_shows_as_untouched_stays() -> None:
    weeks = [week(1, -2000), week(2, 10_000), week(3, 5000)]
    assert figures(with_debts(weeks, [booked(2, 10_000)])) == [(0, 0, -2000), (10_000, 0, 0), (3000, -2000, 0)]
    late = BankPosting(1, "EUR", 10_000, date(2026, 12, 24), "ANYBODY", "po_0000002")
    assert figures(with_debts(weeks, [late]))[1] == (10_000, 0, 0)
    assert set(amounts_without_debt(with_debts(weeks, [])[1].payout)) == {8000, 10_000}


def test_a_debt_that_the_provider_draws_from_the_bank_is_a_transfer() -> None:
    weeks = [week(1, -2000), week(2, 10_000)]
    assert figures(with_debts(weeks, [booked(1, -2000)])) == [(-2000, 0, 0), (10_000, 0, 0)]


def test_what_files_state_stays_and_counts() -> None:
    stated = [
        week(1, -2000, is_implied=False, carried=(0, -2000)),
        week(2, 1500, is_implied=False, carried=(-2000, -500)),
    ]
    weeks = [*stated, week(3, 1000)]
    assert figures(with_debts(weeks, [])) == [(0, 0, -2000), (0, -2000, -500), (500, -500, 0)]
