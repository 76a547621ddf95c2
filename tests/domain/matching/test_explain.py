"""Why the runner-up lost, in words that a person can act on."""

from __future__ import annotations

import pytest

from paymatch.domain.matching.catalogue import (
    AMOUNT_PARTIAL,
    IBAN_KNOWN,
    NAME_EQUAL,
    NAME_OTHER,
    NUMBER,
    RULE_ALWAYS,
    Reason,
)
from paymatch.domain.matching.evidence import Candidate, Weigher
from paymatch.domain.matching.lookup.batch import Work
from paymatch.domain.matching.model import AllocationProposal, Decision, MatchOutcome, Proposal, ShopFacts
from paymatch.domain.matching.prepare import OrderView, prepare
from paymatch.domain.matching.several.hypothesis import Hypothesis, contests, first_orders, in_words, runner_up
from tests.domain.matching.world import decided, order, posting


def candidate(number: str) -> Candidate:
    """An order of this number as it is weighed for a payment that does not name it."""
    shop = ShopFacts(open_orders=200)
    (view,) = prepare([posting("")], shop).views
    view.work = Work()
    found = Weigher(shop).weigh(view, OrderView(order(number)), (), frozenset())
    assert found is not None
    return found


def hypothesis(probability: float, *reasons: Reason, number: str = "N-1002") -> Hypothesis:
    """A single order with this share of the probability, for these reasons."""
    made = Hypothesis("single", [(candidate(number), 4990)], 0.0, list(reasons))
    made.probability = probability
    return made


BEST = hypothesis(0.95, NAME_EQUAL.reason(), number="N-1001")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (hypothesis(0.0449, NAME_EQUAL.reason()), "next was N-1002 with 4.5%"),
        (
            hypothesis(0.03, AMOUNT_PARTIAL.reason(), NAME_OTHER.reason()),
            "next was N-1002 with 3.0%: the payer has a different name",
        ),
        (hypothesis(0.0006, NAME_OTHER.reason()), "next was N-1002 with 0.1%: the payer has a different name"),
        (hypothesis(0.0004, NAME_OTHER.reason()), ""),  # it would be said to have 0.0 %
        (hypothesis(0.0), ""),
    ],
)
def test_the_runner_up_and_what_spoke_against_it(second: Hypothesis, words: str) -> None:
    assert runner_up([BEST, second]) == words


def test_the_runner_up_of_several_orders_is_told_with_all_of_them_and_what_weighs_most_against_it() -> None:
    reasons = [NAME_EQUAL.reason(), AMOUNT_PARTIAL.reason(), NAME_OTHER.reason()]
    parts = [(candidate(number), 100) for number in ("N-3", "N-1", "N-2")]
    second = Hypothesis("multi", parts, 0.0, reasons)
    second.probability = 0.125
    assert (
        runner_up([BEST, second, hypothesis(0.01)])
        == "next was N-1, N-2, N-3 with 12.5%: the payer has a different name"
    )
    assert runner_up([BEST, hypothesis(0.001)]) == "next was N-1002 with 0.1%"


def suggested(probability: float, *reasons: Reason) -> Decision:
    """A decision that proposes two orders for these reasons."""
    parts = tuple(AllocationProposal(number, 100, 100) for number in ("N-1", "N-2"))
    return Decision("P1", MatchOutcome.SUGGESTED, None, (Proposal(parts, probability, reasons),), "why")


PLACE = ((0, 6),)


@pytest.mark.parametrize(
    ("probability", "reason", "expected"),
    [
        (0.2, NUMBER["order", "full"].reason(5.0, "x", PLACE), True),
        (0.199, NUMBER["order", "full"].reason(5.0, "x", PLACE), False),
        (0.9, NUMBER["order", "full"].reason(5.0, "x"), False),  # a number that is not in the text
        (0.9, NAME_EQUAL.reason(5.0, "x", PLACE), False),
    ],
)
def test_what_waits_contests_orders_that_its_text_names(probability: float, reason: Reason, expected: bool) -> None:
    decision = suggested(probability, AMOUNT_PARTIAL.reason(), reason)
    assert contests(decision) == (("N-1", "N-2") if expected else ())


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (NAME_EQUAL.reason(2.5), True),
        (NAME_EQUAL.reason(2.49), False),
        (NUMBER["order", "tail"].reason(2.5, "x"), True),
        (IBAN_KNOWN.reason(), True),
        (RULE_ALWAYS.reason(), True),
        (AMOUNT_PARTIAL.reason(9.0), False),
    ],
)
def test_what_waits_is_first_for_orders_of_its_payer_or_number(reason: Reason, expected: bool) -> None:
    assert first_orders(suggested(0.01, reason)) == (("N-1", "N-2") if expected else ())


def test_a_decision_in_words_has_what_weighs_most_first() -> None:
    decision = suggested(0.1234, AMOUNT_PARTIAL.reason(-1.5), NAME_EQUAL.reason(11.0), NAME_OTHER.reason(-3.0))
    assert in_words(decision) == [
        "suggested N-1, N-2 (12.3%)",
        "  +11.0 the name matches",
        "  -3.0 the payer has a different name",
        "  -1.5 the amount is less than what is open",
        "why",
    ]


def test_without_a_runner_up_nothing_is_said() -> None:
    assert runner_up([BEST]) == ""


def test_a_match_names_no_runner_up_that_had_no_share() -> None:
    orders = [order("N-1001"), order("N-1002", 5990, "Hans Pruschke")]
    (decision,) = decided(orders, [posting("N-1001 N-1002 danke")])
    assert decision.match is None or "with 0.0%" not in decision.review_reason
    (decision,) = decided([order("N-100100"), order("N-100200")], [posting("Bestellung N-100100")])
    assert decision.match is not None
    assert decision.review_reason == ""


def test_what_waits_contests_the_order_that_it_names_and_is_first_for_that_of_its_payer() -> None:
    """A payment of several orders contests none of them by the payer's name or the amount alone."""
    named = decided([order("1834")], [posting("1834", 3000, "Otto Seiler")])[0]
    assert (contests(named), first_orders(named)) == (("1834",), ("1834",))
    unnamed = decided([order("1834")], [posting("Rate", 3000)])[0]
    assert unnamed.suggestions
    assert (contests(unnamed), first_orders(unnamed)) == ((), ("1834",))
    stranger = decided([order("1834")], [posting("", name="Otto Seiler")])[0]
    assert stranger.suggestions
    assert (contests(stranger), first_orders(stranger)) == ((), ())
    assert (contests(decided([], [posting("1834")])[0]), first_orders(decided([], [posting("1834")])[0])) == ((), ())
