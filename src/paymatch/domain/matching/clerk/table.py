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


class Row(NamedTuple):
    """A rule, and the codes of the sentences that it may give; none where another gives them."""

    rule: Rule
    messages: tuple[str, ...]


_ANY: Final = (Row(one.lapsed, ("lapsed-order",)),)
_ONE: Final = (
    *_ANY,
    Row(one.without_rate, ("no-rate-advice",)),
    Row(one.instructed_otherwise, ("instructed-not-open",)),
    Row(one.far_from_rate, ("instructed-far-from-rate",)),
    Row(one.rate_inverted, ("rate-inverted",)),
    Row(one.charges_high, ("charges-too-high",)),
)
_NAMED: Final = (
    *_ONE,
    Row(named.points_elsewhere, ("points-elsewhere",)),
    Row(named.also_names, ("also-names",)),
    Row(named.contested_twin, ("contested-twin",)),
    Row(named.other_kind_of_number, ("another-kind-of-number",)),
)
TABLE: Final[Mapping[Situation, tuple[Row, ...]]] = {
    Situation.SUM: (*_ANY, Row(several.sum_fits_unnamed, ("sum-fits-unnamed",))),
    Situation.SEVERAL: (
        *_ANY,
        Row(several.doubtful_sum, ("several-do-not-add-up",)),
        Row(several.swappable, ("swappable",)),
        Row(several.different_customers, ("different-customers",)),
    ),
    Situation.UNNAMED: (
        *_ONE,
        Row(unnamed.cancelled, ("cancelled-unnamed",)),
        Row(unnamed.not_exact, ("unnamed-not-exact",)),
        Row(unnamed.paid_already, ("unnamed-paid",)),
        Row(unnamed.no_purchase, ("no-purchase",)),
        Row(unnamed.younger, ("unnamed-younger",)),
        Row(unnamed.no_payment, ("unnamed-no-purchase",)),
        Row(unnamed.crowded, ("unnamed-crowd",)),
        Row(unnamed.other_name, ("unnamed-other-name",)),
        Row(unnamed.chosen_name, ("fits-as-well",)),
        Row(unnamed.unknown_document, ("unknown-document",)),
        Row(unnamed.another_shop, ("another-shop",)),
        Row(unnamed.later_number, ("names-order", "later-order")),
        Row(unnamed.fits_as_well, ("names-order", "has-number", "may-have-number", "fits-as-well")),
    ),
    Situation.NAMED_SETTLED: (
        *_NAMED,
        Row(named.returns_nothing, ("return-of-nothing",)),
        Row(named.paid_and_not_total, ("named-paid-not-total",)),
        Row(named.paid_by_another, ("named-paid-other-payer",)),
    ),
    Situation.NAMED_KEPT: (
        *_NAMED,
        Row(named.kept_in_doubt, ("kept-other-stated", "kept-unlike-before", "kept-confirm", "kept-other-kind")),
        Row(named.short_number_of_carrier, ("collective-short-number",)),
        Row(named.names_unknown, ("unknown-order",)),
        Row(named.no_payment, ("no-payment",)),
    ),
    Situation.NAMED_OPEN: (
        *_NAMED,
        Row(named.nothing_matches, ("nothing-matches-named",)),
        Row(named.doubtful_and_no_payment, ("no-payment",)),
        Row(named.relative_meant, ("relative",)),
        Row(named.payers_own, ("payers-own",)),
        Row(named.number_of_name, ("number-of-name",)),
        Row(named.number_of_longer, ("number-of-longer",)),
        Row(named.far_too_much, ("far-too-much",)),
        Row(named.too_much_of_stranger, ("too-much-unknown-name",)),
        Row(named.excess_for_other, ("excess-for-other",)),
        Row(named.excess_for_unknown, ("also-names", "may-be-unknown-order")),
        Row(named.part_for_unknown, ("may-be-unknown-order",)),
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
