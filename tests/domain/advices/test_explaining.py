"""Which advice explains which posting, in any order of arrival."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.advices.advice import Advice, AdviceLine, Deduction, DeductionKind
from paymatch.domain.advices.explaining import AdviceLink, AdvisedPosting, Explanation, KnownAdvice, explain_postings

DAY = date(2026, 11, 16)
HUBER, KURIER = "Huber GmbH", "Kurier Blitz GmbH"


def advice(
    name: str, *amounts: int, payer: str = HUBER, kept: int = 0, vouched: bool = True, number: str = ""
) -> KnownAdvice:
    lines = tuple(AdviceLine(row, (f"{name}-{row}",), each) for row, each in enumerate(amounts, 1))
    deductions = (Deduction(DeductionKind.FEE, kept),) if kept else ()
    return KnownAdvice(name, Advice("EUR", lines, deductions, payer=payer, number=number), DAY, vouched)


def posting(name: str, minor: int, payer: str = HUBER, days: int = 1, text: str = "") -> AdvisedPosting:
    return AdvisedPosting(name, "EUR", minor, DAY + timedelta(days=days), payer.upper(), payer, text)


def test_the_payers_advice_of_this_very_sum_explains_a_posting() -> None:
    found = explain_postings([advice("a", 10_00, 20_00, kept=3_00)], [posting("p", 27_00)])
    own = found["p"]
    assert (own.link, own.may_decide) == (AdviceLink.PAYER, True)
    assert [(each.share.paid_minor, each.share.withheld_minor) for each in own.shares] == [(9_00, 1_00), (18_00, 2_00)]


def test_a_cent_more_or_less_explains_nothing() -> None:
    assert explain_postings([advice("a", 10_00, 20_00)], [posting("p", 29_99), posting("q", 30_01)]) == {}


def test_a_posting_names_its_advice_whoever_sends_it() -> None:
    known = advice("a", 10_00, payer="", number="AV-77812")
    found = explain_postings([known], [posting("p", 10_00), posting("q", 10_00, text="Avis AV-77812 vom 1.11.")])
    assert {key: each.link for key, each in found.items()} == {"q": AdviceLink.NUMBER}
    assert explain_postings([known], [posting("q", 10_01, text="AV-778120")]) == {}


def test_two_payments_of_one_advice_share_its_lines() -> None:
    found = explain_postings([advice("a", 10_00, 20_00)], [posting("q", 14_00, days=2), posting("p", 16_00)])
    assert [(key, [each.share.paid_minor for each in found[key].shares]) for key in ("p", "q")] == [
        ("p", [10_00, 6_00]),
        ("q", [14_00]),
    ]


def test_an_advice_without_a_day_that_a_person_brings_explains_the_last_two_months() -> None:
    late = advice("a", 10_00, 20_00)
    assert explain_postings([late], [posting("p", 30_00, days=-60)]).keys() == {"p"}
    dated = replace(late, advice=replace(late.advice, day=DAY))
    for known in (dated, replace(late, vouched=False)):
        assert explain_postings([known], [posting("p", 30_00, days=-8)]) == {}


def test_one_payment_settles_two_advices() -> None:
    found = explain_postings([advice("a", 10_00), advice("b", 20_00)], [posting("p", 30_00)])
    assert found["p"].advice_ids == ("a", "b")


def choices(explained: dict[str, Explanation]) -> dict[str, list[tuple[str, ...]]]:
    """Posting -> the advices of each explanation between which a person chooses."""
    return {key: [one.advice_ids for one in each.choices] for key, each in explained.items() if each.is_choice}


def test_twins_that_days_do_not_tell_apart_are_a_choice_unless_together_they_settle_all() -> None:
    known, booked = [advice("a", 10_00), advice("b", 10_00)], [posting("p", 10_00), posting("q", 10_00)]
    together = explain_postings(known, booked)
    assert (choices(together), {key: each.advice_ids for key, each in together.items()}) == (
        {}, {"p": ("a",), "q": ("b",)},
    )  # fmt: skip
    kept = explain_postings(known, booked, {"p": "b", "q": "a b"})
    assert {key: each.advice_ids for key, each in kept.items()} == {"p": ("b",), "q": ("a",)}
    others = [replace(each, payer_key=each.id) for each in booked]
    assert choices(explain_postings(known, others)) == {"p": [("a",), ("b",)], "q": [("a",), ("b",)]}
    mailed = [replace(each, vouched=False) for each in known]
    assert choices(explain_postings(mailed, booked)) == {"p": [("a",), ("b",)], "q": [("a",), ("b",)]}
    assert choices(explain_postings(known, booked[:1])) == {"p": [("a",), ("b",)]}
    assert choices(explain_postings(known[:1], booked)) == {"p": [("a",)], "q": [("a",)]}
    alone = explain_postings(known[:1], booked[:1])
    assert (choices(alone), alone["p"].advice_ids) == ({}, ("a",))


def test_several_ways_to_split_or_to_join_are_a_choice() -> None:
    parts = [posting("p", 14_00), posting("q", 16_00), posting("r", 16_00)]
    assert choices(explain_postings([advice("a", 10_00, 20_00)], parts)) == {
        "p": [("a",)],
        "q": [("a",)],
        "r": [("a",)],
    }
    known = [advice("a", 10_00), advice("b", 20_00), advice("c", 20_00)]
    assert choices(explain_postings(known, [posting("p", 30_00)])) == {"p": [("a", "b"), ("a", "c")]}


def test_a_choice_ends_with_what_tells_the_twins_apart() -> None:
    known = [advice("a", 10_00, number="AV-77812"), advice("b", 10_00, number="AV-77813")]
    found = explain_postings(known, [posting("p", 10_00, text="AV-77813"), posting("q", 10_00)])
    assert (choices(found), {key: each.advice_ids for key, each in found.items()}) == ({}, {"p": ("b",), "q": ("a",)})


def test_a_strangers_advice_never_stands_in_the_way_of_a_true_one() -> None:
    stranger = advice("0", 10_00, 20_00, vouched=False)
    found = explain_postings([stranger, advice("a", 10_00, 20_00)], [posting("p", 30_00)])
    assert (found["p"].advice_ids, found["p"].may_decide) == (("a",), True)
    assert explain_postings([stranger], [posting("p", 30_00)])["p"].may_decide is False


def test_a_sender_that_is_confirmed_for_the_payer_may_decide() -> None:
    mailed = replace(advice("a", 10_00, payer="", vouched=False), payers=frozenset({HUBER.upper()}))
    assert explain_postings([mailed], [posting("p", 10_00)])["p"].may_decide is True
    assert explain_postings([mailed], [posting("p", 10_00, KURIER)])["p"].may_decide is False


@given(st.integers(1, 4), st.integers(1, 5), st.dictionaries(st.sampled_from("pqrst"), st.sampled_from("abcd")))
def test_equal_advices_and_payments_are_booked_only_if_they_are_as_many(
    sent: int, came: int, earlier: dict[str, str]
) -> None:
    known = [advice(name, 10_00) for name in "abcd"[:sent]]
    booked = [posting(name, 10_00) for name in "pqrst"[:came]]
    found = explain_postings(known, booked, earlier)
    assert set(found) == {each.id for each in booked}
    if sent == came:
        assert choices(found) == {}
        assert sorted(each.advice_ids[0] for each in found.values()) == [each.id for each in known]
    else:
        assert choices(found) == {each.id: [(one.id,) for one in known][:4] for each in booked}


_AMOUNTS = st.integers(1, 6).map(lambda number: number * 5_00)
_ADVICES = st.lists(
    st.tuples(st.lists(_AMOUNTS, min_size=1, max_size=3), st.booleans(), st.sampled_from([HUBER, KURIER])), max_size=5
)
_POSTINGS = st.lists(st.tuples(st.integers(1, 12), st.sampled_from([HUBER, KURIER]), st.integers(0, 4)), max_size=6)


@given(_ADVICES, _POSTINGS, st.randoms(use_true_random=False))
def test_every_order_of_arrival_gives_the_same_and_undo_what_was_before(advices: list, postings: list, chance) -> None:  # type: ignore[no-untyped-def,type-arg]
    known = [advice(f"a{n}", *amounts, payer=payer, vouched=said) for n, (amounts, said, payer) in enumerate(advices)]
    booked = [posting(f"p{n}", units * 5_00, payer, day) for n, (units, payer, day) in enumerate(postings)]
    found = explain_postings(known, booked)
    mixed, mixed_postings = list(known), list(booked)
    chance.shuffle(mixed)
    chance.shuffle(mixed_postings)
    assert explain_postings(mixed, mixed_postings) == found
    used: dict[str, int] = {}
    for each in booked:
        if each.id in found:
            for one in found[each.id].choices:
                assert sum(share.share.paid_minor for share in one.shares) == each.amount_minor
            for share in () if found[each.id].is_choice else found[each.id].shares:
                used[share.advice_id] = used.get(share.advice_id, 0) + share.share.paid_minor
    totals = {each.id: each.advice.paid_minor for each in known}
    assert all(minor == totals[key] for key, minor in used.items())
    if known:
        assert explain_postings([*known[1:], known[0]][:-1], booked) == explain_postings(known[1:], booked)
