"""Fuzzy rules with rapidfuzz: how alike the names are, whether the number is written, how near the amount is."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, utils

from lab.matching.peers.pairs import Pair

TRAINED = False


def scorer(_worlds: object) -> object:
    """The rules; only the threshold is chosen on the training range."""
    return score


def score(pairs: Sequence[Pair]) -> list[float]:
    """A weighted mean of number, amount and name."""
    return [_score(pair) for pair in pairs]


def likeness(pair: Pair) -> float:
    """How alike payer and customer are, 0 to 1."""
    names = pair.order.names or [""]
    return float(max(fuzz.token_set_ratio(pair.payer, name, processor=utils.default_process) for name in names)) / 100


def _score(pair: Pair) -> float:
    amount = max(0.0, 1 - 8 * abs(pair.amount_ratio - 1))
    number = min(1.0, len(pair.key) / 6) if pair.key else 0.6 if pair.customer_named else 0.0
    name = likeness(pair)
    score = 0.4 * number + 0.35 * amount + 0.25 * name
    return min(1.0, score + (0.1 if amount == 1 and name > 0.9 else 0.0)) - (0.1 if pair.rivals > 1 else 0.0)
