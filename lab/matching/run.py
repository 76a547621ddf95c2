"""Matchers over many worlds: ours, the baseline, or any command; scores per kind, and mistakes with their context."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any, Final

from lab.matching import baseline
from lab.matching.score import Score, score
from lab.matching.world import World, generate

Json = dict[str, Any]
Matcher = Callable[[World], dict[str, Json]]
SAME_CASE: Final = 3


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


def paymatch(world: World, *, all_known: bool = False) -> dict[str, Json]:
    """Our engine; with `all_known` all orders are there from the start."""
    # Imported here because generating, scoring and running a command must work where paymatch is not installed.
    from lab.matching import paymatch_adapter  # noqa: PLC0415

    return paymatch_adapter.decisions(world.orders, world.postings, world.terms, all_known=all_known, truth=world.truth)


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


def run(
    matchers: dict[str, Matcher], kind: str, seeds: Iterable[int], orders: int | None = None, show: int = 0
) -> dict[str, Result]:
    """Every matcher on the same worlds of this kind; `show` limits the mistakes kept for reading, of either sort."""
    results = {name: Result(kind) for name in matchers}
    for seed in seeds:
        world = generate(kind, seed, orders)
        for name, matcher in matchers.items():
            _measure(results[name], matcher, world, show)
    return results


def _measure(result: Result, matcher: Matcher, world: World, show: int) -> None:
    began = process_time()
    decisions = matcher(world)
    result.seconds += process_time() - began
    found = score(world.orders, world.truth, decisions)
    result.score.add(found)
    _keep(result.wrong, world, decisions, found.wrong, show)
    _keep(result.missed, world, decisions, [m for m in found.missed if m not in found.wrong], show)


def _keep(
    kept: list[Mistake], world: World, decisions: dict[str, Json], found: list[tuple[str, str]], most: int
) -> None:
    """Adds mistakes up to `most`, a case three times at the most, so that a reader sees many sorts."""
    postings = {p["id"]: p for p in world.postings}
    orders = {o["number"]: o for o in world.orders}
    for posting, case in found:
        if len(kept) >= most or sum(m.case == case for m in kept) >= SAME_CASE:
            continue
        true, decision = world.truth[posting], decisions.get(posting, {"status": "unmatched", "allocations": []})
        named = [a["orderNumber"] for a in true["allocations"] + decision["allocations"]]
        seen = [orders[n] for n in dict.fromkeys(named) if n in orders]
        kept.append(Mistake(world.kind, world.seed, case, postings[posting], true, decision, seen))
