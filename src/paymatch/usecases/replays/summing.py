"""The result of a replay: judges differences and sums up the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import msgspec

from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.postings import Posting
from paymatch.domain.replays.figures import ReplayFigure, ReplayResult, usual_days
from paymatch.domain.replays.judging import AssignmentFact, facts_for, judge
from paymatch.domain.replays.old_decisions import OldDecision
from paymatch.domain.reports.evidence import AUTOMATIC, MatchedBy, matched_by
from paymatch.formats.replays.day_parts import UNDATED, decisions_of
from paymatch.store.matching import matching as match_store
from paymatch.store.replays import outcomes, replays
from paymatch.store.replays.outcomes import ListedOutcome, OutcomeRow, ReplayedReminder
from paymatch.store.statements import postings as posting_store
from paymatch.store.transactions import ShopTx

_AT_ONCE = 500


def sum_up(tx: ShopTx) -> ReplayResult:
    """Judges the differences, and counts; for the replay's shop."""
    outcomes.raise_later_matches(tx)
    differing = outcomes.differing_outcomes(tx)
    for start in range(0, len(differing), _AT_ONCE):
        _judge(tx, differing[start : start + _AT_ONCE])
    counts = outcomes.counts(tx)
    usual, longest = usual_days(outcomes.days_to_paid(tx))
    reminders, wrong = outcomes.count_reminders(tx, tx.shop.tolerance_minor)
    unknown = replays.count_decisions(tx)
    return ReplayResult(
        postings=counts[ReplayFigure.POSTINGS], matched=counts[ReplayFigure.MATCHED],
        suggested=counts[ReplayFigure.SUGGESTED], left=counts[ReplayFigure.LEFT], aside=counts[ReplayFigure.ASIDE],
        compared=counts["compared"], suggested_compared=counts["suggested-compared"],
        suggested_right=counts[ReplayFigure.SUGGESTED_RIGHT], ours=counts[ReplayFigure.OURS],
        theirs=counts[ReplayFigure.THEIRS], both=counts[ReplayFigure.BOTH], slow=counts[ReplayFigure.SLOW],
        reminders=reminders, wrong_reminders=wrong, days=usual, longest_days=longest, decisions_unknown=unknown,
        found_by=_found_by(tx),
    )  # fmt: skip


def _found_by(tx: ShopTx) -> dict[str, int]:
    """Matches by the first family of their evidence; families without one are left out."""
    found: dict[MatchedBy, int] = dict.fromkeys(AUTOMATIC, 0)
    for codes, count in outcomes.count_ways(tx):
        found[matched_by(codes)[0]] += count
    return {str(way): count for way, count in found.items() if count}


def _judge(tx: ShopTx, rows: Sequence[OutcomeRow]) -> None:
    postings = {each.id: each.posting for each in posting_store.load(tx, [row.posting_id for row in rows])}
    numbers = {number for row in rows for number in (*row.ours, *(row.theirs or ()))}
    orders = match_store.load_orders(tx, numbers)
    for row in rows:
        posting = postings[row.posting_id]
        ours, theirs = (_facts(posting, numbers, orders) for numbers in (row.ours, row.theirs or ()))
        judged = replace(
            row, verdict=judge(ours, theirs), our_facts=tuple(sorted(ours)), their_facts=tuple(sorted(theirs))
        )
        outcomes.set_verdict(tx, judged)


def _facts(posting: Posting, numbers: Sequence[str], orders: Mapping[str, OrderFacts]) -> frozenset[AssignmentFact]:
    """What speaks for these orders; that one of them is unknown where the files do not have it."""
    if any(each not in orders for each in numbers):
        return frozenset({AssignmentFact.UNKNOWN})
    return facts_for(posting, [orders[each] for each in numbers])


def result_of(row: replays.ReplayRow) -> ReplayResult | None:
    """The figures of a finished replay."""
    return msgspec.json.decode(row.result, type=ReplayResult) if row.result else None


def list_of(tx: ShopTx, figure: ReplayFigure, after: str, limit: int) -> list[ListedOutcome]:
    """The postings that a figure counts; of the replay's shop."""
    return outcomes.list_outcomes(tx, figure, after, limit)


def reminders_of(tx: ShopTx, figure: ReplayFigure, skip: int, limit: int) -> list[ReplayedReminder]:
    """All reminders, or those that would have gone to customers who had paid; of the replay's shop."""
    wrong = figure is ReplayFigure.WRONG_REMINDERS
    return outcomes.list_reminders(tx, tx.shop.tolerance_minor, wrong=wrong, skip=skip, limit=limit)


def unknown_decisions(tx: ShopTx, skip: int, limit: int) -> list[OldDecision]:
    """Decisions of the other system whose payment is not in the statements, by day; of the replay's shop."""
    parts = replays.decision_parts(tx, date.min, date.max, UNDATED)
    found = [each for _, part in parts for each in decisions_of(part.content)]
    return found[skip : skip + limit]
