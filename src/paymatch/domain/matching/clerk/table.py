"""The table of the clerk's rules, in the order in which they are asked (`docs/clerks-rules.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from paymatch.domain.matching import catalogue as kinds
from paymatch.domain.matching.clerk import named, one, several, unnamed
from paymatch.domain.matching.clerk.case import Case, KnownNumbers
from paymatch.domain.matching.clerk.rule import ClerkRule
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


_ANY: Final = (
    one.lapsed,
    one.not_asked_for,
)
_ONE: Final = (
    *_ANY,
    one.without_rate,
    one.instructed_otherwise,
    one.far_from_rate,
    one.rate_inverted,
    one.charges_high,
)
_NAMED: Final = (
    *_ONE,
    named.points_elsewhere,
    named.also_names,
    named.contested_twin,
    named.other_kind_of_number,
)
TABLE: Final[Mapping[Situation, tuple[ClerkRule, ...]]] = {
    Situation.SUM: (*_ANY, several.sum_fits_unnamed),
    Situation.SEVERAL: (
        *_ANY,
        several.doubtful_sum,
        several.swappable,
        several.different_customers,
    ),
    Situation.UNNAMED: (
        *_ONE,
        unnamed.cancelled,
        unnamed.not_exact,
        unnamed.paid_already,
        unnamed.no_purchase,
        unnamed.younger,
        unnamed.no_payment,
        unnamed.crowded,
        unnamed.other_name,
        unnamed.chosen_name,
        unnamed.unknown_document,
        unnamed.another_shop,
        unnamed.later_number,
        unnamed.others_add_up,
        unnamed.fits_as_well,
    ),
    Situation.NAMED_SETTLED: (
        *_NAMED,
        named.returns_nothing,
        named.paid_and_not_total,
        named.paid_by_another,
    ),
    Situation.NAMED_KEPT: (
        *_NAMED,
        named.kept_in_doubt,
        named.short_number_of_carrier,
        named.names_unknown,
        named.no_payment,
    ),
    Situation.NAMED_OPEN: (
        *_NAMED,
        named.nothing_matches,
        named.doubtful_and_no_payment,
        named.relative_meant,
        named.payers_own,
        named.number_of_name,
        named.number_of_longer,
        named.far_too_much,
        named.too_much_of_stranger,
        named.excess_for_other,
        named.excess_for_unknown,
        named.part_for_unknown,
    ),
}


def review_reason(
    view: PostingView, best: Hypothesis, candidates: Sequence[Candidate], known: KnownNumbers, *, crowded: bool
) -> tuple[str, Candidate | None]:
    """Why `best` is left to a person, in words, and the order that is meant in its place; empty if it may be taken."""
    case = Case(view, best, candidates, known, crowded=crowded)
    for rule in TABLE[situation_of(case)]:
        why = rule(case)
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
