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


class Situation(StrEnum):
    """What the likeliest explanation of a posting is."""

    SUM = "several orders that are not named"
    SEVERAL = "several orders that are named"
    UNNAMED = "an order that is not named"
    NAMED_SETTLED = "an order that is named and awaits no money"
    NAMED_KEPT = "an order that is named, of whose money the payer kept a part"
    NAMED_OPEN = "an order that is named and awaits money"


class ClerkRule(NamedTuple):
    """A rule, and the codes of the sentences that it may give; none where another gives them."""

    rule: Rule
    messages: tuple[str, ...]


_ANY: Final = (ClerkRule(one.lapsed, ("lapsed-order",)),)
_ONE: Final = (
    *_ANY,
    ClerkRule(one.without_rate, ("no-rate-advice",)),
    ClerkRule(one.instructed_otherwise, ("instructed-not-open",)),
    ClerkRule(one.far_from_rate, ("instructed-far-from-rate",)),
    ClerkRule(one.rate_inverted, ("rate-inverted",)),
    ClerkRule(one.charges_high, ("charges-too-high",)),
)
_NAMED: Final = (
    *_ONE,
    ClerkRule(named.points_elsewhere, ("points-elsewhere",)),
    ClerkRule(named.also_names, ("also-names",)),
    ClerkRule(named.contested_twin, ("contested-twin",)),
    ClerkRule(named.other_kind_of_number, ("another-kind-of-number",)),
)
TABLE: Final[Mapping[Situation, tuple[ClerkRule, ...]]] = {
    Situation.SUM: (*_ANY, ClerkRule(several.sum_fits_unnamed, ("sum-fits-unnamed",))),
    Situation.SEVERAL: (
        *_ANY,
        ClerkRule(several.doubtful_sum, ("several-do-not-add-up",)),
        ClerkRule(several.swappable, ("swappable",)),
        ClerkRule(several.different_customers, ("different-customers",)),
    ),
    Situation.UNNAMED: (
        *_ONE,
        ClerkRule(unnamed.cancelled, ("cancelled-unnamed",)),
        ClerkRule(unnamed.not_exact, ("unnamed-not-exact",)),
        ClerkRule(unnamed.paid_already, ("unnamed-paid",)),
        ClerkRule(unnamed.no_purchase, ("no-purchase",)),
        ClerkRule(unnamed.younger, ("unnamed-younger",)),
        ClerkRule(unnamed.no_payment, ("unnamed-no-purchase",)),
        ClerkRule(unnamed.crowded, ("unnamed-crowd",)),
        ClerkRule(unnamed.other_name, ("unnamed-other-name",)),
        ClerkRule(unnamed.chosen_name, ("fits-as-well",)),
        ClerkRule(unnamed.unknown_document, ("unknown-document",)),
        ClerkRule(unnamed.another_shop, ("another-shop",)),
        ClerkRule(unnamed.later_number, ("names-order", "later-order")),
        ClerkRule(unnamed.fits_as_well, ("names-order", "has-number", "may-have-number", "fits-as-well")),
    ),
    Situation.NAMED_SETTLED: (
        *_NAMED,
        ClerkRule(named.returns_nothing, ("return-of-nothing",)),
        ClerkRule(named.paid_and_not_total, ("named-paid-not-total",)),
        ClerkRule(named.paid_by_another, ("named-paid-other-payer",)),
    ),
    Situation.NAMED_KEPT: (
        *_NAMED,
        ClerkRule(named.kept_in_doubt, ("kept-other-stated", "kept-unlike-before", "kept-confirm", "kept-other-kind")),
        ClerkRule(named.short_number_of_carrier, ("collective-short-number",)),
        ClerkRule(named.names_unknown, ("unknown-order",)),
        ClerkRule(named.no_payment, ("no-payment",)),
    ),
    Situation.NAMED_OPEN: (
        *_NAMED,
        ClerkRule(named.nothing_matches, ("nothing-matches-named",)),
        ClerkRule(named.doubtful_and_no_payment, ("no-payment",)),
        ClerkRule(named.relative_meant, ("relative",)),
        ClerkRule(named.payers_own, ("payers-own",)),
        ClerkRule(named.number_of_name, ("number-of-name",)),
        ClerkRule(named.number_of_longer, ("number-of-longer",)),
        ClerkRule(named.far_too_much, ("far-too-much",)),
        ClerkRule(named.too_much_of_stranger, ("too-much-unknown-name",)),
        ClerkRule(named.excess_for_other, ("excess-for-other",)),
        ClerkRule(named.excess_for_unknown, ("also-names", "may-be-unknown-order")),
        ClerkRule(named.part_for_unknown, ("may-be-unknown-order",)),
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
