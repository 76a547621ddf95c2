"""One typing error: a letter too many, too few, another one, or two neighbours exchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LEAST_LETTERS: Final = 5
"""A word of fewer letters is another word once a letter differs."""


@dataclass(frozen=True, slots=True)
class Halves:
    """The two halves of a word: with one typing error, a word still begins with one half or ends with the other."""

    begin: str
    end: str


def may_be_mistyped(word: str) -> bool:
    """Whether a word is also searched with a typing error: long enough, and not a number."""
    return len(word) >= LEAST_LETTERS and word.isalpha()


def halves(word: str) -> Halves:
    """The halves of a word; a single typing error leaves one of them unchanged."""
    middle = len(word) // 2
    return Halves(word[:middle], word[middle:])


def is_near(word: str, other: str) -> bool:
    """Whether exactly one typing error turns one word into the other."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    middle = len(word) // 2
    if not (other.startswith(word[:middle]) or other.endswith(word[middle:])):
        return False  # both halves differ: the usual case, decided at once
    begin = 0
    while begin < min(len(word), len(other)) and word[begin] == other[begin]:
        begin += 1
    left, right = word[begin:], other[begin:]
    if len(left) == len(right):
        exchanged = left[:2] == right[1::-1] and left[2:] == right[2:]
        return left[1:] == right[1:] or (len(left) > 1 and exchanged)
    return left[1:] == right if len(left) > len(right) else left == right[1:]
