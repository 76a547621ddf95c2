"""Gradient-boosted trees (scikit-learn) on features of pairs, trained on the training range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier

from lab.matching.peers.pairs import Json, Pair, pairs_of
from lab.matching.peers.rapidfuzz_rules import likeness

TRAINED = True


def features(pair: Pair) -> list[float]:
    """What the trees see of a pair."""
    exact = float(abs(pair.amount_ratio - 1) < 1e-9)
    return [
        float(len(pair.key)), float(pair.customer_named), exact, min(pair.amount_ratio, 5.0), likeness(pair),
        float(pair.surname_seen), float(pair.age_days), float(pair.due_days), float(pair.rivals),
        float(min(pair.alike, 50)), float(pair.order.amount), float(len(pair.payer)),
    ]  # fmt: skip


def scorer(worlds: Sequence[tuple[list[Json], list[Json], dict[str, Json]]]) -> Any:
    """A scorer, trained on these worlds."""
    rows, labels = [], []
    for orders, postings, truth in worlds:
        _, pairs = pairs_of(orders, postings)
        for posting, some in pairs.by_posting.items():
            true = {a["orderNumber"] for a in truth[posting]["allocations"]}
            rows += [features(pair) for pair in some]
            labels += [pair.order.number in true for pair in some]
    model = HistGradientBoostingClassifier(max_iter=300, learning_rate=0.08, random_state=1)
    model.fit(rows, labels)

    def score(pairs: Sequence[Pair]) -> list[float]:
        return [float(row[1]) for row in model.predict_proba([features(pair) for pair in pairs])]

    return score
