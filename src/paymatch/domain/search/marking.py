"""Positions of the searched numbers and words in a payment's text, however they are written."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Final

from paymatch.domain.search.query import words_of

_SHORTEST: Final = 3
"""Shorter numbers and words occur anywhere by chance."""

_WITHIN_NUMBERS: Final = frozenset(" \t\n-./_")

Span = tuple[int, int]


def number_spans(text: str, number: str) -> Iterator[Span]:
    """(start, end) of each place with the letters and digits of a number, with or without blanks, hyphens, dots."""
    wanted = "".join(each.lower() for each in number if each.isalnum())
    if len(wanted) < _SHORTEST:
        return
    places = [place for place, each in enumerate(text) if each.isalnum() and len(each.lower()) == 1]
    folded = "".join(text[place].lower() for place in places)
    at = folded.find(wanted)
    while at >= 0:
        found = places[at : at + len(wanted)]
        start, end = found[0], found[-1] + 1
        is_whole = not text[max(start - 1, 0) : start].isalnum() and not text[end : end + 1].isalnum()
        if is_whole and all(each.isalnum() or each in _WITHIN_NUMBERS for each in text[start:end]):
            yield start, end
        at = folded.find(wanted, at + 1)


def word_spans(text: str, words: Collection[str]) -> Iterator[Span]:
    """(start, end) of each word of a text that is one of these, compared as searching compares them."""
    wanted = {_fold_word(text[start:end]) for text in words for start, end in _words(text)}
    return ((start, end) for start, end in _words(text) if _fold_word(text[start:end]) in wanted)


def _words(text: str) -> Iterator[Span]:
    start = 0
    for is_word, letters in groupby(text, str.isalpha):
        end = start + sum(1 for _ in letters)
        if is_word and end - start >= _SHORTEST:
            yield start, end
        start = end


def _fold_word(word: str) -> str:
    return "".join(words_of(word))
