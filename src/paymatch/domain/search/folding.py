"""Texts as they are searched: folded words with a blank around each, and numbers as one word however they are written.

search_text("Bestellung WT-11667", "Rößler") == " BESTELLUNG WT 11667 WT11667 ROSLER "
"""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.matching.text.normalise import fold_text

MAX_CHARACTERS: Final = 2_000
"""Of an order or a posting as much is searched; a usual one has 150."""

_WORD: Final = re.compile(r"[^\W_]+")
_PIECE: Final = re.compile(r"([^\W_]+)")
_NEARLY_LONG: Final = 4
"""Letters of the shortest word that a word of five letters with one too many may be meant for."""
_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = r"(?=\S*\d)\S+"
_LETTERS: Final = r"(?:[^\W\d_]{1,4} )?"
"""Letters that may be before the digits of a number, or within it, with a hyphen or blank between: WT-11667."""
_PARTS: Final = re.compile(rf"(?<!\S){_LETTERS}{_NUMBER}(?: {_LETTERS}{_NUMBER})*")


def words_of(text: str) -> list[str]:
    """The folded words and numbers of a text, in its order."""
    return _WORD.findall(fold_text(text))


def pieces_of(text: str) -> list[str]:
    """The text cut into its words and what is between them, as it was written."""
    return _PIECE.split(text)


def search_text(*texts: str) -> str:
    """What is stored of an order or posting: each text once, numbers of several parts as one word too."""
    found: list[str] = []
    for text in dict.fromkeys(texts):
        words = words_of(text) if text else []
        found += words
        if len(words) > 1 and _DIGIT.search(text):
            found += [parts.replace(" ", "") for parts in _PARTS.findall(" ".join(words)) if " " in parts]
    return f" {' '.join(found)} "[:MAX_CHARACTERS] if found else ""


def compact(text: str) -> str:
    """A number without hyphens and blanks, folded: `wt-11 667` is WT11667."""
    return "".join(words_of(text))


def long_words(text: str) -> str:
    """The words of a stored text that may be meant by one with a typing error: no numbers, at least four letters."""
    found = [word for word in dict.fromkeys(text.split()) if len(word) >= _NEARLY_LONG and word.isalpha()]
    return f" {' '.join(found)} " if found else ""
