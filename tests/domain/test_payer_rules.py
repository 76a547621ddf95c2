"""Rules for payers: what a rule must say, which payments it catches, and what it would have done to past ones."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from paymatch.domain.matching.model import AlwaysRule, IgnoreRule
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.payer_rules import Past, PayerRule, RuleAction, RuleRefused, judge_posting, normalise_rule
from tests.domain.matching.world import posting

ASIDE, PAYS_FOR = RuleAction.SET_ASIDE, RuleAction.PAYS_FOR
RENT = PayerRule(ASIDE, iban="DE89370400440532013000", reason="rent", id="r1")
PARENT = PayerRule(PAYS_FOR, name="Peter Gotthard", customer_number="20009")
ERIKA, MAX = ("20009", ("Erika Muster",)), ("20010", ("Max Muster", "Muster GmbH"))


def test_a_rule_is_kept_without_blanks_around_its_parts() -> None:
    given = PayerRule(
        PAYS_FOR, " de89 3704 0044 0532 0130 00 ", "  Peter   Gotthard ", ("Miete  Maerz", "Miete"), "  why ",
        " 20009 ", " Erika  Muster ",
    )  # fmt: skip
    assert normalise_rule(given) == PayerRule(
        PAYS_FOR, "DE89370400440532013000", "Peter Gotthard", ("Miete", "Maerz"), "why", "20009", "Erika Muster"
    )
    assert normalise_rule(RENT) == RENT
    assert RENT.active


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (PayerRule(ASIDE), "rule-without-payer"),
        (PayerRule(ASIDE, iban=" ", name=" ", words=("Miete",), reason="rent"), "rule-without-payer"),
        (PayerRule(ASIDE, name="Schmidt"), "rule-one-word"),
        (PayerRule(ASIDE, name="Peter Gotthard"), "rule-without-reason"),
        (PayerRule(ASIDE, name="Peter Gotthard", customer_number="20009"), "rule-without-reason"),
        (PayerRule(PAYS_FOR, name="Peter Gotthard"), "rule-without-customer"),
        (PayerRule(PAYS_FOR, name="Peter Gotthard", reason="why"), "rule-without-customer"),
        (PayerRule(ASIDE, name="Peter Gotthard", reason="x" * 201), "rule-too-long"),
        (PayerRule(ASIDE, name=f"Peter {'x' * 195}", reason="x"), "rule-too-long"),
        (PayerRule(ASIDE, name="Peter Gotthard", words=("x" * 201,), reason="x"), "rule-too-long"),
        (PayerRule(ASIDE, iban="DE1", words=tuple("abcdefghijk"), reason="x"), "rule-too-long"),
    ],
)
def test_a_rule_that_says_too_little_or_too_much_is_refused(rule: PayerRule, said: str) -> None:
    with pytest.raises(RuleRefused) as refused:
        normalise_rule(rule)
    assert refused.value.message.code == said


@pytest.mark.parametrize(
    "rule",
    [
        PayerRule(ASIDE, name="Schmidt", words=("Miete",), reason="rent"),  # two words in all
        PayerRule(ASIDE, iban="DE1", name="Schmidt", reason="rent"),  # an account is enough
        PayerRule(ASIDE, name=f"Peter {'x' * 194}", words=tuple("abcdefghij"), reason="x" * 200),
        PayerRule(PAYS_FOR, iban="DE1", customer_name="Erika Muster"),
    ],
)
def test_a_rule_that_says_just_enough_is_kept(rule: PayerRule) -> None:
    assert normalise_rule(rule) == rule


def test_matching_knows_a_rule_by_what_it_does() -> None:
    assert RENT.of_engine == IgnoreRule(iban="DE89370400440532013000", reason="rent", id="r1")
    assert PARENT.of_engine == AlwaysRule(name="Peter Gotthard", customer_number="20009")


@pytest.mark.parametrize(
    ("rule", "iban", "name", "text", "caught"),
    [
        (RENT, "DE89370400440532013000", "Haus GmbH", "Miete", True),
        (RENT, "DE02100100100006820101", "Haus GmbH", "Miete", False),
        (PARENT, "", "Gotthard, Peter", "", True),
        (PARENT, "", "Petra Gotthard", "", False),
        (PayerRule(ASIDE, name="Haus GmbH", words=("MIETE",)), "", "Haus GmbH", "Miete Maerz", True),
        (PayerRule(ASIDE, name="Haus GmbH", words=("MIETE",)), "", "Haus GmbH", "Maerz", False),
    ],
)
def test_a_rule_catches_a_payment_if_every_part_agrees(
    rule: PayerRule, iban: str, name: str, text: str, caught: bool
) -> None:
    (view,) = prepare([posting(text, name=name, counterparty_iban=iban)], None).views
    assert rule.catches(view) is caught


@pytest.mark.parametrize(
    ("rule", "aside", "names_order", "customers", "past"),
    [
        (RENT, True, False, [], Past.AGREES),
        (RENT, True, True, [ERIKA], Past.AGREES),
        (RENT, False, True, [], Past.NAMED),
        (RENT, False, False, [ERIKA], Past.NAMED),
        (RENT, False, False, [], Past.CAUGHT),
        (PARENT, False, False, [ERIKA], Past.AGREES),
        (PARENT, False, False, [ERIKA, MAX], Past.AGAINST),  # of two customers only one is its
        (PARENT, True, False, [ERIKA], Past.AGREES),
        (PARENT, False, False, [MAX], Past.AGAINST),
        (PARENT, True, False, [], Past.AGAINST),
        (PARENT, False, True, [], Past.CAUGHT),
        (PayerRule(PAYS_FOR, name="A B", customer_name="Muster GmbH"), False, False, [MAX], Past.AGREES),
        (PayerRule(PAYS_FOR, name="A B", customer_name="Muster GmbH"), False, False, [ERIKA], Past.AGAINST),
    ],
)
def test_a_rule_is_held_against_what_became_of_past_payments(
    rule: PayerRule, aside: bool, names_order: bool, customers: Sequence[tuple[str, Sequence[str]]], past: Past
) -> None:
    assert judge_posting(rule, aside=aside, names_order=names_order, customers=customers) is past
