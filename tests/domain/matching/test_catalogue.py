"""The catalogue of evidence: each kind is told from all others, and none is looked for by the letters of its code."""

from __future__ import annotations

import ast
from pathlib import Path

import paymatch.domain.matching
from paymatch.domain.matching.catalogue import CATALOGUE, NUMBER, Family
from paymatch.domain.matching.prepare import KeyKind
from paymatch.domain.matching.text.numbers import Form
from paymatch.domain.words.sentences.evidence import SENTENCES

ENGINE = Path(paymatch.domain.matching.__file__).parent


def test_no_two_kinds_are_alike() -> None:
    assert len({(row.code, row.said) for row in CATALOGUE}) == len(CATALOGUE)


def test_kinds_of_one_code_differ_in_words_and_weight_only() -> None:
    """Learning shifts a code's weight for all of them, and a match has one flag for a code."""
    told = {row.code: (row.family, row.flag) for row in CATALOGUE}
    assert [row.code for row in CATALOGUE if told[row.code] != (row.family, row.flag)] == []


def test_every_kind_has_a_sentence() -> None:
    assert [row.code for row in CATALOGUE if (row.said or row.code) not in SENTENCES] == []


def test_every_number_that_names_an_order_is_a_kind() -> None:
    named = {(kind.name.lower(), form.name.lower()) for kind in KeyKind if kind < KeyKind.CUSTOMER for form in Form}
    assert set(NUMBER) == named
    assert {row.family for row in NUMBER.values()} == {Family.NUMBER}


def test_rules_ask_for_kinds_and_families() -> None:
    """No module of the engine but the catalogue writes a code, so that none compares with one."""
    codes = {row.code for row in CATALOGUE}
    found = []
    for path in sorted(ENGINE.rglob("*.py")):
        if path.name == "catalogue.py":
            continue
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare | ast.Subscript | ast.Set | ast.Dict):
                texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                found += [f"{path.name}:{node.lineno} {text}" for text in texts if text in codes]
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "startswith":
                found += [
                    f"{path.name}:{node.lineno}" for each in ast.walk(node.func) if getattr(each, "attr", "") == "code"
                ]
    assert found == []
