"""`python -m lab.matching.peers NAME WORLD` leaves decisions.json in a world's folder; with `--seeds` it is measured.

python -m lab.matching.peers bookkeeping_rules world/
python -m lab.matching.peers boosted_model --seeds 70000-70001 --kinds all --json boosted.json
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

from lab.matching.kinds import KINDS
from lab.matching.peers.desk import decide, threshold
from lab.matching.score import Score, score
from lab.matching.seeds import TRAINING
from lab.matching.world import generate

NAMES = ("bookkeeping_rules", "rapidfuzz_rules", "splink_linkage", "boosted_model")
WANTED = 0.999
"""Of the automatic matches of the training range so many are to be right; each adapter's threshold is chosen for it."""


def main() -> int:
    """Decides one world, or measures an adapter on many."""
    parser = argparse.ArgumentParser(prog="python -m lab.matching.peers", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("world", type=Path, nargs="?", help="a folder with orders.json and postings.json")
    parser.add_argument("--seeds", default="", help="70000-70003: worlds that are made and scored")
    parser.add_argument("--kinds", default="all")
    parser.add_argument("--train", type=int, default=2, help="so many seeds of the training range per kind")
    parser.add_argument("--json", type=Path, help="where the scores go")
    given = parser.parse_args()
    kinds = list(KINDS) if given.kinds == "all" else given.kinds.split(",")
    adapter = importlib.import_module(f"lab.matching.peers.{given.name}")
    training = [generate(kind, seed, 150) for kind in KINDS for seed in TRAINING[: given.train]]
    worlds = [(world.orders, world.postings, world.truth) for world in training]
    scorer = adapter.scorer(worlds)
    checked = [generate(kind, TRAINING[-1], 150) for kind in KINDS] if adapter.TRAINED else training
    sure = threshold([(world.orders, world.postings, world.truth) for world in checked], scorer, WANTED)
    print(f"{given.name}: automatic from {sure:.4f}", file=sys.stderr)
    if given.world:
        orders, postings = (
            json.loads((given.world / f"{name}.json").read_text("utf-8")) for name in ("orders", "postings")
        )
        (given.world / "decisions.json").write_text(json.dumps(decide(orders, postings, scorer, sure)), "utf-8")
        return 0
    found = {kind: _measure(kind, seeds_of(given.seeds), scorer, sure) for kind in kinds}
    text = json.dumps({"name": given.name, "seeds": given.seeds, "threshold": sure, "kinds": found}, indent=1)
    if given.json:
        given.json.write_text(text, "utf-8")
    else:
        print(text)
    return 0


def seeds_of(text: str) -> list[int]:
    """`70000-70003` as a list."""
    first, _, last = text.partition("-")
    return [*range(int(first), int(last or first) + 1)]


def _measure(kind: str, seeds: list[int], scorer: Any, sure: float) -> dict[str, Any]:
    total, seconds = Score(), 0.0
    for seed in seeds:
        world = generate(kind, seed)
        begun = process_time()
        decisions = decide(world.orders, world.postings, scorer, sure)
        seconds += process_time() - begun
        total.add(score(world.orders, world.truth, decisions))
    return {**total.summary(), "cpu_seconds": round(seconds, 3)}


if __name__ == "__main__":
    raise SystemExit(main())
