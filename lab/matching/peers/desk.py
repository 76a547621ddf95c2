"""What an adapter does with its scores: books postings in their order, and says what it is sure of.

Returns, refunds and lists of numbers are booked by plain rules, the same for every adapter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lab.matching.peers.pairs import Json, KnownOrder, Pair, Pairs, day_of, minor, pairs_of, written

Scorer = Callable[[Sequence[Pair]], Sequence[float]]
"""How likely each pair belongs together, 0 to 1."""
MARGIN = 0.02
SHOWN = 0.05


@dataclass(slots=True)
class Desk:
    """The books: what is open of each order, and what earlier postings paid."""

    known: Mapping[str, KnownOrder]
    open: dict[str, int] = field(default_factory=dict)
    paid_by: dict[str, list[tuple[str, int]]] = field(default_factory=dict)  # EndToEndId -> what it paid

    def book(self, p: Json, parts: Sequence[tuple[str, int]]) -> Json:
        """The decision that the posting pays these orders."""
        for number, part in parts:
            self.open[number] -= part
        if p["endToEndId"]:
            self.paid_by[p["endToEndId"]] = list(parts)
        return decision("matched", parts)


def decision(status: str, parts: Sequence[tuple[str, int]], probability: float | None = None) -> Json:
    """A decision in the data set's form."""
    found: Json = {"status": status, "allocations": [{"orderNumber": n, "amount": part / 100} for n, part in parts]}
    return found if probability is None else found | {"probability": probability}


def from_bits(weight: float) -> float:
    """A match weight in bits as a score from 0 to 1 that leaves high weights apart."""
    return 1 / (1 + 2 ** (-weight / 8))


def decide(orders: list[Json], postings: list[Json], scorer: Scorer, sure: float) -> dict[str, Json]:
    """Decisions on all postings: automatic from the score `sure` on, if no other order comes near."""
    known, pairs = pairs_of(orders, postings)
    scores = _scores(pairs, scorer)
    desk = Desk(known, {number: order.amount for number, order in known.items()})
    return {p["id"]: _decide(desk, p, pairs.by_posting.get(p["id"], []), scores, sure) for p in postings}


def _scores(pairs: Pairs, scorer: Scorer) -> dict[tuple[str, str], float]:
    every = [pair for some in pairs.by_posting.values() for pair in some]
    if not every:
        return {}
    return {(pair.posting, pair.order.number): score for pair, score in zip(every, scorer(every), strict=True)}


def _decide(desk: Desk, p: Json, some: list[Pair], scores: Mapping[tuple[str, str], float], sure: float) -> Json:
    paid = minor(p["amount"])
    if paid < 0 or p["returnReason"]:
        return _given_back(desk, p, paid)
    listed = _listed(desk, some, paid)
    if listed:
        return desk.book(p, listed)
    ranked = sorted(
        ((scores[p["id"], pair.order.number], pair) for pair in some if desk.open[pair.order.number] > 0),
        key=lambda each: (-each[0], each[1].order.number),
    )
    if not ranked or ranked[0][0] < SHOWN:
        return decision("unmatched", [])
    best, pair = ranked[0]
    second = ranked[1][0] if len(ranked) > 1 else 0.0
    parts = [(pair.order.number, paid)]
    if best >= sure and best - second >= MARGIN:
        return desk.book(p, parts) | {"probability": best}
    return decision("suggested", parts, best)


def _listed(desk: Desk, some: list[Pair], paid: int) -> list[tuple[str, int]]:
    """Several orders that are written in full and add up to the cent."""
    named = [pair for pair in some if pair.key and len(pair.key) >= 4 and desk.open[pair.order.number] > 0]
    parts = [(pair.order.number, desk.open[pair.order.number]) for pair in named]
    return parts if len(parts) > 1 and sum(part for _, part in parts) == paid else []


def _given_back(desk: Desk, p: Json, paid: int) -> Json:
    """A return of an earlier payment, or money sent to the customer of the one order that is written."""
    earlier = desk.paid_by.get(p["endToEndId"], [])
    if p["returnReason"] and earlier and sum(part for _, part in earlier) == -paid:
        return desk.book(p, [(number, -part) for number, part in earlier])
    seen = written(p)
    named = [o for o in desk.known.values() if o.day <= day_of(p["postingDate"]) and seen & o.keys.keys()]
    if len(named) != 1 or paid > 0:
        return decision("unmatched", [])
    order = named[0]
    received = order.amount - desk.open[order.number]
    return (
        desk.book(p, [(order.number, paid)]) if 0 < -paid <= received else decision("suggested", [(order.number, paid)])
    )


def threshold(worlds: Sequence[tuple[list[Json], list[Json], dict[str, Json]]], scorer: Scorer, wanted: float) -> float:
    """The lowest score from which on at least `wanted` of the training range's automatic matches are right."""
    found: list[tuple[float, bool]] = []
    for orders, postings, truth in worlds:
        for posting, made in decide(orders, postings, scorer, 0.0).items():
            if made["status"] == "matched" and "probability" in made:
                true = {a["orderNumber"] for a in truth[posting]["allocations"]}
                right = true == {a["orderNumber"] for a in made["allocations"]}
                found.append((made["probability"], right))
    found.sort(reverse=True)
    good, lowest = 0, 1.01
    for place, (score, is_right) in enumerate(found, 1):
        good += is_right
        if good / place >= wanted:
            lowest = score
    return lowest
