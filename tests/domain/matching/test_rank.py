"""Which of a customer's equal orders is proposed first; no posting here may be matched."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.decide import decide
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import (
    Decision,
    Delay,
    FirstSuggestion,
    MatchOutcome,
    OrderFacts,
    PostingFacts,
    ShopFacts,
)
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.several.hypothesis import first_orders
from tests.domain.matching.world import BOOKED, ORDERED, order, paid, posting

OLDER = order("A1001")
YOUNGER = order("A1002", order_date=ORDERED + timedelta(4))
BEFORE, AFTER = BOOKED - timedelta(1), BOOKED + timedelta(1)


def decided(orders: list[OrderFacts], postings: list[PostingFacts], delays: Sequence[Delay] = ()) -> list[Decision]:
    index, prepared = MemoryIndex(orders), prepare(postings)
    shop = ShopFacts(open_orders=len(orders), delays=tuple(delays))
    return decide(prepared, index.known_orders(prepared.keys), shop, {})


def proposed(decision: Decision) -> list[str]:
    assert decision.outcome is MatchOutcome.SUGGESTED
    return [s.allocations[0].order_number for s in decision.suggestions]


def test_a_single_payment_is_for_the_order_whose_time_it_is() -> None:
    (decision,) = decided([OLDER, YOUNGER], [posting("Danke")])
    assert proposed(decision) == ["A1002", "A1001"]


@pytest.mark.parametrize(("taken", "other", "first"), [(YOUNGER, AFTER, "A1001"), (OLDER, BEFORE, "A1002")])
def test_two_payments_are_for_two_orders_in_their_turn(taken: OrderFacts, other: date, first: str) -> None:
    orders = [OLDER, YOUNGER]
    orders[orders.index(taken)] = order(
        taken.number, order_date=taken.order_date, first_for=(FirstSuggestion(other, "P0"),)
    )
    (decision,) = decided(orders, [posting("Danke")])
    assert proposed(decision)[0] == first
    assert "twin-turn" in {reason.code for reason in decision.suggestions[0].reasons}


def test_what_a_posting_was_proposed_for_itself_says_nothing() -> None:
    (decision,) = decided([order("A1001", first_for=(FirstSuggestion(BOOKED, "P1"),)), YOUNGER], [posting("Danke")])
    assert proposed(decision)[0] == "A1002"


def test_two_payments_of_one_batch_are_not_both_for_the_older_order() -> None:
    postings = [posting("Danke", id="P1", booking_date=BEFORE), posting("Danke", id="P2")]
    first, second = decided([OLDER, YOUNGER], postings)
    assert proposed(second)[0] == "A1002"
    assert first_orders(first) == (
        "A1002",
    )  # decided before the second was known: it is due again (usecases/matching/matching.py)
    taken = [OLDER, order("A1002", order_date=YOUNGER.order_date, first_for=(FirstSuggestion(BOOKED, "P2"),))]
    (again,) = decided(taken, postings[:1])
    assert proposed(again)[0] == "A1001"


def test_the_next_instalment_is_for_the_order_that_was_begun() -> None:
    begun = order("A1001", first_for=(FirstSuggestion(BEFORE, "P0"),))
    (decision,) = decided([begun, YOUNGER], [posting("Rate 2/2", 2495)])
    assert proposed(decision)[0] == "A1001"


def test_an_instalment_is_not_for_an_order_that_the_parts_that_wait_pay_in_full() -> None:
    waiting = (FirstSuggestion(BEFORE, "P0"), FirstSuggestion(BOOKED, "P01"))
    full = order("A1001", first_for=waiting)
    (decision,) = decided([full, YOUNGER], [posting("Rate 1/2", 2495)])
    assert proposed(decision)[0] == "A1002"


@pytest.mark.parametrize(("age", "first"), [(2, "A1002"), (20, "A1001")])
def test_of_two_invoices_the_one_is_first_that_the_shops_delays_point_to(age: int, first: str) -> None:
    older = order("A1001", order_date=BOOKED - timedelta(20), due_date=BOOKED - timedelta(6), type="INVOICE")
    younger = order("A1002", order_date=BOOKED - timedelta(2), due_date=BOOKED + timedelta(12), type="INVOICE")
    (decision,) = decided([older, younger], [posting("Danke")], [Delay(age, age - 14)] * 200)
    assert proposed(decision)[0] == first
    assert "twin-time" in {reason.code for reason in decision.suggestions[0].reasons}


def test_of_many_equal_orders_one_near_its_due_date_and_not_taken_comes_first() -> None:
    def monthly(number: str, due: int, **more: Any) -> OrderFacts:
        return order(number, order_date=date(2026, 2, 1), due_date=BOOKED + timedelta(due), type="INVOICE", **more)

    orders = [monthly("A1001", -40), monthly("A1002", 2), monthly("A1003", 30)]
    assert proposed(decided(orders, [posting("Danke")])[0])[0] == "A1002"
    orders[1] = monthly("A1002", 2, first_for=(FirstSuggestion(BEFORE, "P0"),))
    assert proposed(decided(orders, [posting("Danke")])[0])[0] != "A1002"


def test_a_stranger_takes_no_turn() -> None:
    (decision,) = decided([order("A1001", name="Ida Baum")], [posting("Danke")])
    assert decision.outcome is MatchOutcome.UNMATCHED or first_orders(decision) == ()


def test_the_surname_says_more_than_a_first_name() -> None:
    orders = [order("A1001", name="Uwe Gotthard"), order("A1002", name="Claire Sommer", order_date=YOUNGER.order_date)]
    assert proposed(decided(orders, [posting("Danke")])[0])[0] == "A1001"


def test_an_item_in_the_text_is_evidence() -> None:
    orders = [order("A1001", name="Ida Baum", item_names=("Lampe 63",)), order("A1002", name="Nora Kern")]
    (decision,) = decided(orders, [posting("LAMPE 63")])
    assert proposed(decision)[0] == "A1001"
    assert "item-in-text" in {reason.code for reason in decision.suggestions[0].reasons}


@pytest.mark.parametrize(("announced", "days", "first"), [
    ("A1001", 0, "A1001"), ("A1002", 0, "A1002"), ("A1002", 10, "A1002"), ("A1002", -10, "A1002"),
])  # fmt: skip
def test_of_equal_orders_the_one_whose_customer_said_that_it_was_paid_comes_first(
    announced: str, days: int, first: str
) -> None:
    said = {announced: BOOKED + timedelta(days)}
    orders = [
        order(number, order_date=YOUNGER.order_date, announced_date=said.get(number)) for number in ("A1001", "A1002")
    ]
    (decision,) = decided(orders, [posting("Danke")])
    assert proposed(decision)[0] == first
    assert "announced" in {reason.code for reason in decision.suggestions[0].reasons}


def test_what_was_said_long_ago_is_about_another_payment() -> None:
    orders = [order(number, announced_date=BOOKED - timedelta(11)) for number in ("A1001", "A1002")]
    (decision,) = decided(orders, [posting("Danke")])
    assert "announced" not in {reason.code for each in decision.suggestions for reason in each.reasons}


def test_an_instalment_of_a_payer_with_initials_is_found_by_its_share() -> None:
    (decision,) = decided(
        [order("A1001", 14900, name="Ingrid Boeveld")], [posting("deel 1 van 3", 4966, "Hr I.J M Boeveld")]
    )
    assert proposed(decision) == ["A1001"]


def test_a_refund_without_a_word_is_proposed_where_all_that_was_paid_goes_back() -> None:
    settled = order("A1001", **paid(OLDER))
    (decision,) = decided([settled], [posting("", -4990)])
    assert proposed(decision) == ["A1001"]
    assert decided([settled], [posting("", -2000)])[0].outcome is MatchOutcome.UNMATCHED


@given(st.permutations(["A1001", "A1002", "A1003"]), st.sets(st.sampled_from(["A1001", "A1002", "A1003"])))
def test_ranking_never_decides(numbers: list[str], taken: set[str]) -> None:
    orders = [
        order(n, order_date=ORDERED + timedelta(i), first_for=(FirstSuggestion(BEFORE, "P0"),) if n in taken else ())
        for i, n in enumerate(sorted(numbers))
    ]
    by_number = {o.number: o for o in orders}
    (decision,) = decided([by_number[n] for n in numbers], [posting("Danke")])
    assert sorted(proposed(decision)) == sorted(numbers)
