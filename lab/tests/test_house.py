"""The house keeps what was reached: no cycles, one class per name, names that say what is done, short flows."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from lab import house
from lab.house_names import is_participle, named_functions


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    """The syntax of the package."""
    return house.trees()


def written() -> list[int]:
    """The column "now" of docs/house.md."""
    rows = re.findall(r"^\| .+? \| [\d,]+ \| [^|]*\| ([\d,]+) \|", house.PAGE.read_text("utf-8"), re.MULTILINE)
    return [int(row.replace(",", "")) for row in rows]


def test_the_page_has_every_figure() -> None:
    assert len(written()) == len(house.GOALS)


def test_public_class_names_are_unique(modules: dict[str, ast.Module]) -> None:
    assert house.repeated_classes(modules) == []


def test_no_cycle_is_added() -> None:
    assert sum(len(groups) for groups in house.cycles().values()) <= written()[7]


def test_few_functions_are_named_by_a_bare_participle(modules: dict[str, ast.Module]) -> None:
    assert len(house.participles(modules)) <= written()[9]


def test_flows_enter_no_more_modules_than_the_page_says(module_url: str, tmp_path: Path) -> None:
    ways = house.flows(module_url, tmp_path)
    assert all(len(way) <= most for way, most in zip(ways, written(), strict=False))
    assert "usecases/settlement/ledger.py" in ways[1]
    assert "formats/sepa/pain001.py" in ways[2]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("listed", True), ("_told", True), ("failing", True), ("_held", True), ("posting", False), ("_wording", False),
        ("need", False), ("held_refunds", False), ("open", False), ("read", False), ("list_aliases", False),
    ],
)  # fmt: skip
def test_the_rule_of_names(name: str, expected: bool) -> None:
    assert is_participle(name) is expected


def test_properties_are_values_and_nested_functions_count() -> None:
    text = "class A:\n    @property\n    def settled(self): ...\n    def told(self):\n        def failed(): ...\n"
    assert list(named_functions(ast.parse(text))) == ["told", "failed"]


def test_members_that_reach_each_other_are_a_cycle() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set[str]()}
    assert sorted(sorted(group) for group in house.components(arrows)) == [["a", "b", "c"], ["d"], ["e"]]


def test_equal_functions_are_duplicates_whatever_they_are_called() -> None:
    one, other = (
        "def a(x):\n    y = x + 1\n    return y * 2\n",
        "def b(x):\n    '''Words.'''\n    y = x + 1\n    return y * 2\n",
    )
    small = "def c(x):\n    return x\n"
    found = house.duplicates({"one.py": ast.parse(one + small), "other.py": ast.parse(other + small)})
    assert found == [["one.py:a", "other.py:b"]]
