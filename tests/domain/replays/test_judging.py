"""Which of two assignments the evidence proves, and how old decisions are found again among postings."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import combinations

import pytest

from paymatch.domain.matching.model import OrderFacts, OrderState
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.replays.judging import AssignmentFact, ReplayVerdict, facts_for, judge

N, A, P, C = AssignmentFact.NUMBER, AssignmentFact.AMOUNT, AssignmentFact.NAME, AssignmentFact.CUSTOMER
DAY = date(2026, 3, 10)
PAID = Posting(
    "DE89370400440532013000", EUR, 7000, DAY, counterparty_name="Ada Berg", remittance_lines=("Order 10427, thanks",)
)
ORDER = OrderFacts(
    "10427", "EUR", 7000, 7000, OrderState.OPEN, date(2026, 3, 1), "INVOICE", names=("Ada Berg",), customer_number="K77"
)


@pytest.mark.parametrize(
    ("posting", "order", "facts"),
    [
        (PAID, ORDER, {N, A, P}),
        (replace(PAID, remittance_lines=("1 0427",)), ORDER, {N, A, P}),
        (replace(PAID, remittance_lines=("104270",)), ORDER, {A, P}),  # a longer number
        (replace(PAID, remittance_lines=("K77",)), ORDER, {A, P, C}),
        (replace(PAID, amount_minor=6999), ORDER, {N, P}),
        (replace(PAID, counterparty_name="Bo Christ"), ORDER, {N, A}),
        (PAID, replace(ORDER, number="7", invoice_numbers=("10427",)), {N, A, P}),
        (replace(PAID, remittance_lines=("7 pieces",)), replace(ORDER, number="7"), {N, A, P}),
    ],
)
def test_facts_are_what_the_payment_says_of_the_order(
    posting: Posting, order: OrderFacts, facts: set[AssignmentFact]
) -> None:
    assert facts_for(posting, [order]) == facts
    assert facts_for(posting, []) == frozenset()


def test_several_orders_must_all_be_meant() -> None:
    other = replace(ORDER, number="10428", amount_minor=1000)
    both = replace(PAID, amount_minor=8000, remittance_lines=("10427 and 10428",))
    assert facts_for(both, [ORDER, other]) == {N, A, P}
    assert facts_for(PAID, [ORDER, other]) == {P}


def test_a_side_is_right_only_if_all_speaks_for_it_that_speaks_for_the_other() -> None:
    every = [frozenset(some) for count in range(5) for some in combinations((N, A, P, C), count)]
    for ours in every:
        for theirs in every:
            verdict, turned = judge(ours, theirs), judge(theirs, ours)
            swapped = {ReplayVerdict.OURS: ReplayVerdict.THEIRS, ReplayVerdict.THEIRS: ReplayVerdict.OURS}
            assert turned is swapped.get(verdict, verdict)
            if verdict is ReplayVerdict.OURS:
                assert ours > theirs
                assert N in ours or len(ours) >= 2
    assert judge(frozenset({N, A}), frozenset({A})) is ReplayVerdict.OURS
    assert judge(frozenset({A}), frozenset({A, P})) is ReplayVerdict.THEIRS
    assert judge(frozenset({N}), frozenset({A, P})) is ReplayVerdict.BOTH
    assert judge(frozenset({A}), frozenset()) is ReplayVerdict.BOTH


@pytest.mark.parametrize("number", ["7", "12", "365", "2024", "2026", "1999"])
def test_a_number_like_a_quantity_or_a_year_is_named_only_with_the_amount(number: str) -> None:
    order = replace(ORDER, number=number, names=("Zora Unknown",))
    rent = replace(PAID, remittance_lines=(f"Rent {number}",))
    assert facts_for(rent, [order]) == {N, A}
    assert facts_for(replace(rent, amount_minor=6999), [order]) == frozenset()
    assert facts_for(replace(rent, amount_minor=6999), [replace(order, number=f"SW-{number}0")]) == frozenset()


def test_nothing_is_proved_of_an_order_that_the_files_do_not_have() -> None:
    unknown = frozenset({AssignmentFact.UNKNOWN})
    assert judge(frozenset({N, A, P}), unknown) is ReplayVerdict.BOTH
    assert judge(unknown, frozenset({N, A, P})) is ReplayVerdict.BOTH
