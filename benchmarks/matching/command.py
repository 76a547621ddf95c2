"""The command line: generate a world, score decisions, run a matcher over many worlds."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.matching.score import Score, score
from benchmarks.matching.shops import KINDS
from benchmarks.matching.world import generate


def main(arguments: list[str] | None = None) -> int:
    """Runs one of the commands; 0 when it worked."""
    args = _parser().parse_args(arguments)
    return int(args.run(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matching", description=__doc__)
    commands = parser.add_subparsers(required=True)
    make = commands.add_parser("generate", help="write one world")
    make.add_argument("--kind", choices=list(KINDS), required=True)
    make.add_argument("--seed", type=int, required=True)
    make.add_argument("--orders", type=int, default=None)
    make.add_argument("--out", type=Path, required=True)
    make.set_defaults(run=_generate)
    judge = commands.add_parser("score", help="score decisions against a truth")
    for name in ("orders", "truth", "decisions"):
        judge.add_argument(name, type=Path)
    judge.add_argument("--json", action="store_true")
    judge.set_defaults(run=_score)
    return parser


def _generate(args: argparse.Namespace) -> int:
    world = generate(args.kind, args.seed, args.orders)
    world.write(args.out)
    print(f"{args.out}: {len(world.orders)} orders, {len(world.postings)} postings")
    return 0


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _score(args: argparse.Namespace) -> int:
    result = score(_load(args.orders), _load(args.truth), _load(args.decisions))
    if args.json:
        print(json.dumps(as_json(result), ensure_ascii=False))
        return 0
    for key, value in result.summary().items():
        print(f"{key:28} {value}")
    print("case: right/matched/postings, suggested (first right)")
    for case, count in sorted(result.cases.items()):
        print(f"  {case:24} {count.right}/{count.matched}/{count.postings}, {count.suggested} ({count.first})")
    for bound, (given, good) in sorted(result.reliability.items()):
        print(f"  probability from {bound}: {good} of {given} right")
    return 0


def as_json(result: Score) -> dict[str, Any]:
    """The score with its tables, for machines."""
    cases = {
        case: {
            "postings": c.postings,
            "matched": c.matched,
            "right": c.right,
            "suggested": c.suggested,
            "first": c.first,
        }
        for case, c in sorted(result.cases.items())
    }
    reliability = [{"from": b, "given": n, "right": g} for b, (n, g) in sorted(result.reliability.items())]
    return {**result.summary(), "by_case": cases, "reliability": reliability, "wrong_ids": result.wrong}
