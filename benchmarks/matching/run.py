"""Matchers over many worlds: ours, the baseline, or any command; scores per kind, and mistakes with their context."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.matching import baseline, paymatch_adapter
from benchmarks.matching.score import Score, score
from benchmarks.matching.world import World, generate

Json = dict[str, Any]
Matcher = Callable[[World], dict[str, Json]]


@dataclass(slots=True)
class Mistake:
    """A decision that was wrong, or a certain posting that was not matched, with all that explains it."""

    kind: str
    seed: int
    case: str
    posting: Json
    true: Json
    decision: Json
    orders: list[Json]  # the true ones and the proposed ones


@dataclass(slots=True)
class Result:
    """One matcher on all seeds of one kind."""

    kind: str
    score: Score = field(default_factory=Score)
    seconds: float = 0.0
    wrong: list[Mistake] = field(default_factory=list)
    missed: list[Mistake] = field(default_factory=list)


def paymatch(world: World) -> dict[str, Json]:
    return paymatch_adapter.decisions(world.orders, world.postings)


def simple(world: World) -> dict[str, Json]:
    return baseline.decide(world.orders, world.postings)


def external(command: str) -> Matcher:
    """A matcher that is a command: it gets a folder with everything but the truth and leaves `decisions.json` in it."""

    def decide(world: World) -> dict[str, Json]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            world.write(folder)
            (folder / "truth.json").unlink()
            subprocess.run([*shlex.split(command), str(folder)], check=True)
            found: dict[str, Json] = json.loads((folder / "decisions.json").read_text(encoding="utf-8"))
            return found

    return decide


def run(matcher: Matcher, kind: str, seeds: Iterable[int], orders: int | None = None, show: int = 0) -> Result:
    """The matcher on the worlds of this kind; `show` limits the mistakes that are kept for reading, of either sort."""
    result = Result(kind)
    for seed in seeds:
        world = generate(kind, seed, orders)
        began = perf_counter()
        decisions = matcher(world)
        result.seconds += perf_counter() - began
        found = score(world.orders, world.truth, decisions)
        result.score.add(found)
        missed = [m for m in found.missed if m not in found.wrong]
        result.wrong += _mistakes(world, decisions, found.wrong, show - len(result.wrong))
        result.missed += _mistakes(world, decisions, missed, show - len(result.missed))
    return result


def _mistakes(world: World, decisions: dict[str, Json], found: list[tuple[str, str]], most: int) -> list[Mistake]:
    postings = {p["id"]: p for p in world.postings}
    orders = {o["number"]: o for o in world.orders}
    out = []
    for posting, case in found[: max(0, most)]:
        true, decision = world.truth[posting], decisions.get(posting, {"status": "unmatched", "allocations": []})
        named = [a["orderNumber"] for a in true["allocations"] + decision["allocations"]]
        seen = [orders[n] for n in dict.fromkeys(named) if n in orders]
        out.append(Mistake(world.kind, world.seed, case, postings[posting], true, decision, seen))
    return out
