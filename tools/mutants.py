"""Mutants of the pure core: `make mutants` changes one operator at a time, and prints the changes that no test notices.

A seeded sample per room of `domain/`: each mutant is a copy of the source with one comparison, operator, condition or
number changed; the room's own tests run on it until one fails. Exit code 1 if a room kills less than it must.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DOMAIN: Final = Path("src/paymatch/domain")
GOAL: Final = 0.92
SECONDS: Final = 600
"""A mutant that runs for so long is dead: it never ends."""

_COMPARISONS: Final = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATORS: Final = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_CALLS: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change: the node of that place in its tree, and which of its changes."""

    path: Path
    place: int
    choice: int

    def made(self) -> tuple[str, str]:
        """The changed source, and the change in words."""
        tree = ast.parse((ROOT / self.path).read_text("utf-8"))
        node = list(ast.walk(tree))[self.place]
        statement = next(each for each in ast.walk(tree) if isinstance(each, ast.stmt) and node in _own(each))
        before = _line(statement)
        list(_changes(node))[self.choice](node)
        where = f"{self.path.relative_to(DOMAIN)}:{getattr(node, 'lineno', statement.lineno)}"
        return ast.unparse(tree), f"{where}: {before}  ->  {_line(statement)}"


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a module."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    untouched = {id(inner) for node in ast.walk(tree) for part in _declarations(node) for inner in ast.walk(part)}
    return [
        Mutant(path, place, choice)
        for place, node in enumerate(ast.walk(tree))
        if id(node) not in untouched
        for choice, _ in enumerate(_changes(node))
    ]


def _declarations(node: ast.AST) -> Iterator[ast.AST]:
    """What says nothing about what is done: annotations, decorators, assertions (`strict` is one), lone texts."""
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
        case ast.keyword(arg="strict"):
            yield node


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of the statements within it."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield from (inner for inner in ast.walk(child) if not isinstance(inner, ast.stmt))
    yield statement


def _line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:110]


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
        case ast.If() | ast.IfExp() | ast.While():
            yield lambda twin: setattr(twin, "test", ast.UnaryOp(ast.Not(), twin.test))
        case ast.Constant(value=bool()):
            yield lambda twin: setattr(twin, "value", not twin.value)
        case ast.Constant(value=int() | float()):
            yield lambda twin: setattr(twin, "value", twin.value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS:
            yield lambda twin: setattr(twin.func, "id", _CALLS[twin.func.id])


def rooms() -> dict[str, list[Path]]:
    """The rooms of the domain with their modules; what lies in none is the room `domain`."""
    found: dict[str, list[Path]] = {}
    for path in sorted((ROOT / DOMAIN).rglob("*.py")):
        if path.name != "__init__.py":
            parts = path.relative_to(ROOT / DOMAIN).parts
            found.setdefault(parts[0] if len(parts) > 1 else "domain", []).append(path.relative_to(ROOT))
    return found


def tests_of(room: str, modules: Sequence[Path]) -> list[str]:
    """The tests of a room: its folder, and what else names its modules without needing a database or a browser."""
    names = {".".join(path.with_suffix("").parts[1:]) for path in modules}
    packages = {name.rpartition(".")[0] for name in names} - {"paymatch.domain"}
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        inside = path.relative_to(ROOT / "tests").parts
        if inside[0] not in ("domain", "formats", "house"):
            continue
        text = path.read_text("utf-8")
        if ("domain", room) == inside[:2] or any(f"from {name} import" in text for name in (*names, *packages)):
            found.append(str(path.relative_to(ROOT)))
    own = [ROOT / "tests" / "domain" / room, ROOT / "tests" / "usecases" / room]
    if not own[0].is_dir() and own[1].is_dir():  # all that is known of it is told with a database
        found += [str(path.relative_to(ROOT)) for path in sorted(own[1].glob("test_*.py"))]
    return found


class Laboratory:
    """A copy of the source in which one module at a time is another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("tests", "benchmarks", "tools", "docs", "pyproject.toml", "CONTRIBUTING.md", "README.md"):
            (folder / name).symlink_to(ROOT / name)

    def notices(self, tests: Sequence[str], path: Path | None = None, text: str = "") -> bool:
        """Whether a test fails while a module says this instead."""
        if path is not None:
            (self._folder / path).write_text(text, "utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        source = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{self._folder / 'src'}:{self._folder}"}
        try:
            done = subprocess.run(
                command, cwd=self._folder, env=os.environ | source, capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return True
        finally:
            if path is not None:
                shutil.copyfile(ROOT / path, self._folder / path)
        return done.returncode != 0


def main() -> int:
    """Samples the rooms; exit code 1 if one lets more live than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--room", action="append", choices=sorted(rooms()), help="this room only; may be repeated")
    parser.add_argument("--count", type=int, default=20, help="mutants per room")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="paymatch-mutants-") as name:
        laboratory = Laboratory(Path(name))
        for room, modules in rooms().items():
            if given.room and room not in given.room:
                continue
            tests = tests_of(room, modules)
            if not tests or laboratory.notices(tests):
                sys.exit(f"{room}: its tests fail without a mutant, or there are none")
            all_of_it = [mutant for path in modules for mutant in mutants_of(path)]
            chance = random.Random(given.seed)  # noqa: S311  a sample that can be drawn again
            sample = chance.sample(all_of_it, min(given.count, len(all_of_it)))
            alive = 0
            for mutant in sample:
                text, words = mutant.made()
                if not laboratory.notices(tests, mutant.path, text):
                    alive += 1
                    print(f"  lives: {words}", flush=True)
            killed = 1 - alive / len(sample)
            failed |= killed < GOAL
            print(f"{room}: {len(sample)} of {len(all_of_it)} mutants, {killed:.0%} killed", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
