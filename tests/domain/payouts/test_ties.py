"""Which posting is which payout: by id, else by provider, amount and days; the same in any order of arrival."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.payouts.payouts import Payout, payouts_of
from paymatch.domain.payouts.providers import PROVIDERS, SearchedTexts, provider_of
from paymatch.domain.payouts.ties import (
    BankPosting,
    PayoutState,
    ProviderPayout,
    Tie,
    TieReason,
    state_of,
    tie_payouts,
)
from tests.domain.payouts.weeks import Weeks, weeks

SENT = date(2026, 11, 16)  # a Monday


def sent(
    payout_id: str, amount: int = 10760, day: date = SENT, provider: str = "stripe", trace: str = ""
) -> ProviderPayout:
    return ProviderPayout(7, PROVIDERS[provider], Payout(payout_id, "EUR", amount, amount, day, trace_id=trace))


def booked(
    number: int,
    amount: int = 10760,
    day: date = date(2026, 11, 17),
    name: str = "STRIPE PAYMENTS EUROPE",
    text: str = "",
    end_to_end_id: str = "",
    payer: str = "",
) -> BankPosting:
    return BankPosting(number, "EUR", amount, day, name, text, end_to_end_id, payer_account=payer)


@pytest.mark.parametrize(
    ("posting", "reason"),
    [
        (booked(1, text="STRIPE PO_1QLBWM4C TEEHAUS"), TieReason.ID),
        (booked(1, text="STRIPE PO_1QLB\nWM4C"), TieReason.ID),
        (booked(1, end_to_end_id="po_1QLbWm4c"), TieReason.ID),
        (booked(1, text="STRIPE", name=""), TieReason.AMOUNT),
    ],
)
def test_a_payout_is_found_by_its_id_or_its_amount(posting: BankPosting, reason: TieReason) -> None:
    ties = tie_payouts([sent("po_1QLbWm4c")], [posting])
    assert ties.tied == (Tie((7, "EUR", "po_1QLbWm4c"), 1, reason),)
    assert not ties.suggested
    assert not ties.without_file


def test_the_trace_of_a_transfer_names_it() -> None:
    found = tie_payouts(
        [sent("po_1QLbWm4c", trace="STRIPE8G4K2")], [booked(1, text="STRIPE-8G4K2", name="BANK", day=SENT)]
    )
    assert [each.reason for each in found.tied] == [TieReason.ID]


def test_an_id_of_digits_is_no_part_of_a_longer_number() -> None:
    texts = SearchedTexts(
        [(1, ["REF 1987654321"]), (2, ["REF 98765\n4321 KLARNA"]), (3, ["987654321"]), (4, ["98 7654321"])]
    )
    assert texts.naming("987654321") == [2, 3]
    assert texts.naming("12345") == []


@pytest.mark.parametrize(("day", "is_found"), [(SENT, True), (date(2026, 11, 23), True), (date(2026, 11, 24), False)])
def test_an_amount_counts_for_five_bank_days(day: date, is_found: bool) -> None:
    ties = tie_payouts([sent("po_1QLbWm4c")], [booked(1, day=day)])
    assert bool(ties.tied) is is_found
    assert ties.without_file == (frozenset() if is_found else {1})


def test_a_customer_who_pays_the_same_amount_is_no_payout() -> None:
    ties = tie_payouts([sent("po_1QLbWm4c")], [booked(1, name="Mila Kora", text="SO-101")])
    assert (ties.tied, ties.without_file) == ((), frozenset())


def test_who_types_an_id_claims_no_payout_of_another_amount() -> None:
    ties = tie_payouts([sent("po_1QLbWm4c")], [booked(1, 1, name="Mila Kora", text="po_1QLbWm4c")])
    assert ties.tied == ()


STRIPE, STRANGER = "IE29AIBK93115212345678", "DE75512108001245126199"
FIRST = sent("po_1FIRST00", 5000, date(2026, 11, 9))
FIRST_ARRIVED = booked(1, 5000, date(2026, 11, 10), text="STRIPE", payer=STRIPE)


@pytest.mark.parametrize("name", ["STRIPE PAYMENTS EUROPE", "Mila Kora"])
def test_a_payout_that_its_known_account_sends_short_is_tied_and_short(name: str) -> None:
    short = booked(2, 9760, name=name, text="po_1QLbWm4c", payer=STRIPE)
    ties = tie_payouts([FIRST, sent("po_1QLbWm4c")], [FIRST_ARRIVED, short])
    assert ties.tied[1] == Tie((7, "EUR", "po_1QLbWm4c"), 2, TieReason.ID, 1000)
    by_person = tie_payouts([FIRST, sent("po_1QLbWm4c")], [replace(FIRST_ARRIVED, amount_minor=4000), short],
                            {1: (7, "EUR", "po_1FIRST00")})  # fmt: skip
    assert [each.short_minor for each in by_person.tied] == [1000, 1000]


@pytest.mark.parametrize("payer", [STRANGER, ""])
def test_attack_who_is_called_like_the_provider_and_types_an_id_ties_nothing_short(payer: str) -> None:
    payouts = [FIRST, sent("po_1QLbWm4c")]
    typed = booked(2, 1, text="STRIPE po_1QLbWm4c", payer=payer)
    ties = tie_payouts(payouts, [FIRST_ARRIVED, typed])
    assert [each.posting_id for each in ties.tied] == [1]
    assert ties.suggested == {2: ((7, "EUR", "po_1QLbWm4c"),)}
    assert ties.without_file == {2}, "a person is asked after three bank days"
    true = booked(3, day=date(2026, 11, 18), text="STRIPE", payer=STRIPE)
    assert [each.posting_id for each in tie_payouts(payouts, [FIRST_ARRIVED, typed, true]).tied] == [1, 3]


@pytest.mark.parametrize("text", ["STRIPE", "STRIPE po_1QLbWm4c"])
def test_attack_a_strangers_exact_amount_neither_takes_nor_clouds_a_payout(text: str) -> None:
    claimed = booked(2, text=text, payer=STRANGER)
    true = booked(3, day=date(2026, 11, 18), text=text, payer=STRIPE)
    ties = tie_payouts([FIRST, sent("po_1QLbWm4c")], [FIRST_ARRIVED, claimed, true])
    assert [each.posting_id for each in ties.tied] == [1, 3]
    assert ties.without_file == {2}


def test_the_exact_amount_comes_before_a_short_one() -> None:
    postings = [
        FIRST_ARRIVED, booked(2, 10000, text="PO_1QLBWM4C", payer=STRIPE), booked(3, text="PO_1QLBWM4C", payer=STRIPE),
    ]  # fmt: skip
    tied = tie_payouts([FIRST, sent("po_1QLbWm4c")], postings).tied
    assert [(each.posting_id, each.short_minor) for each in tied] == [(1, 0), (3, 0)]


def test_twins_are_told_apart_by_day() -> None:
    twins = [sent("po_00000001"), sent("po_00000002", day=date(2026, 11, 17))]
    ties = tie_payouts(twins, [booked(1), booked(2, day=date(2026, 11, 18))])
    assert [(each.posting_id, each.payout[2]) for each in ties.tied] == [(1, "po_00000001"), (2, "po_00000002")]


def test_who_pays_out_through_another_service_is_told_apart_by_its_name() -> None:
    twins = [sent("po_00000001"), sent("148156579998", provider="shopify")]
    ties = tie_payouts(twins, [booked(1, name="STRIPE", text="SHOPIFY X9QT2"), booked(2)])
    assert [(each.posting_id, each.payout[2]) for each in ties.tied] == [(1, "148156579998"), (2, "po_00000001")]


def test_twins_of_one_day_are_left_to_a_person() -> None:
    twins = [sent("po_00000001"), sent("po_00000002")]
    ties = tie_payouts(twins, [booked(1)])
    assert ties.tied == ()
    assert ties.suggested == {1: ((7, "EUR", "po_00000001"), (7, "EUR", "po_00000002"))}
    both = tie_payouts(twins, [booked(1), booked(2)])
    assert (both.tied, set(both.suggested)) == ((), {1, 2})


def test_what_a_person_decided_comes_first_and_stays() -> None:
    twins = [sent("po_00000001"), sent("po_00000002")]
    ties = tie_payouts(twins, [booked(1), booked(2)], {2: (7, "EUR", "po_00000001")})
    assert [(each.posting_id, each.payout[2], each.reason) for each in ties.tied] == [
        (1, "po_00000002", TieReason.AMOUNT),
        (2, "po_00000001", TieReason.PERSON),
    ]
    assert tie_payouts([sent("po_00000001")], [booked(1)], {1: None, 9: None}).tied == ()


def test_a_transfer_from_wise_has_the_own_name() -> None:
    own = booked(1, name="Teehaus Windmühle")
    assert tie_payouts([sent("TRANSFER-3", provider="wise")], [own]).tied == ()
    ties = tie_payouts([sent("TRANSFER-3", provider="wise")], [replace(own, is_from_own_name=True)])
    assert [each.reason for each in ties.tied] == [TieReason.AMOUNT]


def test_a_provider_that_a_person_named_is_found_by_its_name() -> None:
    provider = provider_of("kassenwerk", "Kassenwerk")
    payout = ProviderPayout(7, provider, Payout("A-1", "EUR", 500, 500, SENT))
    assert len(tie_payouts([payout], [booked(1, 500, name="KASSENWERK GMBH")]).tied) == 1


def test_states_of_a_payout() -> None:
    payout = sent("po_1QLbWm4c").payout
    tie = Tie((7, "EUR", "po_1QLbWm4c"), 1, TieReason.ID)
    late = plus_bank_days(SENT, 11)
    assert state_of(payout, tie, late) is PayoutState.ARRIVED
    assert state_of(payout, replace(tie, short_minor=10), late) is PayoutState.SHORT
    assert state_of(payout, None, plus_bank_days(SENT, 10)) is PayoutState.ON_ITS_WAY
    assert state_of(payout, None, late) is PayoutState.OVERDUE
    assert state_of(replace(payout, amount_minor=0), None, late) is PayoutState.NO_TRANSFER


@given(weeks(), st.randoms(use_true_random=False))
def test_every_payout_of_a_week_is_tied_by_its_amount(said: Weeks, random: Random) -> None:
    payouts = [ProviderPayout(7, PROVIDERS["klarna"], each) for each in payouts_of(said.movements, said.stated)]
    postings = list(said.postings)
    ties = tie_payouts(payouts, postings)
    assert {each.posting_id: each.payout[2] for each in ties.tied} == said.truth
    assert {each.short_minor for each in ties.tied} <= {0}
    random.shuffle(payouts)
    random.shuffle(postings)
    assert tie_payouts(payouts, postings) == ties


@given(weeks(names_ids=True), st.integers(0, 40))
def test_ids_tie_a_payout_however_late_it_comes(said: Weeks, days: int) -> None:
    payouts = [ProviderPayout(7, PROVIDERS["klarna"], each) for each in payouts_of(said.movements, said.stated)]
    postings = [replace(each, booked_on=plus_bank_days(each.booked_on, days)) for each in said.postings]
    assert {each.posting_id: each.payout[2] for each in tie_payouts(payouts, postings).tied} == said.truth
