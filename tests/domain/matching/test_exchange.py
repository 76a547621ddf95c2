"""Orders in another currency than the posting's: the bank's word, the order's rate, or none (D-35)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from paymatch.domain.matching.model import AllocationProposal, OrderFacts
from paymatch.domain.matching.weigh.amounts import (
    in_order_currency,
    in_posting_currency,
    is_far_from_rate,
    is_rate_inverted,
)
from paymatch.domain.words.message import Message
from tests.domain.matching.world import RATE_PLN, decided, order, outcome, posting

ADVICE = "submit the order again with exchangeRate, or set the order as paid and set the posting aside"
ZLOTY = order("A2074", 6700, currency="PLN")
WITH_RATE = order("A2074", 6700, currency="PLN", exchange_rate=RATE_PLN)


@pytest.mark.parametrize(("rate", "here"), [("4.27", 1569), ("0.2342", 28608)])
def test_rate_of_an_order_has_one_direction(rate: str, here: int) -> None:
    facts = order("A2074", 6700, currency="PLN", exchange_rate=Decimal(rate))
    assert in_posting_currency(posting("", 1553).posting, facts, 6700) == here


def test_minor_units_of_the_two_currencies_may_differ() -> None:
    yen = order("A2074", 8088, currency="JPY", exchange_rate=Decimal(160))
    assert in_posting_currency(posting("", 5055).posting, yen, 8088) == 5055
    euro = order("A2074", 5055, exchange_rate=Decimal("0.00625"))
    assert in_posting_currency(posting("", 8088, currency="JPY").posting, euro, 5055) == 8088


@pytest.mark.parametrize(
    ("facts", "minor", "instructed", "pays"),
    [
        (ZLOTY, 1569, None, None),  # no rate
        (WITH_RATE, 1569, None, 6700),  # by the order's rate
        (WITH_RATE, 1553, None, 6700),  # the rates of two banks differ by up to 3 %
        (WITH_RATE, 1000, None, 4270),  # a part
        (WITH_RATE, -1569, None, -6700),  # given back
        (ZLOTY, 1553, 6700, 6700),  # the bank says what was instructed
        (ZLOTY, 1553, 3000, 3000),
        (WITH_RATE, 1553, 3000, 3000),  # and knows better than the order
        (ZLOTY, 1553, 0, None),
        (replace(WITH_RATE, open_minor=1, paid_minor=6699), 1, None, 1),  # what is open is the least that there is
        (replace(WITH_RATE, open_minor=0, paid_minor=6700), 1569, None, 6700),  # paid already: once more
        (order("A2074", 4990), 1000, None, 1000),
    ],
)
def test_what_a_posting_pays_of_an_order(
    facts: OrderFacts, minor: int, instructed: int | None, pays: int | None
) -> None:
    given = posting("", minor, instructed_amount_minor=instructed, instructed_currency="PLN" if instructed else "")
    assert in_order_currency(given.posting, minor, facts, facts.open_minor) == pays


def test_a_part_of_a_posting_is_that_part_of_what_was_instructed() -> None:
    given = posting("", 2000, instructed_amount_minor=8000, instructed_currency="PLN").posting
    assert in_order_currency(given, 500, ZLOTY, 6700) == 2000
    assert in_order_currency(given, 1675, ZLOTY, 6700) == 6700


@pytest.mark.parametrize(
    ("text", "amount", "figure"),
    [
        ("Vorkasse A2074", 6700, "; the figure is the same"),  # the right figure in the wrong currency
        ("Vorkasse A2074", 1553, ""),
        ("Danke", 6700, "; the figure is the same"),  # its customer pays the very figure
    ],
)
def test_without_a_rate_the_order_is_proposed_with_what_can_be_done(text: str, amount: int, figure: str) -> None:
    (decision,) = decided([ZLOTY], [posting(text, amount)])
    assert outcome(decision) == ("suggested", (("A2074", amount),))
    proposal = decision.suggestions[0]
    assert proposal.allocations == (AllocationProposal("A2074", amount, None),)
    words = "the posting is in EUR, the order in PLN, and no rate is known"
    assert decision.review_reason == f"{words}: {ADVICE}"
    assert f"{words}{figure}" in [reason.words for reason in proposal.reasons]


@pytest.mark.parametrize(
    ("text", "amount", "name"),
    [
        ("Danke", 1553, "Claire Gotthard"),  # neither number nor figure
        ("Danke", 6700, "Hans Pruschke"),  # neither number nor name
        ("Gutschrift A2074", -6700, "Claire Gotthard"),  # money out
    ],
)
def test_without_a_rate_an_order_that_little_speaks_for_is_not_proposed(text: str, amount: int, name: str) -> None:
    assert outcome(decided([ZLOTY], [posting(text, amount, name)])[0]) == ("unmatched", ())


def test_an_order_in_the_postings_own_currency_is_paid_although_another_is_named() -> None:
    here = order("A2075", 1990, "Hans Pruschke")
    (decision,) = decided([ZLOTY, here], [posting("A2074 und A2075", 1990, "Hans Pruschke")])
    assert outcome(decision) == ("matched", (("A2075", 1990),))


@pytest.mark.parametrize(
    ("minor", "currency", "here"),
    [(6700, "PLN", 1553), (3350, "PLN", 3106), (None, "PLN", 1569), (0, "PLN", 1569), (6700, "USD", 1569)],
)
def test_only_what_was_instructed_in_the_orders_currency_goes_before_its_rate(
    minor: int | None, currency: str, here: int
) -> None:
    given = posting("", 1553, instructed_amount_minor=minor, instructed_currency=currency).posting
    assert in_posting_currency(given, WITH_RATE, 6700) == here


@pytest.mark.parametrize("facts", [ZLOTY, WITH_RATE])
def test_what_was_instructed_in_the_orders_currency_is_a_known_rate(facts: OrderFacts) -> None:
    given = posting("Vorkasse A2074", 1480, instructed_amount_minor=6700, instructed_currency="PLN")
    (decision,) = decided([facts], [given])
    assert decision.match is not None
    assert decision.match.allocations == (AllocationProposal("A2074", 1480, 6700),)
    assert decision.match.reasons[0].code == "amount-instructed"


def test_a_part_that_was_instructed_is_left_to_a_person_where_the_bank_alone_knows_the_rate() -> None:
    given = posting("Vorkasse A2074", 1000, instructed_amount_minor=4270, instructed_currency="PLN")
    (decision,) = decided([ZLOTY], [given])
    assert outcome(decision) == ("suggested", (("A2074", 1000),))
    assert decision.suggestions[0].allocations[0].order_amount_minor == 4270
    assert decision.review_reason == "the order is in PLN, and the amount instructed in PLN is not what is open"
    (known,) = decided([WITH_RATE], [given])
    assert known.match is not None
    assert (known.match.allocations[0].order_amount_minor, known.flags) == (4270, ("partial",))


POUNDS = order("AB0020874", 10000, currency="GBP", exchange_rate=Decimal("0.855"))
"""EUR 116.96 at 0.855 pounds for a euro; 85.50 if it were read the other way round."""


@pytest.mark.parametrize(
    ("paid", "charges", "inverted"),
    [
        (11696, 0, False),
        (11500, 0, False),  # the rates of two banks differ by up to 3 %
        (8550, 0, True),
        (8400, 0, True),
        (8000, 550, True),  # what was sent before the bank's charges
        (5000, 0, False),  # a part
        (20000, 0, False),
    ],
)
def test_a_payment_that_fits_only_the_other_reading_is_a_suggestion(paid: int, charges: int, inverted: bool) -> None:
    given = posting("AB0020874", paid, charges_minor=charges)
    assert is_rate_inverted(given.posting, paid, POUNDS, 10000) is inverted
    (decision,) = decided([POUNDS], [given])
    words = "the order is in GBP, and the amount fits only if its exchange rate is read the other way round"
    assert (decision.review_reason == words) is inverted
    assert (decision.match is None) or not inverted


def test_the_amount_asked_for_pays_the_order_in_full() -> None:
    (decision,) = decided([POUNDS], [posting("AB0020874", 11696)])
    assert decision.match is not None
    assert decision.match.allocations == (AllocationProposal("AB0020874", 11696, 10000),)


def test_without_a_rate_nothing_is_inverted() -> None:
    assert not is_rate_inverted(posting("", 1000).posting, 1000, ZLOTY, 6700)
    instructed = posting("", 8550, instructed_amount_minor=10000, instructed_currency="GBP").posting
    assert not is_rate_inverted(instructed, 8550, POUNDS, 10000)
    assert not is_rate_inverted(posting("", 1).posting, 1, WITH_RATE, 0)


@pytest.mark.parametrize(("paid", "far"), [(11696, False), (10527, False), (10526, True), (100, True)])
def test_what_was_instructed_does_not_pay_an_order_of_whose_money_too_little_arrived(paid: int, far: bool) -> None:
    given = posting("AB0020874", paid, instructed_amount_minor=10000, instructed_currency="GBP")
    assert is_far_from_rate(given.posting, paid, POUNDS, 10000) is far
    assert (decided([POUNDS], [given])[0].match is None) is far


@pytest.mark.parametrize(
    ("asked_in", "minor", "currency", "expected"),
    [
        ("EUR", 1569, "EUR", "matched"),
        ("", 1569, "EUR", "matched"),
        ("PLN", 1569, "EUR", "suggested"),  # the shop has an account in złoty
        ("EUR", 1569, "CHF", "suggested"),  # the posting is not in the shop's currency
        ("PLN", 6700, "PLN", "matched"),
    ],
)
def test_rate_of_an_order_decides_only_where_it_asks(asked_in: str, minor: int, currency: str, expected: str) -> None:
    facts = replace(WITH_RATE, asked_in=asked_in)
    (found,) = decided([facts], [posting("Bestellung A2074", minor, currency=currency)])
    assert found.outcome == expected
    held = Message("rate-not-asked", order="A2074", posting=currency, asked=asked_in)
    assert found.review_reason == (held if expected == "suggested" else "")
