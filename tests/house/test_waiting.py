"""No test fails because a machine is busy or midnight is near: deadlines, ports and days come from one place each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parents[1]
ELSEWHERE: Final = {
    r"monotonic\(\) \+ (?!PATIENCE_SECONDS)": "a deadline of a test's own; use wait_until or PATIENCE_SECONDS",
    r"set_default_timeout|timeout=[\d_]+_000\b": "tests/chromium.py sets what a browser waits",
    r"\bbind\(\(\"127\.0\.0\.1\", 0\)\)": "a port that is taken before a process listens; use free_port",
    r"\bdate\.today\(\)": "the day of the machine, which is not that of a shop towards midnight",
}
"""Pattern -> what is wrong with it."""
HERE: Final = {TESTS / "waiting.py", TESTS / "chromium.py", Path(__file__)}


@pytest.mark.parametrize("pattern", ELSEWHERE)
def test_nothing_is_waited_for_in_a_way_of_its_own(pattern: str) -> None:
    found = [
        f"{path.relative_to(TESTS)}: {line.strip()}: {ELSEWHERE[pattern]}"
        for path in sorted(TESTS.rglob("*.py"))
        if path not in HERE
        for line in path.read_text("utf-8").splitlines()
        if re.search(pattern, line)
    ]
    assert found == []
