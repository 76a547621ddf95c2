"""What holds for every batch: amounts, currencies, and that the order of input does not matter."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.model import Decision, OrderFacts, OrderState, PostingFacts
from tests.domain.matching.world import decided, order, paid, posting

NAMES = ("Claire Gotthard", "Anna Müller", "Budig Söhne GmbH", "Peter Müller")
AMOUNTS = (990, 1990, 4990, 4890, 9980, 12583)
NUMBERS = ("1833", "1834", "SW-10840", "R-2026/00293", "R-2026/00294", "100004869")
TEXTS = (
    "{n}",
    "Bestellung {n}",
    "Rechnung {n} Rate 1",
    "{n} und {m}",
    "Danke",
    "",
    "{n} abzgl. 2% Skonto",
    "Erstattung {n}",
    "Tel {n}",
)


@st.composite
def shops(draw: st.DrawFn) -> list[OrderFacts]:
    orders = []
    for number in draw(st.lists(st.sampled_from(NUMBERS), unique=True, min_size=1)):
        facts = order(
            number,
            draw(st.sampled_from(AMOUNTS)),
            draw(st.sampled_from(NAMES)),
            currency=draw(st.sampled_from(("EUR", "EUR", "EUR", "PLN"))),
            order_date=date(2026, 3, 1) + timedelta(draw(st.integers(0, 9))),
        )
        state = draw(st.sampled_from(("open", "open", "open", "paid", "gone", "rate")))
        changes = {
            "paid": paid(facts),
            "gone": {"state": OrderState.CLOSED},
            "rate": {"exchange_rate": Decimal("4.27")},
        }
        orders.append(order(**{**_fields(facts), **changes.get(state, {})}))
    return orders


def _fields(facts: OrderFacts) -> dict[str, object]:
    return {
        "number": facts.number,
        "amount": facts.amount_minor,
        "name": facts.names[0],
        "currency": facts.currency,
        "order_date": facts.order_date,
    }


@st.composite
def batches(draw: st.DrawFn) -> list[PostingFacts]:
    count = draw(st.integers(1, 6))
    rows = []
    for index in range(count):
        text = draw(st.sampled_from(TEXTS)).format(n=draw(st.sampled_from(NUMBERS)), m=draw(st.sampled_from(NUMBERS)))
        amount = draw(st.sampled_from(AMOUNTS)) * draw(st.sampled_from((1, 1, 1, -1)))
        day = date(2026, 3, 9) + timedelta(draw(st.integers(0, 2)))
        rows.append(posting(text, amount, draw(st.sampled_from(NAMES)), id=f"P{index}", booking_date=day))
    return rows


def allocated(decision: Decision) -> int:
    return sum(a.amount_minor for a in decision.match.allocations) if decision.match else 0


@given(shops(), batches())
def test_allocations_never_exceed_the_posting(orders: list[OrderFacts], rows: list[PostingFacts]) -> None:
    for facts, decision in zip(rows, decided(orders, rows), strict=True):
        assert abs(allocated(decision)) <= abs(facts.open_minor)
        assert allocated(decision) * facts.open_minor >= 0
        for proposal in (decision.match, *decision.suggestions):
            if proposal is not None:
                assert abs(sum(a.amount_minor for a in proposal.allocations)) <= abs(facts.open_minor)
                assert 0.0 <= proposal.probability <= 1.0


@given(shops(), batches(), st.randoms(use_true_random=False))
def test_order_of_input_does_not_matter(orders: list[OrderFacts], rows: list[PostingFacts], random: object) -> None:
    straight = {decision.posting_id: decision for decision in decided(orders, rows)}
    backwards = {decision.posting_id: decision for decision in decided(orders[::-1], rows[::-1])}
    assert straight == backwards


@given(shops(), batches())
def test_another_currency_is_never_paid_without_a_rate(orders: list[OrderFacts], rows: list[PostingFacts]) -> None:
    payable = {facts.number for facts in orders if facts.currency == "EUR" or facts.exchange_rate}
    for decision in decided(orders, rows):
        if decision.match is not None:
            assert {a.order_number for a in decision.match.allocations} <= payable
        for proposal in decision.suggestions:
            without = {a.order_number for a in proposal.allocations if a.order_amount_minor is None}
            assert without == {a.order_number for a in proposal.allocations} - payable


@given(shops(), batches())
def test_every_decision_says_why(orders: list[OrderFacts], rows: list[PostingFacts]) -> None:
    for decision in decided(orders, rows):
        if decision.match is not None:
            assert decision.match.reasons
            assert not decision.suggestions
        elif decision.suggestions:
            assert decision.review_reason
            assert all(proposal.reasons for proposal in decision.suggestions)


@given(st.text(max_size=80), st.text(max_size=40), st.text(min_size=1, max_size=30), st.integers(-(10**12), 10**12))
def test_any_text_is_decided(text: str, name: str, number: str, amount: int) -> None:
    orders = [order(number, 4990, name, invoice_numbers=(text,), customer_number=name), order("1834")]
    rows = [posting(text, amount or 1, name, end_to_end_id=number, structured_references=(text,))]
    (decision,) = decided(orders, rows)
    assert decision.posting_id == "P1"
