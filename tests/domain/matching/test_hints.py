"""Small facts that set the order of proposals; none of them decides."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.domain.matching.model import Decision, MatchOutcome, OrderFacts, PostingFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.rank.hints import months_in
from tests.domain.matching.world import decided, order, posting


def proposed(orders: list[OrderFacts], given: PostingFacts) -> tuple[list[str], Decision]:
    """(orders in the order of their proposals, the decision)."""
    (decision,) = decided(orders, [given])
    assert decision.outcome is MatchOutcome.SUGGESTED
    return [s.allocations[0].order_number for s in decision.suggestions], decision


def codes(decision: Decision) -> set[str]:
    """The evidence of the first proposal."""
    return {reason.code for reason in decision.suggestions[0].reasons}


def subscription() -> list[OrderFacts]:
    """A subscriber's invoices of three months."""
    return [
        order(f"A100{month}", order_date=date(2026, month, 1), due_date=date(2026, month, 15), type="INVOICE")
        for month in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("text", "first"), [("Abo Jänner", "A1001"), ("loyer février 2026", "A1002"), ("Beitrag März", "A1003")]
)
def test_the_month_in_the_text_is_that_of_the_order(text: str, first: str) -> None:
    numbers, decision = proposed(subscription(), posting(text))
    assert numbers[0] == first
    assert "month-named" in codes(decision)


@pytest.mark.parametrize(
    ("text", "name", "months"),
    [
        ("Abo Maerz", "Claire Gotthard", {3}),
        ("April und Mai", "Claire Gotthard", {4, 5}),
        ("von August", "August Mayer", set()),
        ("", "Claire Gotthard", set()),
    ],
)
def test_a_month_that_is_the_payers_name_is_none(text: str, name: str, months: set[int]) -> None:
    assert months_in(prepare([posting(text, name=name)]).views[0]) == months


def test_the_customers_own_name_counts_more_than_the_recipients() -> None:
    gift = order("A1001", names=("Ida Baum", "Claire Gotthard"), recipient_names=("Claire Gotthard",))
    own = order("A1002", order_date=date(2026, 2, 20))
    numbers, decision = proposed([gift, own], posting("Danke"))
    assert numbers == ["A1002", "A1001"]
    assert "name-recipient" in {reason.code for reason in decision.suggestions[1].reasons}


def test_a_payment_on_behalf_of_somebody_is_for_that_ones_order() -> None:
    payers_own = order("A1001", order_date=date(2026, 3, 5))
    other = order("A1002", name="Ida Baum", order_date=date(2026, 2, 20))
    numbers, decision = proposed([payers_own, other], posting("Danke", ultimate_name="Ida Baum"))
    assert numbers == ["A1002", "A1001"]
    assert "name-on-behalf" in {reason.code for reason in decision.suggestions[1].reasons}


def test_the_first_name_in_the_text_is_the_relatives_whose_order_is_paid() -> None:
    payers_own, relatives = order("A1001"), order("A1002", name="Mia Gotthard")
    numbers, decision = proposed([payers_own, relatives], posting("Bestellung Mia"))
    assert numbers == ["A1002", "A1001"]
    assert "relative-in-text" in {reason.code for reason in decision.suggestions[0].reasons}
    numbers, _ = proposed([payers_own, relatives], posting("Danke, Claire und Mia"))
    assert numbers == ["A1001", "A1002"]


def test_nothing_names_a_paid_order() -> None:
    settled = order("A1001", amount=4990, paid_minor=4990, open_minor=0, state="SETTLED")
    _, decision = proposed([settled], posting("Danke"))
    assert "paid-unnamed" in codes(decision)
