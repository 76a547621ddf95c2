"""Signatures: bits that represent all pieces of the texts of some rows, so that most rows need not be read in a search.

A row can only have what is looked for if all bits of it are in the signature. The bits alone say nothing: each
represents very many pieces.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final
from zlib import crc32

BITS: Final = 12_288
"""Five signatures are in a page of PostgreSQL."""

Places = frozenset[int]

_PIECES: Final = re.compile(
    r"(?=( [^ ])?)(?=( [^ ] )?)"  # how a word begins, and a word of one character
    r"(?=( [^ ][^ ]|[^0-9][^0-9 ][^0-9])?)"
    # Three digits would be in nearly all signatures.
    r"(?=( [^ ]{2} |[0-9].{3}|.[0-9].{2}|.{2}[0-9].|.{3}[0-9])?)"
)
"""What is looked at of a text, each by what it is and not by where it is: so a part of the text has no others."""


def text_places(text: str) -> Places:
    """The bits of a text: those of each part of it are among them."""
    return frozenset(map(_place, _pieces(text)))


def rows_places(texts: Iterable[str], words: Iterable[str]) -> set[int]:
    """The bits of several rows: of their texts, and of the words that are found with a typing error."""
    pieces = {piece for text in texts for piece in _pieces(text)}
    return set(map(_place, pieces)).union(*map(word_places, set(words)))


def word_places(word: str) -> Places:
    """The bits of a word's forms with a letter left out, which find it despite a typing error."""
    return frozenset().union(*forms(word))


def forms(word: str) -> list[Places]:
    """The bits of each form of a word, : those of one are among the bits of a word that is nearly the same.

    Two words that differ by one typing error are alike, or one is like the other, once a letter is left out of each.
    """
    left_out = (word[:at] + word[at + 1 :] for at in range(len(word)))
    return [form_places(form) for form in dict.fromkeys((word, *left_out))]


def form_places(form: str) -> Places:
    """The bits of one form of a word: two, because many words have forms."""
    return frozenset((_place(f"1{form}"), _place(f"2{form}")))


def amount_places(amount: int) -> Places:
    """The bits of an amount, as searches compare it."""
    return frozenset((_place(f"3{amount}"), _place(f"4{amount}")))


def mark_places(key: str, marks: Iterable[str]) -> Places:
    """The bits of the keyed marks of an account."""
    return frozenset(_place(f"5{key}{mark}") for mark in marks)


def signature(places: Collection[int]) -> bytes:
    """The bits as they are stored: the first bit of a byte is its lowest, as PostgreSQL counts."""
    found = bytearray(BITS // 8)
    for place in places:
        found[place >> 3] |= 1 << (place & 7)
    return bytes(found)


def _pieces(text: str) -> set[str]:
    return {piece for pieces in _PIECES.findall(text) for piece in pieces if piece}


def _place(piece: str) -> int:
    return crc32(piece.encode()) % BITS
