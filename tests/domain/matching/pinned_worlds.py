"""Decisions of whole worlds as text: a line per posting, named by its case, with all that a person would be shown.

`python -m tests.domain.matching.pinned_worlds` writes them anew. What differs then is what a change of the engine has
changed: it is read line by line before it is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.matching.paymatch_adapter import replay
from benchmarks.matching.shops import KINDS
from benchmarks.matching.world import generate

from paymatch.domain.matching.model import Decision, Proposal
from paymatch.domain.words.said import Said

FOLDER: Final = Path(__file__).parent / "pinned" / "worlds"
SEEDS: Final = (3, 4)
ORDERS: Final = 60
SHOWN: Final = 3  # suggestions of one posting


def pinned(kind: str) -> str:
    """The last decision on every posting of this kind's worlds."""
    return "".join(f"{line}\n" for seed in SEEDS for line in _world(kind, seed))


def _world(kind: str, seed: int) -> Iterator[str]:
    world = generate(kind, seed, ORDERS)
    played = replay(world.orders, world.postings, world.terms, truth=world.truth)
    for place, posting in enumerate(world.postings, 1):
        case = world.truth[posting["id"]]["case"]
        yield f"{seed}/{place} {case}: {told(played.decisions[posting['id']])}"


def told(decision: Decision) -> str:
    """Outcome, flags and what holds it back; the proposals with amounts and probability; the first one's evidence."""
    proposals = decision.suggestions if decision.match is None else (decision.match,)
    why = decision.review_reason
    said = [str(decision.outcome), *decision.flags, why.code if isinstance(why, Said) else why]
    evidence = [f"{each.code} {each.weight:.2f}" for proposal in proposals[:1] for each in proposal.reasons]
    shown = [_proposed(proposal) for proposal in proposals[:SHOWN]]
    return " | ".join(filter(None, [" ".join(filter(None, said)), *shown, ", ".join(evidence)]))


def _proposed(proposal: Proposal) -> str:
    parts = [
        f"{a.order_number} {a.amount_minor}" + (f" less {a.withheld_minor} {a.fee_kind}" if a.withheld_minor else "")
        for a in proposal.allocations
    ]
    return f"{proposal.probability:.3f} {', '.join(parts)}"


def write() -> None:
    """Writes the decisions of all kinds."""
    FOLDER.mkdir(exist_ok=True)
    for kind in KINDS:
        (FOLDER / f"{kind}.txt").write_text(pinned(kind), "utf-8")


if __name__ == "__main__":
    write()
