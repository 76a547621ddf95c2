"""Where things are: the rooms of the house as the code has them, with what each says of itself in its first line."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_PACKAGE: Final = _ROOT / "src" / "paymatch"
_WIDTH: Final = 30


def picture() -> str:
    """The rooms from the one that may import all others to the one that imports none; a room's folders below it."""
    lines: list[str] = []
    for floor in floors():
        for room in floor:
            lines += _drawn(_PACKAGE / room, 0)
    return "".join(f"    {line}\n" for line in lines)


def floors() -> list[list[str]]:
    """The layers that import-linter checks, from the top."""
    settings = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(each for each in contracts if each.get("containers") == ["paymatch"])["layers"]
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def _drawn(place: Path, depth: int) -> Iterator[str]:
    """The line of a room or module, and of the rooms inside."""
    source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    said = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
    name = "  " * depth + (f"{place.name}/" if place.is_dir() else f"{place.name}.py")
    first = said.partition("\n")[0].rstrip(".")
    if first:
        yield f"{name:<{_WIDTH}}{first}"
    if place.is_dir() and depth < 1:
        for inner in sorted(each for each in place.iterdir() if (each / "__init__.py").is_file()):
            yield from _drawn(inner, depth + 1)
