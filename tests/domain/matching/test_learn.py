"""What a shop's corrections teach, within bounds, visible, and gone after a reset."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from paymatch.domain.matching import learn
from paymatch.domain.matching.calibrate import SUGGESTIONS, calibrated, fit, interpolate
from paymatch.domain.matching.catalogue import NAME_OTHER, NUMBER
from paymatch.domain.matching.model import AlwaysRule, IgnoreRule, ShopFacts
from tests.domain.matching.world import decided, order, outcome, posting

CLAIRE = order("1834", customer_number="20009")
PARTNER = posting("Danke", name="Mahmoud Pruschke", counterparty_iban="DE9")
BY_NUMBER = learn.spoke_for((NUMBER["order", "full"].reason(7.5, "the order number"), NAME_OTHER.reason()))


def test_confirmed_payer_is_remembered_and_suggested_first() -> None:
    state = learn.confirmed(learn.reset(), PARTNER.posting, [CLAIRE])
    assert learn.known_ibans(state, ["DE9", "DE8"]) == {"DE9": ("20009",)}
    shop = learn.shop_facts(ShopFacts(open_orders=200), state, ["DE9"])
    other = order("1835", name="Anna Müller")
    assert outcome(decided([CLAIRE, other], [PARTNER], shop)[0]) == ("suggested", (("1834", 4990),))
    assert decided([CLAIRE, other], [PARTNER], shop)[0].suggestions[0].reasons[1].code == "iban-known"


def test_undone_match_makes_the_payer_untrusted() -> None:
    state = learn.confirmed(learn.reset(), PARTNER.posting, [CLAIRE])
    state = learn.undone(state, PARTNER.posting, [CLAIRE], BY_NUMBER)
    assert learn.known_ibans(state, ["DE9"]) == {}
    assert state.shifts == {"number-order-full": -0.25}


def test_weights_move_within_bounds() -> None:
    state = learn.reset()
    for _ in range(50):
        state = learn.undone(state, PARTNER.posting, [CLAIRE], BY_NUMBER)
    assert state.shifts["number-order-full"] == learn.LOWEST_SHIFT
    for _ in range(200):
        state = learn.confirmed(state, PARTNER.posting, [CLAIRE], BY_NUMBER)
    assert state.shifts == {}  # as without learning, never above


def test_rules_are_proposed_accepted_and_in_force() -> None:
    state = learn.reset()
    for _ in range(learn.ENOUGH):
        state = learn.confirmed(state, PARTNER.posting, [CLAIRE])
        state = learn.put_aside(state, posting("Provision", name="Salz AG", counterparty_iban="DE5").posting)
    assert state.proposed_always == (AlwaysRule(iban="DE9", customer_number="20009"),)
    assert state.proposed_ignore == (IgnoreRule(name="SALZ", iban="DE5"),)
    state = learn.accepted(learn.accepted(state, state.proposed_always[0]), state.proposed_ignore[0])
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
    shop = learn.shop_facts(ShopFacts(open_orders=200), learn.accepted(state, state.proposed_ignore[0]), [])
    assert outcome(decided([CLAIRE], [posting("1834")], shop)[0]) == ("matched", (("1834", 4990),))


def test_what_is_no_longer_ignored_teaches_nothing() -> None:
    sent = posting("Provision", name="Gotthard GmbH", counterparty_iban="DE5").posting
    once = learn.put_aside(learn.reset(), sent)
    often = learn.put_aside(once, sent)
    assert (len(often.proposed_ignore), learn.taken_up(often, sent)) == (1, once)
    assert learn.taken_up(once, sent) == learn.taken_up(learn.reset(), sent) == learn.reset()
    accepted = learn.accepted(often, often.proposed_ignore[0])
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


def test_state_survives_json() -> None:
    state = learn.confirmed(learn.reset(), PARTNER.posting, [CLAIRE], BY_NUMBER)
    state = learn.accepted(learn.put_aside(state, PARTNER.posting), IgnoreRule("X", "", ("Y",)))
    assert learn.from_json(json.loads(json.dumps(learn.to_json(state)))) == state
    assert learn.from_json({}) == learn.reset()


def test_calibration_is_monotone_and_fits_what_it_is_given() -> None:
    shares = [interpolate(SUGGESTIONS, raw / 100) for raw in range(101)]
    assert shares == sorted(shares)
    assert calibrated(0.995) == pytest.approx(0.9598, abs=0.0001)
    assert calibrated(0.5) < 0.5
    table = fit([(0.1, False)] * 50 + [(0.5, True)] * 25 + [(0.5, False)] * 25 + [(0.9, True)] * 50)
    assert [(round(p.raw, 3), p.share) for p in table] == [(0.0, 0.0), (0.1, 0.0), (0.5, 0.5), (0.9, 1.0), (1.0, 1.0)]
