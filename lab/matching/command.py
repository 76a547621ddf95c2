"""The command line: generate a world, score decisions, run a matcher over many worlds."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from lab.matching import dataset, report, side_by_side
from lab.matching.kinds import KINDS
from lab.matching.run import Result, external, paymatch, run, simple
from lab.matching.score import Score, score
from lab.matching.seeds import for_choosing
from lab.matching.world import generate


def main(arguments: list[str] | None = None) -> int:
    """Runs one of the commands; 0 when it worked."""
    args = _parser().parse_args(arguments)
    return int(args.run(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.matching", description=__doc__)
    commands = parser.add_subparsers(required=True)
    make = commands.add_parser("generate", help="write one world")
    make.add_argument("--kind", choices=list(KINDS), required=True)
    make.add_argument("--seed", type=int, default=1)
    make.add_argument("--orders", type=int, default=None)
    make.add_argument("--out", type=Path, required=True)
    make.set_defaults(run=_generate)
    data = commands.add_parser("dataset", help="write the data set: training and held-out worlds, licence, scorer")
    data.add_argument("--out", type=Path, required=True)
    data.add_argument("--worlds", type=int, default=2, help="worlds of each kind and range")
    data.add_argument("--kinds", default="all", help="all, or names with commas")
    data.set_defaults(run=_dataset)
    beside = commands.add_parser("side-by-side", help="tables of the results of several matchers")
    beside.add_argument("results", type=Path, nargs="+", help="JSON of `run --json`, and of the adapters")
    beside.add_argument("--write-docs", action="store_true")
    beside.set_defaults(run=_side_by_side)
    judge = commands.add_parser("score", help="score decisions against a truth")
    for name in ("orders", "truth", "decisions"):
        judge.add_argument(name, type=Path)
    judge.add_argument("--json", action="store_true")
    judge.set_defaults(run=_score)
    many = commands.add_parser("run", help="run matchers over many worlds")
    many.add_argument("--seeds", default="100-109", help="100-119 or 1,2,5")
    many.add_argument("--kinds", default="all", help="all, or names with commas")
    many.add_argument("--orders", type=int, default=None, help="orders per world; without it each kind's own number")
    many.add_argument("--command", default="", help="a matcher to run instead of ours; gets the world's folder")
    many.add_argument("--show-wrong", type=int, default=0, metavar="N", help="print N wrong and N missed per kind")
    many.add_argument("--write-docs", nargs="?", type=Path, const=Path("lab/results/matching.md"), metavar="PAGE")
    many.add_argument("--all-known", action="store_true", help="our matcher knows all orders from the start")
    many.add_argument("--json", action="store_true")
    many.set_defaults(run=_run)
    taught = commands.add_parser("learning", help="our matcher with a clerk who teaches it, and without")
    taught.add_argument("--seeds", default="100-109")
    taught.add_argument("--kinds", default="all", help="all, or names with commas")
    taught.add_argument("--write-docs", nargs="?", type=Path, const=Path("lab/results/matching.md"), metavar="PAGE")
    taught.set_defaults(run=_learning)
    paid_out = commands.add_parser("payouts", help="our product on worlds with payouts of services and advices")
    paid_out.add_argument("--seeds", default="700-704")
    paid_out.set_defaults(run=_payouts)
    return parser


def _payouts(args: argparse.Namespace) -> int:
    # Imported here because generating, scoring and running a command must work where paymatch is not installed.
    from lab.matching import payouts  # noqa: PLC0415

    found = payouts.measure(seeds_of(args.seeds))
    print(payouts.document(found))
    return int(not payouts.is_all_explained(found))


def _generate(args: argparse.Namespace) -> int:
    world = generate(args.kind, args.seed, args.orders)
    world.write(args.out)
    print(f"{args.out}: {len(world.orders)} orders, {len(world.postings)} postings")
    return 0


def _dataset(args: argparse.Namespace) -> int:
    kinds = () if args.kinds == "all" else args.kinds.split(",")
    print(f"{args.out}: {dataset.write(args.out, args.worlds, kinds)} worlds")
    return 0


def _side_by_side(args: argparse.Namespace) -> int:
    found = side_by_side.read([_load(path) for path in args.results])
    print(side_by_side.totals(found))
    if args.write_docs:
        side_by_side.write_documents(found)
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


def seeds_of(text: str) -> list[int]:
    """`100-103,7` as [100, 101, 102, 103, 7]."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _run(args: argparse.Namespace) -> int:
    kinds = list(KINDS) if args.kinds == "all" else args.kinds.split(",")
    name = "command" if args.command else "paymatch"
    ours = partial(paymatch, all_known=args.all_known)
    matchers = {name: external(args.command) if args.command else ours, "baseline": simple}
    show = max(args.show_wrong, report.SHOWN if args.write_docs else 0)
    seeds = for_choosing(seeds_of(args.seeds)) if show else seeds_of(args.seeds)
    found = [run(matchers, kind, seeds, args.orders, show) for kind in kinds]
    results = {matcher: [by_matcher[matcher] for by_matcher in found] for matcher in matchers}
    if args.json:
        print(
            json.dumps(
                {m: {r.kind: as_json(r.score) | {"cpu_seconds": r.seconds} for r in of} for m, of in results.items()}
            )
        )
    else:
        _print(results, name, args.show_wrong)
    if args.write_docs:
        report.write_document(args.write_docs, report.document(results, args.seeds))
    return 0


def _learning(args: argparse.Namespace) -> int:
    # Imported here because generating, scoring and running a command must work where paymatch is not installed.
    from lab.matching import learning  # noqa: PLC0415

    kinds = list(KINDS) if args.kinds == "all" else args.kinds.split(",")
    found = learning.compare(kinds, seeds_of(args.seeds))
    print(found)
    if args.write_docs:
        report.write_document(args.write_docs, learning.document(found, args.seeds), learning.BEGIN, learning.END)
    return 0


def _print(results: dict[str, list[Result]], name: str, show: int) -> None:
    print(report.by_kind(results), report.by_case(results[name]), report.reliability(results[name]), sep="\n\n")
    for matcher, found in results.items():
        postings, seconds = report.total(found).auto.total(), sum(r.seconds for r in found)
        print(f"\n{matcher}: {postings / seconds:.0f} postings/s")
    for result in results[name]:
        for title, mistakes in (("wrong", result.wrong), ("missed", result.missed)):
            for m in mistakes[:show]:
                print(f"\n{title}: {report.mistake(m)}")
