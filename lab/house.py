"""How much of the house one has to know: modules per flow, lines per room, names, cycles, duplicates.

    PYTHONPATH=src:. python -m lab.house [--write]      or: make measure ARGS="house --write"

Prints the page docs/house.md; `--write` stores it. `lab/tests/test_house.py` keeps what was reached. Each flow runs
once to warm up and once more under `sys.setprofile`; what counts is a module of paymatch whose code was called. The
server in front and work that another process does are not part of a flow.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import grimp
from tests.contract.bank import pay
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import RefundWorld

import paymatch
from lab.house_names import is_participle, named_functions
from paymatch.embedded import running_server
from paymatch.store.database import Database
from paymatch.store.migrate import migrate

PACKAGE: Final = Path(paymatch.__file__).parent
PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "house.md"
ROOMS: Final = (
    "cli", "api", "area", "front", "jobs", "pages", "usecases", "store", "outbound", "embedded", "confined", "formats",
    "domain",
)  # fmt: skip
OF_FIXTURES: Final = frozenset({"formats/mt940/writer.py"})
"""What the simulated bank needs to write its statement."""
SHORT: Final = 60
"""A function whose code has fewer characters in `ast.dump` is too small to be called a duplicate."""
_MIN_STATEMENTS: Final = 2


Way = Mapping[str, int]
"""Module that a flow enters -> lines of its functions that are called."""


class Goal(NamedTuple):
    """A figure of the page: what it counts, what it was, and what it shall be at most; None where that is open."""

    name: str
    before: int
    most: int | None


GOALS: Final = (
    Goal("modules that one `POST /order/{orderNumber}` enters", 37, 28),
    Goal("modules that a statement line up to `PAID` enters", 104, 75),
    Goal("modules that a refund up to its file enters", 53, 40),
    Goal("of these in `usecases/` and `domain/`: order", 17, None),
    Goal("of these in `usecases/` and `domain/`: statement line", 61, None),
    Goal("of these in `usecases/` and `domain/`: refund", 22, None),
    Goal("lines in `usecases/` and `store/`", 32_409, 29_909),
    Goal("cycles between neighbours in a folder, in all rooms", 3, 0),
    Goal("public class names used more than once", 69, 0),
    Goal("functions named by a bare participle", 467, 39),
    Goal("exact duplicates of functions", 2, None),
    Goal("functions longer than 45 lines", 0, 0),
    Goal("files longer than 450 lines", 0, 0),
)


def entered(flow: Callable[[], object]) -> Way:
    """Modules of paymatch whose code a flow calls, in all threads, with the lines of what is called."""
    found: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            found.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        flow()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    way: dict[str, int] = defaultdict(int)
    for code in found:
        path = Path(code.co_filename)
        if code.co_name != "<module>" and path.is_relative_to(PACKAGE):
            way[path.relative_to(PACKAGE).as_posix()] += _lines_of_code(code)
    return {path: lines for path, lines in way.items() if path not in OF_FIXTURES}


def _lines_of_code(code: CodeType) -> int:
    """Lines from the head of a function to its last one; 0 for one within another, whose lines are the other's."""
    if "<locals>" in code.co_qualname:
        return 0
    return max(line for *_, line in code.co_lines() if line is not None) - code.co_firstlineno + 1


def flows(url: str, folder: Path) -> tuple[Way, Way, Way]:
    """What an order, the payment of an order and a refund enter."""
    database = Database(url, size=4, keyring=KEYRING)
    try:
        world = RefundWorld(database, folder)

        def submit(number: str) -> Way:
            return entered(lambda: world.client.submit(number, amount=100))

        def book(number: str) -> Way:
            return entered(lambda: pay(world.client, number, 10_000))

        def refund(number: str) -> Way:
            def flow() -> None:
                tomorrow = (world.clock.now + timedelta(days=1)).strftime("%d-%m-%Y")
                world.file(number, 30, plannedDate=tomorrow)
                world.pass_days(1)
                assert len(world.run().files) == 1

            return entered(flow)

        warm, measured = "SO-70101", "SO-70202"
        for step in (submit, book, refund):
            step(warm)
        return submit(measured), book(measured), refund(measured)
    finally:
        database.close()


def lines_of(room: str) -> int:
    """Lines of Python in a room."""
    return sum(path.read_text("utf-8").count("\n") for path in (PACKAGE / room).rglob("*.py"))


def cycles() -> Mapping[str, list[list[str]]]:
    """Folder -> groups of its members that need each other by imports, where there are such groups."""
    graph = grimp.build_graph("paymatch")
    parents = {name.rpartition(".")[0] for name in graph.modules if "." in name}
    found: dict[str, list[list[str]]] = {}
    for parent in sorted(parents):
        children = graph.find_children(parent)
        arrows: dict[str, set[str]] = defaultdict(set)
        for child in children:
            for module in {child, *graph.find_descendants(child)}:
                for target in graph.find_modules_directly_imported_by(module):
                    other = next((each for each in children if target == each or target.startswith(f"{each}.")), None)
                    if other is not None and other != child:
                        arrows[child].add(other)
        if groups := [sorted(group) for group in components(arrows) if len(group) > 1]:
            found[parent] = groups
    return found


def components(arrows: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """The strongly connected components: members that reach each other."""
    names = {*arrows, *(target for targets in arrows.values() for target in targets)}

    def reached(start: str) -> set[str]:
        seen, todo = set[str](), [start]
        while todo:
            for target in arrows.get(todo.pop(), set()) - seen:
                seen.add(target)
                todo.append(target)
        return seen

    reach = {name: reached(name) for name in names}
    done: set[str] = set()
    for name in sorted(names):
        if name not in done:
            group = {name, *(other for other in reach[name] if name in reach[other])}
            done |= group
            yield group


def trees() -> dict[str, ast.Module]:
    """Path below the package -> its syntax, without what Django wrote."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if "migrations" not in path.parts)
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


def repeated_classes(modules: Mapping[str, ast.Module]) -> list[str]:
    """Public class names that several modules declare."""
    found = Counter(
        node.name
        for tree in modules.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return sorted(name for name, count in found.items() if count > 1)


def duplicates(modules: Mapping[str, ast.Module]) -> list[list[str]]:
    """Functions with the same body of at least two statements, whatever they are called."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in modules.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = [each for each in node.body if not _is_docstring(each)]
                text = ast.dump(node.args) + "".join(ast.dump(each) for each in body)
                if len(body) >= _MIN_STATEMENTS and len(text) > SHORT:
                    found[text].append(f"{path}:{node.name}")
    return [places for places in found.values() if len(places) > 1]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def long_functions(modules: Mapping[str, ast.Module], most: int = 45) -> list[str]:
    """Functions with more lines than fit a screen."""
    return [
        f"{path}:{node.name}"
        for path, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno >= most
    ]


def participles(modules: Mapping[str, ast.Module]) -> list[str]:
    """Functions whose name is a bare participle, as path:name."""
    return [f"{path}:{name}" for path, tree in modules.items() for name in named_functions(tree) if is_participle(name)]


def figures(ways: tuple[Way, Way, Way]) -> list[int]:
    """The figures in the order of GOALS."""
    modules = trees()
    decisions = [sum(path.startswith(("usecases/", "domain/")) for path in way) for way in ways]
    found = [
        *map(len, ways),
        *decisions,
        lines_of("usecases") + lines_of("store"),
        sum(len(groups) for groups in cycles().values()),
        len(repeated_classes(modules)),
        len(participles(modules)),
        len(duplicates(modules)),
        len(long_functions(modules)),
        sum(path.read_text("utf-8").count("\n") > 450 for path in PACKAGE.rglob("*.py")),
    ]
    assert len(found) == len(GOALS)
    return found


def page(ways: tuple[Way, Way, Way]) -> str:
    """docs/house.md."""
    lines = [_HEAD, "| what | before | goal | now | result |", "|---|---|---|---|---|"]
    for goal, now in zip(GOALS, figures(ways), strict=True):
        most = "" if goal.most is None else f"at most {goal.most:,}" if goal.most else "0"
        verdict = "" if goal.most is None else "reached" if now <= goal.most else f"missed by {now - goal.most:,}"
        lines.append(f"| {goal.name} | {goal.before:,} | {most} | {now:,} | {verdict} |")
    lines += ["", "## Lines per room", "", "| room | lines |", "|---|---|"]
    lines += [f"| `{room}/` | {lines_of(room):,} |" for room in ROOMS]
    for title, way in zip(("An order", "A statement line", "A refund"), ways, strict=True):
        whole = sum((PACKAGE / path).read_text("utf-8").count("\n") for path in way)
        called = sum(way.values())
        lines += ["", f"## {title}: the modules that are entered", ""]
        lines += [f"{len(way)} modules of {whole:,} lines; the functions that are called have {called:,}.", ""]
        rooms: dict[str, list[str]] = defaultdict(list)
        for path in sorted(way):
            room, _, rest = path.partition("/")
            rooms[room if rest else ""].append(rest or room)
        lines += [
            f"- {f'`{room}/`' if room else 'in no room'} ({len(paths)}): {', '.join(f'`{each}`' for each in paths)}"
            for room, paths in rooms.items()
        ]
    return "\n".join(lines) + "\n"


_HEAD: Final = """# The house in figures

Written by `make measure ARGS="house --write"`; `lab/house.py` says how each figure is counted. "Before" is what it
finds at commit 041ced6, with which work on the structure began. `lab/tests/test_house.py` keeps what was reached.

A flow is what the process does between the parsed request, or the opened file, and the committed transaction. A module
counts once a function of it was called.

The goals were set when the product had 93,563 lines; it decides more by now before an order is `PAID`: a line of a
statement is tried as a settlement, an advice, a returned refund and a transfer between own accounts before an order is
looked for. What was one thought is one module; joining what is left would put two thoughts into one file, or pass 450
lines.
"""


def main() -> int:
    """Measures, and prints or writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/house.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paymatch-house-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o711)
        with running_server(folder, durable=False) as url:
            migrate(url)
            text = page(flows(url, folder / "files"))
    if options.write:
        PAGE.write_text(text, "utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
