"""Mutants of the pure core: `make mutants` changes one operator at a time, and prints the changes that no test notices.

A seeded sample per room of `domain/`: each mutant is a copy of the source with one comparison, operator, condition or
number changed; the room's own tests that enter the function run on it until one fails. Mutants that say the same in
other words are listed with the reason in `lab/equivalent_mutants.toml` and do not count. Exit code 1 if a room kills
less than it must.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from lab.mutant_trials import Changed, Function, Trials

ROOT: Final = Path(__file__).resolve().parents[1]
DOMAIN: Final = Path("src/paymatch/domain")
GOAL: Final = 0.92
EQUIVALENTS: Final = Path("lab/equivalent_mutants.toml")
AROUND: Final = 40

_COMPARISONS: Final = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATORS: Final = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_CALLS: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    LIVES = "lives"
    CHANGES_NOTHING = "changes nothing"


@dataclass(frozen=True, slots=True)
class Made:
    """A changed module: its text, the change in words that stay the same until the statement changes, and its place."""

    text: str
    key: str  # `function: what it says -> what it would say`
    line: int
    function: Function | None  # None: it runs while the module is imported


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change: the node of that place in its tree, and which of its changes."""

    path: Path
    place: int
    choice: int

    @property
    def module(self) -> str:
        """The module's path below the domain."""
        return self.path.relative_to(DOMAIN).as_posix()

    def made(self) -> Made:
        """The module with its change."""
        parsed = _parsed(self.path)
        node = parsed.nodes[self.place]
        statement, function = _around(parsed, node)
        with self._changed() as key:
            text = ast.unparse(parsed.tree)
        entered = None
        if function is not None and not any(_name(each).endswith("cache") for each in function.decorator_list):
            entered = (str(self.path), min([function.lineno, *(each.lineno for each in function.decorator_list)]))
        return Made(text, key, getattr(node, "lineno", statement.lineno), entered)

    def key(self) -> str:
        """That of the changed module, whose text is not made."""
        with self._changed() as key:
            return key

    @contextmanager
    def _changed(self) -> Iterator[str]:
        """The module's tree has the change inside of the block; the key."""
        parsed = _parsed(self.path)
        node = parsed.nodes[self.place]
        statement, function = _around(parsed, node)
        before, kept = _line(statement), {key: _copied(value) for key, value in vars(node).items()}
        list(_changes(node))[self.choice](node)
        try:
            yield f"{function.name if function is not None else ''}: {_difference(before, _line(statement))}"
        finally:
            vars(node).update(kept)


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A module, and of each node what it stands in; marks like `+` and `load` are one object wherever they stand."""

    tree: ast.Module
    nodes: list[ast.AST]
    outer: Mapping[ast.AST, ast.AST]


@cache
def _parsed(path: Path) -> _Parsed:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    nodes = list(ast.walk(tree))
    return _Parsed(tree, nodes, {inner: node for node in nodes for inner in ast.iter_child_nodes(node)})


def _around(parsed: _Parsed, node: ast.AST) -> tuple[ast.stmt, ast.FunctionDef | None]:
    """The innermost statement that the node is a part of, and the innermost function in whose body it runs."""
    statement: ast.stmt | None = None
    inside = node
    while inside is not parsed.tree:
        if statement is None and isinstance(inside, ast.stmt):
            statement = inside
        outer = parsed.outer[inside]
        if isinstance(outer, ast.FunctionDef) and inside in outer.body:
            assert statement is not None
            return statement, outer
        inside = outer
    assert statement is not None
    return statement, None


def _copied(value: object) -> object:
    return list(value) if isinstance(value, list) else value


def _name(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _difference(before: str, after: str) -> str:
    """Both lines around what differs."""
    same = _alike(before, after)
    rest = _alike(before[same:][::-1], after[same:][::-1])
    begin, dots = max(0, same - AROUND), "..." if same > AROUND else ""
    ends = [len(text) - max(0, rest - AROUND) for text in (before, after)]
    return "  ->  ".join(f"{dots}{text[begin:end]}" for text, end in zip((before, after), ends, strict=True))


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a module."""
    nodes = _parsed(path).nodes
    untouched = {id(inner) for node in nodes for part in _declarations(node) for inner in ast.walk(part)}
    return [
        Mutant(path, place, choice)
        for place, node in enumerate(nodes)
        if id(node) not in untouched
        for choice, _ in enumerate(_changes(node))
    ]


def _declarations(node: ast.AST) -> Iterator[ast.AST]:
    """What says nothing about what is done: annotations, decorators, assertions, how classes are made, lone texts."""
    match node:
        case ast.FunctionDef():
            yield from node.decorator_list
            yield from filter(
                None, (node.returns, *(each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg)))
            )
        case ast.ClassDef():
            yield from node.decorator_list
        case ast.AnnAssign():
            yield node.annotation
        case ast.Assert() | ast.Import() | ast.ImportFrom() | ast.Raise():
            yield node
        case ast.Expr() if isinstance(node.value, ast.Constant):
            yield node
        case ast.keyword(arg="strict" | "init"):
            yield node


def _line(statement: ast.stmt) -> str:
    """The statement without those within it."""
    return next(line for line in ast.unparse(statement).splitlines() if not line.startswith("@"))


def _changes(node: ast.AST) -> Iterator[Callable[..., None]]:
    match node:
        case ast.Compare():
            for number in range(len(node.ops)):
                yield lambda twin, at=number: twin.ops.__setitem__(at, _COMPARISONS[type(twin.ops[at])]())
        case ast.BoolOp():
            yield lambda twin: setattr(twin, "op", ast.And() if isinstance(twin.op, ast.Or) else ast.Or())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in _OPERATORS:
            yield lambda twin: setattr(twin, "op", _OPERATORS[type(twin.op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield lambda twin: setattr(twin, "operand", ast.UnaryOp(ast.Not(), twin.operand))
        case ast.If(test=ast.UnaryOp(op=ast.Not())) | ast.IfExp(test=ast.UnaryOp(op=ast.Not())):
            return  # the same as the change of its `not`
        case ast.If() | ast.IfExp() | ast.While():
            yield lambda twin: setattr(twin, "test", ast.UnaryOp(ast.Not(), twin.test))
        case ast.Constant(value=bool()):
            yield lambda twin: setattr(twin, "value", not twin.value)
        case ast.Constant(value=int() | float()):
            yield lambda twin: setattr(twin, "value", twin.value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS:
            yield lambda twin: setattr(twin, "func", ast.Name(_CALLS[twin.func.id], ast.Load()))


def equivalents() -> Mapping[str, Mapping[str, str]]:
    """Module -> mutant's key -> why no test can notice it."""
    return tomllib.loads((ROOT / EQUIVALENTS).read_text("utf-8"))


def rooms() -> dict[str, list[Path]]:
    """The rooms of the domain with their modules; what lies in none is the room `domain`."""
    found: dict[str, list[Path]] = {}
    for path in sorted((ROOT / DOMAIN).rglob("*.py")):
        if path.name != "__init__.py":
            parts = path.relative_to(ROOT / DOMAIN).parts
            found.setdefault(parts[0] if len(parts) > 1 else "domain", []).append(path.relative_to(ROOT))
    return found


def tests_of(room: str, modules: Sequence[Path]) -> list[str]:
    """The tests of a room: its folder, all measures, and what else names its modules without needing a database."""
    names = {".".join(path.with_suffix("").parts[1:]) for path in modules}
    packages = {name.rpartition(".")[0] for name in names} - {"paymatch.domain"}
    found = []
    for path in sorted((*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "lab" / "tests").glob("test_*.py"))):
        inside = path.relative_to(ROOT).parts[1:]
        if inside[0] not in ("domain", "formats", "house") and path.parent.name != "tests":
            continue
        text = path.read_text("utf-8")
        own = inside[:2] == ("domain", room)
        if own or any(f"from {name} import" in text for name in (*names, *packages)):
            found.append(str(path.relative_to(ROOT)))
    pure, told = ROOT / "tests" / "domain" / room, ROOT / "tests" / "usecases" / room
    if not pure.is_dir() and told.is_dir():  # all that is known of it is told with a database
        found += [str(path.relative_to(ROOT)) for path in sorted(told.glob("test_*.py"))]
    return found


def main() -> int:
    """Samples the rooms; exit code 1 if one lets more live than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--room", action="append", choices=sorted(rooms()), help="this room only; may be repeated")
    parser.add_argument("--count", type=int, default=20, help="mutants per room")
    parser.add_argument("--seed", type=int, action="append", help="draws a sample; repeated, each has its figure")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="mutants that are tried side by side")
    parser.add_argument("--only", default="", help="mutants whose `module: function: change` holds this text")
    given = parser.parse_args()
    failed = False
    for room, modules in rooms().items():
        if given.room and room not in given.room:
            continue
        all_of_it = [mutant for path in modules for mutant in mutants_of(path)]
        if given.only:
            all_of_it = [each for each in all_of_it if given.only in f"{each.module}: {each.key()}"]
        samples = {seed: _sample(all_of_it, given.count, seed) for seed in given.seed or [1]}
        with_all = list(dict.fromkeys(mutant for sample in samples.values() for mutant in sample))
        fates = _tried(tests_of(room, modules), with_all, given.workers)
        for seed, sample in samples.items():
            counts = Counter(fates[mutant] for mutant in sample)
            share = counts[Fate.KILLED] / ((counts[Fate.KILLED] + counts[Fate.LIVES]) or 1)
            failed |= share < GOAL
            drawn = f"{room}, seed {seed}: {len(sample)} of {len(all_of_it)} mutants"
            left = f"{counts[Fate.LIVES]} live, {counts[Fate.CHANGES_NOTHING]} change nothing"
            print(f"{drawn}, {share:.1%} killed, {left}", flush=True)
    return int(failed)


def _sample(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    chance = random.Random(seed)  # a sample that can be drawn again
    return chance.sample(mutants, min(count, len(mutants)))


def _tried(tests: Sequence[str], mutants: Sequence[Mutant], workers: int) -> dict[Mutant, Fate]:
    """What becomes of each mutant; those that live are printed."""
    known = equivalents()
    made = [(mutant, mutant.made()) for mutant in mutants]
    fates = {mutant: Fate.CHANGES_NOTHING for mutant, each in made if each.key in known.get(mutant.module, {})}
    tried = [(mutant, each) for mutant, each in made if mutant not in fates]
    trials = Trials(tests)
    for name in trials.left_out:
        print(f"  left out, it fails while it is watched: {name}", flush=True)
    changes = [Changed(mutant.path, each.text, each.function) for mutant, each in tried]
    for place, noticed in trials.notices(changes, workers):
        mutant, each = tried[place]
        fates[mutant] = Fate.KILLED if noticed else Fate.LIVES
        if not noticed:
            print(f"  lives: {mutant.module}:{each.line} {each.key}", flush=True)
    return fates


if __name__ == "__main__":
    sys.exit(main())
