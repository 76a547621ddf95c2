"""The constants that hypothesis draws among random values: those of the package, whatever a process has loaded.

By itself hypothesis takes them from the modules that are loaded at the moment. Commands and pages load modules when
they are used, so the examples of a test depended on the tests that its process had run before: by chance, since idle
workers take tests from busy ones.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants, constants_from_module

_PACKAGE: Final = Path(__file__).parents[1] / "src" / "paymatch"


@cache
def package_constants() -> Constants:
    """The constants in the source of paymatch; hypothesis keeps those of each file on disk."""
    found = Constants()
    for path in sorted(_PACKAGE.rglob("*.py")):
        module = ModuleType(path.stem)
        module.__file__ = str(path)
        found |= constants_from_module(module)
    return found


def draw_from_package() -> None:
    """All examples of this process are drawn with the constants of the package."""
    setattr(providers, "_get_local_constants", package_constants)  # noqa: B010  its public settings have no such choice
