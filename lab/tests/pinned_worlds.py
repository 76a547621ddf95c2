"""Decisions of whole worlds as text: a line per posting, named by its case, with all that a person would be shown.

`python -m lab.tests.pinned_worlds` writes them anew. What differs then is what a change of the engine has
changed: it is read line by line before it is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lab.matching.kinds import KINDS
from lab.matching.paymatch_adapter import replay
from lab.matching.world import generate
from tests.domain.matching.decision_text import told

FOLDER: Final = Path(__file__).parent / "pinned" / "worlds"
SEEDS: Final = (3, 4)
ORDERS: Final = 60


def pinned(kind: str) -> str:
    """The last decision on every posting of this kind's worlds."""
    return "".join(f"{line}\n" for seed in SEEDS for line in _world(kind, seed))


def _world(kind: str, seed: int) -> Iterator[str]:
    world = generate(kind, seed, ORDERS)
    played = replay(world.orders, world.postings, world.terms, truth=world.truth)
    for place, posting in enumerate(world.postings, 1):
        case = world.truth[posting["id"]]["case"]
        yield f"{seed}/{place} {case}: {told(played.decisions[posting['id']])}"


def write() -> None:
    """Writes the decisions of all kinds."""
    FOLDER.mkdir(exist_ok=True)
    for kind in KINDS:
        (FOLDER / f"{kind}.txt").write_text(pinned(kind), "utf-8")


if __name__ == "__main__":
    write()
