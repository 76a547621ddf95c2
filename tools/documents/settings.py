"""The table of all settings in docs/settings.md, printed from the class that reads them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, Final

from paymatch.settings import Settings

_ROOT: Final = Path(__file__).resolve().parents[2]
_PAGE: Final = _ROOT / "docs" / "settings.md"
_SOURCE: Final = _ROOT / "src" / "paymatch" / "settings.py"
_BEGIN: Final = "<!-- settings: written by `make docs` -->"
_END: Final = "<!-- end of settings -->"
_MADE: Final = {"data_dir": "the user's data directory; `/var/lib/paymatch` for root"}
"""Defaults that are made on the machine."""


def variables() -> str:
    """The page with the table as the code has it today."""
    before, _, rest = _PAGE.read_text("utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{_table()}\n{_END}{after}"


def explanations() -> dict[str, str]:
    """Setting -> what its text in the class says, in the order of the class."""
    tree = ast.parse(_SOURCE.read_text("utf-8"))
    (found,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == Settings.__name__)
    said: dict[str, str] = {}
    for place, each in enumerate(found.body):
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            after = found.body[place + 1] if place + 1 < len(found.body) else None
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            said[each.target.id] = " ".join(str(text).split())
    return said


def _table() -> str:
    lines = ["| variable | what it decides | default |", "|---|---|---|"]
    for name, words in explanations().items():
        lines.append(f"| `PAYMATCH_{name.upper()}` | {words.replace('|', chr(92) + '|')} | {_default(name)} |")
    return "".join(f"{line}\n" for line in lines)


def _default(name: str) -> str:
    if name in _MADE:
        return _MADE[name]
    value: Any = Settings.model_fields[name].default
    if isinstance(value, bool):
        return f"`{int(value)}`"
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return f"`{value}`" if value not in (None, "") else ""
