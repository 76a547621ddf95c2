"""Five tasks of new readers: found within three clicks from the landing page, and described on one page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MOST_CLICKS = 3
TASKS = {
    "first paid order": ("first-paid-order.md", "README.md:first-paid-order"),
    "import a statement": ("how-to-import-a-statement.md", "paymatch statement import SHOP statement.xml"),
    "refund": ("how-to-refund.md", "paymatch refunds create SHOP A-1001 10.00"),
    "close a month": ("how-to-close-a-month.md", "paymatch close SHOP 2026-10 --yes"),
    "restore a backup": ("how-to-restore.md", "paymatch restore today.backup"),
}
_LINK = re.compile(r"\]\(([\w/-]+\.md)(?:#[\w-]+)?\)")


def clicks_from(start: Path) -> dict[str, int]:
    """How many clicks each page is away."""
    found, reached = {start.name: 0}, [start]
    for page in reached:
        for target in _LINK.findall(page.read_text("utf-8")):
            path = (page.parent / target).resolve()
            if path.name not in found and path.is_file():
                found[path.name] = found[page.name] + 1
                reached.append(path)
    return found


@pytest.mark.parametrize("start", [DOCS / "index.md", ROOT / "README.md"], ids=lambda path: path.name)
def test_each_task_is_found_within_three_clicks(start: Path) -> None:
    clicks = clicks_from(start)
    assert {task: clicks[page] for task, (page, _) in TASKS.items() if clicks[page] > MOST_CLICKS} == {}
    if start.name == "index.md":
        assert {clicks[page] for page, _ in TASKS.values()} == {1}


@pytest.mark.parametrize(("page", "command"), TASKS.values(), ids=TASKS)
def test_a_task_is_done_without_another_page(page: str, command: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    assert command in text
    steps = re.findall(r"^\d\. (.*)$", text, re.MULTILINE)
    assert [step for step in steps if re.fullmatch(r"(?:\w+ )?\[[^\]]*\]\([^)]*\)\.?", step)] == []


@pytest.mark.parametrize("page", [page for page, _ in TASKS.values()])
def test_what_a_step_names_is_a_text_of_the_merchant_area(page: str) -> None:
    with (ROOT / "src/paymatch/area/locale/de/LC_MESSAGES/django.po").open("rb") as file:
        shown = {
            message.id if isinstance(message.id, str) else message.id[0] for message in read_po(file) if message.id
        }
    steps = re.findall(r"^\d\. .*(?:\n   \S.*)*", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    named = {name for step in steps for name in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", step)}
    assert sorted(named - shown) == []
