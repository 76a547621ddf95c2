"""docs/security.md names for each promise the tests that hold it: they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def promises() -> list[tuple[str, list[tuple[str, str]]]]:
    """(promise, the files and tests named for it) of each row of the table."""
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    table = text.partition("| promise | held by | test |\n")[2].partition("\n\n")[0].splitlines()[1:]
    return [(row.split("|")[1].strip(), NAMED.findall(row.split("|")[3])) for row in table]


@pytest.mark.parametrize(
    ("promise", "named"), promises(), ids=lambda value: value[:60] if isinstance(value, str) else ""
)
def test_each_promise_names_tests_that_exist(promise: str, named: list[tuple[str, str]]) -> None:
    assert named, promise
    for path, test in named:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        tests = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
        assert tests
        assert not test or test in tests, f"{path} has no {test}"


def test_every_chapter_of_the_standard_is_spoken_of() -> None:
    """ASVS 5.0 has 17 chapters; the last is about WebRTC."""
    table = (
        (ROOT / "docs" / "security.md").read_text("utf-8").partition("| chapter | requirement in short | how |\n")[2]
    )
    chapters = [int(number) for number in re.findall(r"^\| V(\d+) ", table, re.MULTILINE)]
    assert list(dict.fromkeys(chapters)) == list(range(1, 18))


def test_table_is_read() -> None:
    assert len(promises()) >= 20
