"""Ways through the code lead along files that exist, and leave none of a room out."""

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


SOURCE = ROOT / "src" / "paymatch"
CHANGES = (
    (ROOT / "CONTRIBUTING.md")
    .read_text("utf-8")
    .split("\n## Six changes and the files that they touch\n")[1]
    .split("\n## ")[0]
)
MOST = {
    "bank format": 3, "kind of evidence": 4, "endpoint": 3, "passive field": 1, "page of the merchant area": 4,
    "language of the merchant area": 2,
}  # fmt: skip


@pytest.mark.parametrize("change", MOST)
def test_a_change_touches_few_files_that_exist(change: str) -> None:
    found = re.search(rf"^An? {change}.*, (\d) files?:\n\n((?:- .+\n)+)", CHANGES, re.MULTILINE)
    assert found is not None
    steps = re.findall(r"^- `(\S+)`.*: \S", found[2], re.MULTILINE)
    assert len(steps) == int(found[1]) <= MOST[change]
    old = [step for step in steps if not re.search(r"\b(NAME|XX)\b", step)]
    assert [step for step in old if not (SOURCE / step).is_file()] == []


@pytest.mark.parametrize(
    ("page", "rooms"),
    [
        ("booking-files", ("domain/books", "usecases/statements/booking")),
        ("camt-files", ("formats/camt",)),
        ("matching-files", ("domain/matching", "usecases/matching")),
    ],
)
def test_a_room_is_explained_file_by_file(page: str, rooms: tuple[str, ...]) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z0-9_/]+\.py)`", text))
    modules = {path.relative_to(SOURCE).as_posix() for room in rooms for path in (SOURCE / room).rglob("[a-z]*.py")}
    assert [
        module for module in sorted(modules) if not any(module.endswith(f"/{name}") or module == name for name in named)
    ] == []
    every = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/**/*.py")}
    every |= {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")}
    assert [
        name for name in sorted(named) if not any(path == name or path.endswith(f"/{name}") for path in every)
    ] == []
