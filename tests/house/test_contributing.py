"""CONTRIBUTING.md: the walks through the code lead along files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECTION = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n## Three walks through the code\n")[1]
WALKS = re.split(r"\n(?=An order, |A bank statement, |A refund, )", SECTION)[1:]


@pytest.mark.parametrize("walk", WALKS, ids=["order", "statement", "refund"])
def test_every_step_of_a_walk_is_a_file(walk: str) -> None:
    steps = re.findall(r"^- `(\S+\.py)`: \S", walk, re.MULTILINE)
    assert len(steps) == walk.count("\n- ") >= 10
    named = re.findall(r"`([a-z0-9_/]+\.py)`", walk)
    assert [name for name in named if not (ROOT / "src" / "paymatch" / name).is_file()] == []
