"""Comments and documents name only what the repository has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tools.documents.where import SUBJECTS, first_sentence, modules

ROOT = Path(__file__).resolve().parents[2]
_ELSEWHERE = re.compile(r"DESIGN\.md|\bAPI document\b|\b[Ee]ndpoints? \d+\b")
_PAGES = re.compile(r"(?<![^.\w]/)\bdocs/[a-z0-9/-]+\.md")
_DECISIONS = re.compile(r"\bD-(\d{1,3})\b")
_SECTIONS = re.compile(r"docs/api\.md, ([A-Z]\w+(?: and answers)?)")
_KINDS = {".py", ".md", ".toml", ".sql", ".html", ".sh", ".yml"}


def texts() -> dict[str, str]:
    """Path -> text of each file that people read, without this test."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    paths = [ROOT / name for name in listed if Path(name).suffix in _KINDS and name != "tests/house/test_references.py"]
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths if path.is_file()}


def test_nothing_names_a_document_that_the_repository_lacks() -> None:
    found = {(name, match) for name, text in texts().items() for match in _ELSEWHERE.findall(" ".join(text.split()))}
    assert found == set()


def test_pages_that_are_named_exist() -> None:
    found = {(name, page) for name, text in texts().items() if name != "CHANGELOG.md" for page in _PAGES.findall(text)}
    assert {(name, page) for name, page in found if not (ROOT / page).is_file()} == set()


def test_decisions_that_are_named_have_their_page() -> None:
    known = {path.name[:3] for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")}
    found = {(name, number) for name, text in texts().items() for number in _DECISIONS.findall(text)}
    assert {(name, number) for name, number in found if f"{int(number):03}" not in known} == set()


def test_sections_of_the_api_that_are_named_exist() -> None:
    headings = set(re.findall(r"^##+ (.+)$", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE))
    named = {section for text in texts().values() for section in _SECTIONS.findall(" ".join(text.split()))}
    assert {"Orders", "Order", "Limits"} <= named
    assert named - headings == set()


def test_every_module_has_a_subject_and_says_what_it_knows() -> None:
    found = modules()
    assert [subject for subject in SUBJECTS if not found[subject]] == []
    every = [path for paths in found.values() for path in paths]
    assert len(every) == len(set(every)) > 800
    assert [path for path in every if not first_sentence(path)] == []
