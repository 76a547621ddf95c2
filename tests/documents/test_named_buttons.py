"""What a document calls by the words of a page, in italics, is called so on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "src/paymatch/area/locale/de/LC_MESSAGES/django.po"
OF_OTHERS = {"connectors.md", "customer-terms.md"}
"""Pages that name buttons of shop systems, and words of laws and letters."""
TYPED = {"My tea shop"}
_ITALIC = re.compile(r"(?<![*\w])\*([A-Z][A-Za-z ,-]+)\*(?![*\w])")


@pytest.fixture(scope="module")
def texts() -> set[str]:
    with CATALOGUE.open("rb") as file:
        ids = [list(entry.id) if isinstance(entry.id, tuple) else [str(entry.id)] for entry in read_po(file)]
    return {text.casefold() for texts in ids for text in texts}


@pytest.mark.parametrize(
    "page",
    [path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in OF_OTHERS],
    ids=lambda path: path.name,
)
def test_the_words_of_a_page_are_those_that_it_shows(page: Path, texts: set[str]) -> None:
    named = set(_ITALIC.findall(page.read_text("utf-8"))) - TYPED
    assert sorted(each for each in named if each.casefold() not in texts) == []
