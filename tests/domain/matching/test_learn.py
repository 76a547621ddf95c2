"""What a shop's corrections teach, within bounds, visible, and gone after a reset."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching import learn
from paymatch.domain.matching.calibrate import SUGGESTIONS, calibrate, fit, interpolate
from paymatch.domain.matching.catalogue import NAME_OTHER, NUMBER
from paymatch.domain.matching.model import AlwaysRule, IgnoreRule, ShopFacts
from paymatch.domain.matching.prepare import prepare
from tests.domain.matching.world import decided, order, outcome, posting

CLAIRE = order("1834", customer_number="20009")
PARTNER = posting("Danke", name="Mahmoud Pruschke", counterparty_iban="DE9")
BY_NUMBER = learn.spoke_for((NUMBER["order", "full"].reason(7.5, "the order number"), NAME_OTHER.reason()))


def test_confirmed_payer_is_remembered_and_suggested_first() -> None:
    state = learn.learn_from_match(learn.reset(), PARTNER.posting, [CLAIRE])
    assert learn.known_ibans(state, ["DE9", "DE8"]) == {"DE9": ("20009",)}
    shop = learn.shop_facts(ShopFacts(open_orders=200), state, ["DE9"])
    other = order("1835", name="Anna Müller")
    assert outcome(decided([CLAIRE, other], [PARTNER], shop)[0]) == ("suggested", (("1834", 4990),))
    assert decided([CLAIRE, other], [PARTNER], shop)[0].suggestions[0].reasons[1].code == "iban-known"


def test_undone_match_makes_the_payer_untrusted() -> None:
    state = learn.learn_from_match(learn.reset(), PARTNER.posting, [CLAIRE])
    state = learn.undone(state, PARTNER.posting, [CLAIRE], BY_NUMBER)
    assert learn.known_ibans(state, ["DE9"]) == {}
    assert state.shifts == {"number-order-full": -0.25}


def test_what_was_confirmed_and_undone_of_a_payer_is_counted_customer_by_customer() -> None:
    other = order("1835", customer_number="20010")
    state = learn.learn_from_match(learn.reset(), PARTNER.posting, [CLAIRE, other])
    for _ in range(2):
        state = learn.undone(state, PARTNER.posting, [CLAIRE])
    state = learn.learn_from_match(state, PARTNER.posting, [CLAIRE])
    assert state.payers == (learn.Payer("DE9", "20009", 2, 2), learn.Payer("DE9", "20010", 1, 0))
    assert learn.undone(learn.reset(), PARTNER.posting, [CLAIRE]).payers == (learn.Payer("DE9", "20009", 0, 1),)
    nobodys = replace(PARTNER.posting, counterparty_iban="")
    assert learn.undone(learn.learn_from_match(learn.reset(), nobodys, [CLAIRE]), nobodys, [CLAIRE]).payers == ()


def test_weights_move_within_bounds() -> None:
    state = learn.reset()
    for _ in range(50):
        state = learn.undone(state, PARTNER.posting, [CLAIRE], BY_NUMBER)
    assert state.shifts["number-order-full"] == learn.LOWEST_SHIFT
    for _ in range(200):
        state = learn.learn_from_match(state, PARTNER.posting, [CLAIRE], BY_NUMBER)
    assert state.shifts == {}  # as without learning, never above


def test_rules_are_proposed_accepted_and_in_force() -> None:
    state = learn.reset()
    for _ in range(learn.ENOUGH):
        state = learn.learn_from_match(state, PARTNER.posting, [CLAIRE])
        state = learn.put_aside(state, posting("Provision", name="Salz AG", counterparty_iban="DE5").posting)
    assert state.proposed_always == (AlwaysRule(iban="DE9", customer_number="20009"),)
    assert state.proposed_ignore == (IgnoreRule(name="SALZ", iban="DE5"),)
    state = learn.accept_rule(learn.accept_rule(state, state.proposed_always[0]), state.proposed_ignore[0])
    assert (state.proposed_always, state.proposed_ignore) == ((), ())
    shop = learn.shop_facts(ShopFacts(open_orders=200), replace(state, enabled=False), ["DE9"])
    assert (shop.known_ibans, shop.weight_shifts) == ({}, {})
    (ignored,) = decided([CLAIRE], [posting("1834", name="Salz AG", counterparty_iban="DE5")], shop)
    assert (ignored.outcome.value, ignored.flags) == ("unmatched", ("ignored",))


def test_a_supplier_called_like_customers_is_ignored_by_its_account_only() -> None:
    state = learn.reset()
    for _ in range(learn.ENOUGH):
        state = learn.put_aside(state, posting("Provision", name="Gotthard GmbH").posting)
    assert state.proposed_ignore == ()
    for _ in range(learn.ENOUGH):
        state = learn.put_aside(state, posting("Provision", name="Gotthard GmbH", counterparty_iban="DE5").posting)
    shop = learn.shop_facts(ShopFacts(open_orders=200), learn.accept_rule(state, state.proposed_ignore[0]), [])
    assert outcome(decided([CLAIRE], [posting("1834")], shop)[0]) == ("matched", (("1834", 4990),))


def test_two_words_without_an_account_are_a_payers_name() -> None:
    state = learn.reset()
    for _ in range(learn.ENOUGH):
        state = learn.put_aside(state, posting("Provision", name="Salz Kontor GmbH").posting)
    assert state.proposed_ignore == (IgnoreRule(name="SALZ KONTOR", iban=""),)


def test_what_is_no_longer_ignored_teaches_nothing() -> None:
    sent = posting("Provision", name="Gotthard GmbH", counterparty_iban="DE5").posting
    once = learn.put_aside(learn.reset(), sent)
    often = learn.put_aside(once, sent)
    assert (len(often.proposed_ignore), learn.taken_up(often, sent)) == (1, once)
    assert learn.taken_up(once, sent) == learn.taken_up(learn.reset(), sent) == learn.reset()
    accepted = learn.accept_rule(often, often.proposed_ignore[0])
    assert learn.taken_up(accepted, sent).ignore_rules == accepted.ignore_rules


def test_always_rule_counts_like_the_customers_name() -> None:
    shop = ShopFacts(open_orders=200, always_rules=(AlwaysRule(name="Pruschke", customer_number="20009"),))
    assert outcome(decided([CLAIRE, order("1835", 900)], [PARTNER], shop)[0]) == ("matched", (("1834", 4990),))
    assert decided([CLAIRE], [posting("Danke", name="Anna Salz")], shop)[0].match is None


def test_ignore_rule_needs_all_its_parts() -> None:
    rule = IgnoreRule(iban="DE9", words=("Provision",))
    shop = ShopFacts(open_orders=200, ignore_rules=(rule,))
    given = posting("Provision 1834", counterparty_iban="DE9")
    assert decided([CLAIRE], [given], shop)[0].flags == ("ignored",)
    assert decided([CLAIRE], [posting("Provision 1834")], shop)[0].flags == ()
    assert (
        decided([CLAIRE], [posting("1834")], ShopFacts(open_orders=200, ignore_rules=(IgnoreRule(),)))[0].match
        is not None
    )


@pytest.mark.parametrize(
    ("rule", "same"),
    [
        (AlwaysRule(iban="DE9", customer_number="20009"), True),
        (AlwaysRule(iban="DE9", customer_number="20010"), False),
        (AlwaysRule(iban="DE8", customer_number="20009"), False),
        (AlwaysRule(iban="DE9", customer_name="Claire Gotthard"), True),
        (AlwaysRule(iban="DE9", customer_name="Claire"), False),
        (AlwaysRule(iban="DE9", customer_number="20010", customer_name="Claire Gotthard"), True),
        (AlwaysRule(name="Mahmoud Pruschke", customer_number="20009"), True),
        (AlwaysRule(name="Mahmoud Salz", customer_number="20009"), False),
        (AlwaysRule(iban="DE9", customer_number="20009", words=("danke",)), True),
        (AlwaysRule(iban="DE9", customer_number="20009", words=("Danke", "Miete")), False),
        (AlwaysRule(words=("Danke",), customer_number="20009"), False),  # words alone are no payer
        (AlwaysRule(iban="DE9"), False),
    ],
)
def test_a_rule_is_for_one_payer_and_one_customer(rule: AlwaysRule, same: bool) -> None:
    (view,) = prepare([PARTNER]).views
    assert learn.is_always(view, ShopFacts(always_rules=(rule,)), CLAIRE) is same


def test_of_several_rules_one_is_enough() -> None:
    (view,) = prepare([PARTNER]).views
    rules = (AlwaysRule(iban="DE8", customer_number="20009"), AlwaysRule(iban="DE9", customer_number="20009"))
    assert learn.is_always(view, ShopFacts(always_rules=rules), CLAIRE)
    aside = (IgnoreRule(iban="DE8"), IgnoreRule(iban="DE9", reason="rent"), IgnoreRule(name="Mahmoud Pruschke"))
    assert learn.aside_rule(view, ShopFacts(aside_rules=aside)) == aside[1]
    assert learn.aside_rule(view, ShopFacts(aside_rules=aside[:1])) is None


def test_what_is_erased_of_a_person_leaves_what_is_known_of_others() -> None:
    """By the account or by the name, in everything that is remembered but the weights."""
    mine, by_name, others = ("DE9", "20009"), ("DE7", "Claire Gotthard"), ("DE8", "20010")
    state = learn.Learnt(
        payers=tuple(learn.Payer(*each, 1) for each in (mine, by_name, others)),
        shifts={"name-other": -0.25},
        set_aside={"DE9": 1, "CLAIRE GOTTHARD": 2, "DE8": 3},
        ignore_rules=(IgnoreRule(iban="DE9"), IgnoreRule("Claire Gotthard"), IgnoreRule(iban="DE8")),
        always_rules=(
            AlwaysRule(iban="DE8", customer_name="Claire Gotthard"),
            AlwaysRule(iban="DE8", words=("Miete",)),
        ),
        proposed_ignore=(IgnoreRule(iban="DE8", reason="of Claire Gotthard"), IgnoreRule(iban="DE8", reason="rent")),
        proposed_always=(AlwaysRule(iban="DE9"), AlwaysRule(iban="DE8", words=("Claire",)), AlwaysRule(iban="DE8")),
    )
    assert learn.without(state, {"DE9"}, lambda text: "CLAIRE" in text.upper()) == learn.Learnt(
        payers=(learn.Payer(*others, 1),),
        shifts={"name-other": -0.25},
        set_aside={"DE8": 3},
        ignore_rules=(IgnoreRule(iban="DE8"),),
        always_rules=(AlwaysRule(iban="DE8", words=("Miete",)),),
        proposed_ignore=(IgnoreRule(iban="DE8", reason="rent"),),
        proposed_always=(AlwaysRule(iban="DE8"),),
    )
    assert learn.without(state, set(), lambda _text: False) == state


@pytest.mark.parametrize(
    ("confirmed", "undone", "trusted"),
    [(0, 0, False), (1, 0, True), (2, 0, True), (1, 1, False), (0, 1, False), (3, 1, False), (4, 1, True)],
)
def test_a_payer_is_trusted_from_the_first_confirmation_until_a_match_is_undone(
    confirmed: int, undone: int, trusted: bool
) -> None:
    payer = learn.Payer("DE9", "20009", confirmed, undone)
    assert payer.is_trusted is trusted
    assert learn.known_ibans(learn.Learnt(payers=(payer,)), ["DE9"]) == ({"DE9": ("20009",)} if trusted else {})


@pytest.mark.parametrize(
    ("customers", "known"), [(1, True), (learn.MAX_CUSTOMERS, True), (learn.MAX_CUSTOMERS + 1, False)]
)
def test_an_account_that_pays_for_many_says_nothing(customers: int, known: bool) -> None:
    state = learn.Learnt(payers=tuple(learn.Payer("DE9", str(number), 1) for number in range(customers)))
    assert bool(learn.known_ibans(state, ["DE9"])) is known


def test_a_rule_is_proposed_for_an_account_that_pays_for_one_customer_again_and_again() -> None:
    once = learn.learn_from_match(learn.reset(), PARTNER.posting, [CLAIRE])
    assert once.proposed_always == ()
    nameless = replace(CLAIRE, customer_number="")
    twice = learn.learn_from_match(
        learn.learn_from_match(learn.reset(), PARTNER.posting, [nameless]), PARTNER.posting, [nameless]
    )
    assert twice.proposed_always == (AlwaysRule(iban="DE9", customer_name="Claire Gotthard"),)
    assert learn.learn_from_match(twice, PARTNER.posting, [nameless]).proposed_always == twice.proposed_always
    accepted = learn.accept_rule(twice, twice.proposed_always[0])
    assert learn.learn_from_match(accepted, PARTNER.posting, [nameless]).proposed_always == ()
    other = replace(CLAIRE, number="1835", customer_number="20010", names=("Hans Pruschke",))
    assert learn.learn_from_match(once, PARTNER.posting, [CLAIRE, other]).proposed_always == ()
    of_two = learn.learn_from_match(
        learn.learn_from_match(learn.reset(), PARTNER.posting, [other]), PARTNER.posting, [CLAIRE]
    )
    assert learn.learn_from_match(of_two, PARTNER.posting, [CLAIRE]).proposed_always == ()
    undone = learn.learn_from_match(learn.undone(once, PARTNER.posting, [CLAIRE]), PARTNER.posting, [CLAIRE])
    assert undone.proposed_always == ()
    assert learn.undone(twice, PARTNER.posting, [CLAIRE]).proposed_always == twice.proposed_always
    assert learn.undone(twice, PARTNER.posting, [nameless]).proposed_always == ()
    assert (
        learn.learn_from_match(once, posting("Danke").posting, [CLAIRE]).payers == once.payers
    )  # no account, no payer


def test_evidence_counts_a_step_less_for_each_match_that_was_undone() -> None:
    state = learn.undone(
        learn.undone(learn.reset(), PARTNER.posting, [CLAIRE], ["a", "b"]), PARTNER.posting, [CLAIRE], ["a"]
    )
    assert state.shifts == {"a": -0.5, "b": -0.25}
    assert learn.learn_from_match(state, PARTNER.posting, [CLAIRE], ["a"]).shifts == {"a": -0.45, "b": -0.25}
    assert list(BY_NUMBER) == ["number-order-full"]  # what spoke against it is none


def test_state_survives_json() -> None:
    state = learn.learn_from_match(learn.reset(), PARTNER.posting, [CLAIRE], BY_NUMBER)
    state = learn.accept_rule(learn.put_aside(state, PARTNER.posting), IgnoreRule("X", "", ("Y",)))
    assert learn.from_json(json.loads(json.dumps(learn.to_json(state)))) == state
    assert learn.from_json({}) == learn.reset()


def test_calibration_is_monotone_and_fits_what_it_is_given() -> None:
    shares = [interpolate(SUGGESTIONS, raw / 100) for raw in range(101)]
    assert shares == sorted(shares)
    assert calibrate(0.995) == pytest.approx(0.9598, abs=0.0001)
    assert calibrate(0.5) < 0.5
    table = fit([(0.1, False)] * 50 + [(0.5, True)] * 25 + [(0.5, False)] * 25 + [(0.9, True)] * 50)
    assert [(round(p.raw, 3), p.share) for p in table] == [(0.0, 0.0), (0.1, 0.0), (0.5, 0.5), (0.9, 1.0), (1.0, 1.0)]


def _isotonic(rows: Sequence[tuple[int, bool]]) -> list[Fraction]:
    """The shares of each posterior that never fall: the highest, over all begins, of the lowest mean to any end."""
    values = sorted({raw for raw, _ in rows})

    def mean(first: int, last: int) -> Fraction:
        among = [right for raw, right in rows if values[first] <= raw <= values[last]]
        return Fraction(sum(among), len(among))

    ends = range(len(values))
    return [max(min(mean(first, last) for last in ends[at:]) for first in ends[: at + 1]) for at in ends]


@given(st.lists(st.tuples(st.integers(1, 8), st.booleans()), min_size=1, max_size=30))
def test_a_fitted_table_is_the_nearest_that_never_falls(rows: list[tuple[int, bool]]) -> None:
    table = fit([(raw / 10, right) for raw, right in rows], least=1)
    assert (table[0], table[-1]) == ((0.0, 0.0), (1.0, 1.0))
    shares = dict.fromkeys(point.share for point in table[1:-1])
    assert list(shares) == list(dict.fromkeys(map(float, _isotonic(rows))))
    assert all(one.raw < other.raw for one, other in pairwise(table))


@pytest.mark.parametrize(("few", "steps"), [(24, 1), (25, 2)])
def test_each_step_of_a_fitted_table_rests_on_enough(few: int, steps: int) -> None:
    table = fit([(0.2, False)] * few + [(0.6, True)] * 30)
    assert len(table) == steps + 2
    if steps == 1:
        assert table[1].raw == pytest.approx((0.2 * 24 + 0.6 * 30) / 54)
        assert table[1].share == pytest.approx(30 / 54)


def test_a_fitted_table_has_its_own_ends() -> None:
    """Nothing for what is certainly wrong, and all for what is certainly right, regardless of the pairs there."""
    assert fit([(0.0, False), (0.5, True), (1.0, True)], least=1) == ((0.0, 0.0), (0.5, 1.0), (1.0, 1.0))


def test_between_the_points_of_a_table_lies_a_straight_line() -> None:
    table = fit([(0.25, False)] * 15 + [(0.25, True)] * 5 + [(0.75, True)] * 20 + [(0.75, False)] * 20, least=1)
    found = [interpolate(table, raw) for raw in (-1.0, 0.0, 0.125, 0.25, 0.5, 0.75, 0.875, 1.0, 2.0)]
    assert found == [0.0, 0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.0]


def test_what_is_contradicted_counts_no_more_until_it_is_confirmed_again() -> None:
    """An undone match also silences the matches by hand of before, which the store would bring back."""
    booked = ShopFacts(open_orders=200, known_ibans={"DE9": ("20009", "20010")})
    state = learn.undone(learn.learn_from_match(learn.reset(), PARTNER.posting, [CLAIRE]), PARTNER.posting, [CLAIRE])
    assert learn.shop_facts(booked, state, ["DE9"]).known_ibans == {"DE9": ("20010",)}
    assert learn.aliases(state, [learn.Alias("DE9", "20009"), learn.Alias("DE9", "20010")]) == [
        learn.Alias("DE9", "20010")
    ]
    for _ in range(3):
        state = learn.learn_from_match(state, PARTNER.posting, [CLAIRE])
    assert "20009" in learn.shop_facts(booked, state, ["DE9"]).known_ibans["DE9"]
