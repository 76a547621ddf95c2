"""Pages for merchants read easily, no page is too long, and measurements stay in the laboratory."""

from __future__ import annotations

import re

import pytest
from lab.readability import LEAST_EASE, MOST_MEDIAN, MOST_WORDS, ROOT, for_merchants, readability_of, sentences_of

LONGEST_PAGE = 1500
LONGEST_DECISION = 485
REFERENCE = frozenset(
    {
        "api", "bank-formats-text", "bank-formats", "clerks-rules", "command-line", "customer-terms", "evidence",
        "glossary", "house", "privacy", "security", "states", "where", "witnesses",
    }
)  # fmt: skip
_WORD = re.compile(r"[A-Za-zÀ-ž]+(?:['-][A-Za-zÀ-ž]+)*")
"""Pages in which one looks something up; the others are read from beginning to end."""


@pytest.mark.parametrize("page", sorted(for_merchants()))
def test_a_page_for_merchants_reads_easily(page: str) -> None:
    found = readability_of((ROOT / page).read_text("utf-8"))
    assert found.ease >= LEAST_EASE
    assert found.median_words <= MOST_MEDIAN
    assert [each for each in found.sentences if len(_WORD.findall(each)) > MOST_WORDS] == []


def test_no_page_is_longer_than_one_reads() -> None:
    pages = [path for path in (ROOT / "docs").glob("*.md") if path.stem not in REFERENCE]
    long = {path.name: count for path in pages if (count := len(path.read_text("utf-8").split())) > LONGEST_PAGE}
    assert long == {}


def test_a_decision_is_at_most_a_page() -> None:
    pages = (ROOT / "docs" / "decisions").glob("[0-9]*.md")
    long = {path.name: count for path in pages if (count := len(path.read_text("utf-8").split())) > LONGEST_DECISION}
    assert long == {}


def test_what_enforces_a_decision_is_there() -> None:
    named = re.compile(r"`((?:tests|lab|client|deploy)/[\w./-]+)(?:::\w+)?`")
    missing = [
        f"{path.name}: {name}"
        for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")
        for name in named.findall(path.read_text("utf-8"))
        if not (ROOT / name).exists()
    ]
    assert missing == []


def test_measurements_stay_in_the_laboratory() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    journal = re.compile(r"\bseeds? \d|\bload \d|\bat commit\b|--seed\b")
    found = {path.name for path in pages if path.name != "house.md" and journal.search(path.read_text("utf-8"))}
    assert found == set()


def test_sentences_are_found_where_they_are() -> None:
    text = "# Title\n\nOne two. `code` three four: five.\n\n- six\n- seven [eight](x.md)\n\n    code\n\n| a | b |\n"
    assert list(sentences_of(text)) == ["One two.", "code three four: five.", "six", "seven eight"]
