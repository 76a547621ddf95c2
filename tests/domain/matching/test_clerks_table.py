"""The table of the clerk's rules is whole: every rule is asked, every sentence that one gives is in its row."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from paymatch.domain.matching.clerk import named, one, several, unnamed
from paymatch.domain.matching.clerk.table import TABLE, Situation
from paymatch.domain.words.english import SENTENCES

ROWS = [row for rows in TABLE.values() for row in rows]
OF_FEES = {"kept-other-stated", "kept-unlike-before", "kept-confirm", "kept-other-kind", "charges-too-high"}
"""What the terms of a payer say (`domain/orders/fees.py`)."""


def _functions(module: object) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(Path(str(module.__file__)).read_text())  # type: ignore[attr-defined]
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _said_by(name: str, functions: dict[str, ast.FunctionDef]) -> set[str]:
    """Codes of the sentences that the function and its helpers make."""
    found: set[str] = set()
    for node in ast.walk(functions[name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "Message":
                code = node.args[0]
                assert isinstance(code, ast.Constant)
                found.add(str(code.value))
            elif node.func.id in functions:
                found |= _said_by(node.func.id, functions)
    return found


@pytest.mark.parametrize(
    "module", [one, named, unnamed, several], ids=lambda module: module.__name__.rpartition(".")[2]
)
def test_every_rule_is_asked_and_gives_what_its_row_says(module: object) -> None:
    functions = _functions(module)
    rows = {row.rule.__name__: row for row in ROWS if row.rule.__module__ == module.__name__}  # type: ignore[attr-defined]
    assert set(rows) == {name for name in functions if not name.startswith("_")}
    for name, row in rows.items():
        assert set(row.messages) - OF_FEES == _said_by(name, functions), name
        assert row.rule.__doc__, name


def test_every_situation_has_its_rules() -> None:
    assert set(TABLE) == set(Situation)
    assert [code for row in ROWS for code in row.messages if code not in SENTENCES] == []
    assert all(rows[0].rule is one.lapsed for rows in TABLE.values())
