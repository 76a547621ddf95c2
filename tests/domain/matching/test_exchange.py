"""Orders in another currency than the posting's: the bank's word, the order's rate, or none (D-35)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from paymatch.domain.matching.model import AllocationProposal, OrderFacts
from paymatch.domain.matching.weigh.exchange import in_order_currency, in_posting_currency, is_rate_unclear
from tests.domain.matching.world import RATE_PLN, decided, order, outcome, posting

ADVICE = "submit the order again with exchangeRate, or set the order as paid and set the posting aside"
ZLOTY = order("A2074", 6700, currency="PLN")
WITH_RATE = order("A2074", 6700, currency="PLN", exchange_rate=RATE_PLN)


@pytest.mark.parametrize("rate", ["4.27", "0.2342"])
def test_rate_of_an_order_is_read_the_way_that_fits(rate: str) -> None:
    facts = order("A2074", 6700, currency="PLN", exchange_rate=Decimal(rate))
    assert in_posting_currency(posting("", 1553).posting, facts, 6700, 1553) == 1569


def test_minor_units_of_the_two_currencies_may_differ() -> None:
    yen = order("A2074", 8088, currency="JPY", exchange_rate=Decimal(160))
    assert in_posting_currency(posting("", 5055).posting, yen, 8088, 5055) == 5055
    euro = order("A2074", 5055, exchange_rate=Decimal(160))
    assert in_posting_currency(posting("", 8088, currency="JPY").posting, euro, 5055, 8088) == 8088


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
    assert in_posting_currency(given, WITH_RATE, 6700, 1553) == here


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


FRANCS = order("AB0020874", 7900, currency="CHF", exchange_rate=Decimal("0.94"))
"""EUR 84.04 if the rate is francs for a euro, EUR 74.26 if it is euros for a franc."""


@pytest.mark.parametrize(
    ("paid", "sent", "unclear"),
    [
        (7340, 8404, True),  # 74.26 at another bank's rate, or 84.04 less charges of 10.64
        (7340, None, False),
        (7426, 8404, False),
        (8404, None, False),
        (8300, 8404, False),
        (5000, None, True),  # a part: 53.19 francs or 47.00
        (9900, None, True),
    ],
)
def test_a_rate_that_can_be_read_two_ways_is_left_to_a_person(paid: int, sent: int | None, unclear: bool) -> None:
    charges = sent - paid if sent else 0
    given = posting(
        "AB0020874", paid, instructed_amount_minor=sent, instructed_currency="EUR", charges_minor=charges or 0
    )
    assert is_rate_unclear(given.posting, paid, FRANCS, 7900) is unclear
    (decision,) = decided([FRANCS], [given])
    assert (decision.match is None) is unclear
    assert decision.suggestions[:1] == () or "can be read two ways" in decision.review_reason


def test_readings_that_are_far_apart_are_never_unclear() -> None:
    assert not is_rate_unclear(posting("", 1000).posting, 1000, WITH_RATE, 6700)
    assert not is_rate_unclear(posting("", 1000).posting, 1000, ZLOTY, 6700)


def test_readings_of_a_cent_are_never_unclear() -> None:
    assert not is_rate_unclear(posting("", 1).posting, 1, FRANCS, 1)
    assert is_rate_unclear(posting("", 5000).posting, 5000, FRANCS, 0)
