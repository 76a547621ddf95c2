"""The table of the clerk's rules, in the order in which they are asked (`docs/clerks-rules.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from paymatch.domain.matching import catalogue as kinds
from paymatch.domain.matching.clerk import named, one, several, unnamed
from paymatch.domain.matching.clerk.case import Case, KnownNumbers, Rule
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.several.hypothesis import Hypothesis
from paymatch.domain.orders.fees import FEE_DOUBTS
from paymatch.domain.witnesses import Witness, may_state_money


class Situation(StrEnum):
    """What the likeliest explanation of a posting is."""

    SUM = "several orders that are not named"
    SEVERAL = "several orders that are named"
    UNNAMED = "an order that is not named"
    NAMED_SETTLED = "an order that is named and awaits no money"
    NAMED_KEPT = "an order that is named, of whose money the payer kept a part"
    NAMED_OPEN = "an order that is named and awaits money"


class ClerkRule(NamedTuple):
    """A rule, the codes of the sentences that it may give (none where another gives them), and what lifts it."""

    rule: Rule
    messages: tuple[str, ...]
    needs: Witness  # the witness by whose word the match would be made without a person (D-80)


def _row(rule: Rule, needs: Witness, *messages: str) -> ClerkRule:
    """A row of the table. ValueError if the rule guards money withheld, and a word that is chosen would lift it."""
    if not FEE_DOUBTS.isdisjoint(messages) and not may_state_money(needs):
        raise ValueError(f"{rule.__name__} lets the word of a {needs} withhold money")
    return ClerkRule(rule, messages, needs)


_W = Witness
_ANY: Final = (
    _row(one.lapsed, _W.MERCHANT, "lapsed-order"),
    _row(one.not_asked_for, _W.BANK, "rate-not-asked"),
)
_ONE: Final = (
    *_ANY,
    _row(one.without_rate, _W.MERCHANT, "no-rate-advice"),
    _row(one.instructed_otherwise, _W.BANK, "instructed-not-open"),
    _row(one.far_from_rate, _W.BANK, "instructed-far-from-rate"),
    _row(one.rate_inverted, _W.BANK, "rate-inverted"),
    _row(one.charges_high, _W.PERSON, "charges-too-high"),
)
_NAMED: Final = (
    *_ONE,
    _row(named.points_elsewhere, _W.BANK, "points-elsewhere"),
    _row(named.also_names, _W.PAYER, "also-names"),
    _row(named.contested_twin, _W.PERSON, "contested-twin"),
    _row(named.other_kind_of_number, _W.PAYER, "another-kind-of-number"),
)
TABLE: Final[Mapping[Situation, tuple[ClerkRule, ...]]] = {
    Situation.SUM: (*_ANY, _row(several.sum_fits_unnamed, _W.PAYER, "sum-fits-unnamed")),
    Situation.SEVERAL: (
        *_ANY,
        _row(several.doubtful_sum, _W.PERSON, "several-do-not-add-up"),
        _row(several.swappable, _W.PERSON, "swappable"),
        _row(several.different_customers, _W.PERSON, "different-customers"),
    ),
    Situation.UNNAMED: (
        *_ONE,
        _row(unnamed.cancelled, _W.PAYER, "cancelled-unnamed"),
        _row(unnamed.not_exact, _W.BANK, "unnamed-not-exact"),
        _row(unnamed.paid_already, _W.PAYER, "unnamed-paid"),
        _row(unnamed.no_purchase, _W.PAYER, "no-purchase"),
        _row(unnamed.younger, _W.PAYER, "unnamed-younger"),
        _row(unnamed.no_payment, _W.PAYER, "unnamed-no-purchase"),
        _row(unnamed.crowded, _W.PAYER, "unnamed-crowd"),
        _row(unnamed.other_name, _W.PAYER, "unnamed-other-name"),
        _row(unnamed.chosen_name, _W.PAYER, "fits-as-well"),
        _row(unnamed.unknown_document, _W.PAYER, "unknown-document"),
        _row(unnamed.another_shop, _W.PAYER, "another-shop"),
        _row(unnamed.later_number, _W.MERCHANT, "names-order", "later-order"),
        _row(unnamed.fits_as_well, _W.PAYER, "names-order", "has-number", "may-have-number", "fits-as-well"),
    ),
    Situation.NAMED_SETTLED: (
        *_NAMED,
        _row(named.returns_nothing, _W.BANK, "return-of-nothing"),
        _row(named.paid_and_not_total, _W.BANK, "named-paid-not-total"),
        _row(named.paid_by_another, _W.PERSON, "named-paid-other-payer"),
    ),
    Situation.NAMED_KEPT: (
        *_NAMED,
        _row(
            named.kept_in_doubt, _W.PERSON, "kept-other-stated", "kept-unlike-before", "kept-confirm", "kept-other-kind"
        ),
        _row(named.short_number_of_carrier, _W.PAYER, "collective-short-number"),
        _row(named.names_unknown, _W.MERCHANT, "unknown-order"),
        _row(named.no_payment, _W.PAYER, "no-payment"),
    ),
    Situation.NAMED_OPEN: (
        *_NAMED,
        _row(named.nothing_matches, _W.BANK, "nothing-matches-named"),
        _row(named.doubtful_and_no_payment, _W.PAYER, "no-payment"),
        _row(named.relative_meant, _W.PAYER, "relative"),
        _row(named.payers_own, _W.BANK, "payers-own"),
        _row(named.number_of_name, _W.PAYER, "number-of-name"),
        _row(named.number_of_longer, _W.PAYER, "number-of-longer"),
        _row(named.far_too_much, _W.BANK, "far-too-much"),
        _row(named.too_much_of_stranger, _W.BANK, "too-much-unknown-name"),
        _row(named.excess_for_other, _W.BANK, "excess-for-other"),
        _row(named.excess_for_unknown, _W.MERCHANT, "also-names", "may-be-unknown-order"),
        _row(named.part_for_unknown, _W.MERCHANT, "may-be-unknown-order"),
    ),
}


def review_reason(
    view: PostingView, best: Hypothesis, candidates: Sequence[Candidate], known: KnownNumbers, *, crowded: bool
) -> tuple[str, Candidate | None]:
    """Why `best` is left to a person, in words, and the order that is meant in its place; empty if it may be taken."""
    case = Case(view, best, candidates, known, crowded=crowded)
    for row in TABLE[situation_of(case)]:
        why = row.rule(case)
        if why:
            return why, case.instead
    return "", None


def situation_of(case: Case) -> Situation:
    """Which rules are asked."""
    if case.best.code == "sum":
        return Situation.SUM
    if case.best.code == "multi":
        return Situation.SEVERAL
    if not case.candidate.named:
        return Situation.UNNAMED
    if not case.is_open:
        return Situation.NAMED_SETTLED
    kept = case.candidate.fit.kind in (kinds.AMOUNT_KEPT, kinds.AMOUNT_KEPT_IN_DOUBT)
    return Situation.NAMED_KEPT if kept else Situation.NAMED_OPEN
