"""docs/glossary.md: one word for one thing, each with its source and places that exist."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tools.documents.terms import TERMS, Term

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = {path.name[:3] for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")}


def test_no_word_and_no_meaning_is_there_twice() -> None:
    assert [word for word, count in Counter(term.word.lower() for term in TERMS).items() if count > 1] == []
    assert [meaning for meaning, count in Counter(term.meaning for term in TERMS).items() if count > 1] == []


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.word)
def test_a_term_has_a_source_and_places_that_exist(term: Term) -> None:
    assert term.source
    assert [place for place in term.places if not (ROOT / "src" / "paymatch" / place).exists()] == []
    assert [page for page in re.findall(r"docs/\S+\.md", term.source) if not (ROOT / page).is_file()] == []


@pytest.mark.parametrize(
    "word",
    [
        "credited",
        "audit entry",
        "fee",
        "identity key",
        "release",
        "rematch index",
        "remittance signals",
        "resolved posting",
        "scope",
        "sealing",
        "statement channel",
        "statement line",
        "tariff",
        "withheld",
    ],
)
def test_the_words_of_money_and_books_are_explained(word: str) -> None:
    assert [term.word for term in TERMS].count(word) == 1


def test_decisions_that_are_named_have_their_page() -> None:
    named = {f"{int(number):03}" for term in TERMS for number in re.findall(r"D-(\d+)", term.source)}
    assert named - DECISIONS == set()
