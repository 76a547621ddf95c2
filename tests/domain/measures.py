"""Every measure of the domain in one list: limits, terms, weights, and what a field is where nothing is said.

`python -m tests.domain.measures` writes `measures.txt` anew. What differs then is a measure that somebody changes on
purpose: documents and the other tests say what it is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final
from uuid import UUID

import paymatch.domain

ROOT: Final = Path(paymatch.domain.__file__).parent
FILE: Final = Path(__file__).parent / "measures.txt"
_PLAIN: Final = (bool, int, float, Decimal, Fraction, timedelta, time, date, UUID, range)


def measures() -> Iterator[str]:
    """`module.NAME = value`, by module and name."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        if path.name != "__init__.py":
            module = import_module(f"paymatch.domain.{name}")
            yield from (f"{name}.{line}" for line in sorted([*_constants(module), *_defaults(module)]))


def _constants(module: ModuleType) -> Iterator[str]:
    text = Path(str(module.__file__)).read_text("utf-8")
    for name, value in vars(module).items():
        if name.isupper() and f"\n{name}" in text and _is_plain(value):
            yield f"{name} = {_shown(value)}"


def _defaults(module: ModuleType) -> Iterator[str]:
    for owner, kind in vars(module).items():
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        given = getattr(kind, "_field_defaults", {})
        if is_dataclass(kind):
            given = {field.name: field.default for field in fields(kind) if field.default is not MISSING}
        for name, value in given.items():
            if _is_plain(value) and value is not None:
                yield f"{owner}.{name} = {_shown(value)}"


def _is_plain(value: object) -> bool:
    """True for a number, a day or a time, and for tables of them."""
    if isinstance(value, Mapping):
        return bool(value) and all(map(_is_plain, value.values()))
    if isinstance(value, (tuple, frozenset)):
        return bool(value) and any(map(_is_plain, value)) and all(_is_plain(e) or isinstance(e, str) for e in value)
    return isinstance(value, _PLAIN) and not isinstance(value, Enum)


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_shown(key)}: {_shown(each)}" for key, each in value.items()) + "}"
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(_shown, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_shown, value)) + ")"
    return str(value)


def write() -> None:
    """Writes the list."""
    FILE.write_text("".join(f"{line}\n" for line in measures()), "utf-8")


if __name__ == "__main__":
    write()
