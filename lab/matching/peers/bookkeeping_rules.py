"""Rules after the fashion of bookkeeping programs: the first that fits counts. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence

from lab.matching.clerk import words
from lab.matching.peers.pairs import Pair

TRAINED = False


def scorer(_worlds: object) -> object:
    """The rules; nothing is trained."""
    return score


def score(pairs: Sequence[Pair]) -> list[float]:
    """1.0 number and amount, 0.97 number and name, 0.93 name and amount, then weaker ones for suggestions."""
    return [_score(pair) for pair in pairs]


def _score(pair: Pair) -> float:
    exact = abs(pair.amount_ratio - 1) < 1e-9
    near = abs(pair.amount_ratio - 1) <= 0.03
    name = set(words(pair.name)) and set(words(pair.name)) <= set(words(pair.payer))
    if pair.key and exact:
        return 1.0
    if pair.key and (near or name) and len(pair.key) >= 5 and pair.amount_ratio < 1.05:
        return 0.97
    if name and exact:
        return 0.93 if pair.alike == 1 else 0.88
    if pair.key and pair.surname_seen:
        return 0.8
    if pair.customer_named and exact:
        return 0.9
    if exact:
        return 0.6 if pair.surname_seen else 0.3
    return 0.2 if pair.key else 0.0
