"""Every word of docs/customer-terms.md that we claim to use is in the catalogue of its language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "customer-terms.md").read_text("utf-8")
LANGUAGES = {"German": "de", "French": "fr", "Italian": "it", "Spanish": "es", "Dutch": "nl", "Polish": "pl"}


def rows(language: str) -> list[list[str]]:
    """The cells of each row of the table of a language."""
    part = PAGE.split(f"\n## {language}\n", 1)[1].split("\n## ", 1)[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")
    ][2:]


def spoken(language: str) -> str:
    """All texts of a catalogue, in small letters; in English the keys."""
    code = LANGUAGES.get(language, "de")
    path = ROOT / "src/paymatch/formats/languages/locale" / code / "LC_MESSAGES/customers.po"
    with path.open("rb") as file:
        messages = list(read_po(file))
    texts = [message.string if language in LANGUAGES else message.id for message in messages]
    return "\n".join("\n".join(text) if isinstance(text, tuple | list) else str(text) for text in texts).lower()


@pytest.mark.parametrize("language", ["English", *LANGUAGES])
def test_our_words_are_those_of_the_catalogue(language: str) -> None:
    texts = spoken(language)
    ours = [word.strip().lower() for row in rows(language) for word in re.split("[;,]", row[1]) if row[1] != "not used"]
    assert [word for word in ours if word not in texts] == []
    assert len(rows(language)) == 21


@pytest.mark.parametrize("language", ["English", *LANGUAGES])
def test_each_row_has_a_public_source_or_says_that_it_was_not_verified(language: str) -> None:
    sources = [row[3] for row in rows(language)]
    assert all(
        source == "not verified" or re.fullmatch(r"\[[^\]]+\]\(https?://[^)\s]+\)", source) for source in sources
    )
