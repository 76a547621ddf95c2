"""The other system's decisions about the postings that have come to a replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from paymatch.domain.replays.old_decisions import NEAR_DAYS, OldDecision, ReplayedPosting, find_decisions
from paymatch.formats.replays.day_parts import UNDATED, decisions_of, encode_decisions
from paymatch.store.replays import outcomes
from paymatch.store.replays import replays as store
from paymatch.store.statements import postings as posting_store
from paymatch.store.transactions import ShopTx


def find_theirs(tx: ShopTx, new: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """New posting -> the orders that the other system assigned it to; decisions that were found are used up.

    A decision waits until its payment comes, however late: statements may be given in any order. For the replay's shop.
    """
    loaded = {each.id: each.posting for each in posting_store.load(tx, new)}
    if not loaded:
        return {}
    ours = outcomes.ours_of(tx, new)
    days = [each.booking_date for each in loaded.values()]
    near = timedelta(days=NEAR_DAYS)
    parts = store.decision_parts(tx, min(days) - near, max(days) + near, UNDATED)
    said = [each for _, part in parts for each in decisions_of(part.content)]
    if not said:
        return {}
    found = find_decisions(said, [ReplayedPosting(key, each, ours.get(key, ())) for key, each in loaded.items()])
    left = _Counted(found.left)
    for day, part in parts:
        before = decisions_of(part.content)
        kept = [each for each in before if left.take(each)]
        if not kept:
            store.drop_part(tx, day, part)
        elif len(kept) < len(before):
            store.add_part(tx, day, replace(part, rows=len(kept), content=encode_decisions(kept)))
    return found.orders


class _Counted:
    """Decisions that were not found, each as often as it was left; a file may list one twice."""

    def __init__(self, left: Sequence[OldDecision]) -> None:
        self._counts: dict[OldDecision, int] = {}
        for each in left:
            self._counts[each] = self._counts.get(each, 0) + 1

    def take(self, decision: OldDecision) -> bool:
        """Whether one more of these is left."""
        count = self._counts.get(decision, 0)
        self._counts[decision] = count - 1
        return count > 0
