"""Text made comparable once: capitals, accents and umlauts folded, with positions preserved where places are shown."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_SPECIAL: Final = {
    "ß": "S",
    "ẞ": "S",
    "Ł": "L",
    "ł": "L",
    "Ø": "O",
    "ø": "O",
    "Đ": "D",
    "đ": "D",
    "Æ": "A",
    "æ": "A",
    "Œ": "O",
    "œ": "O",
    "ı": "I",
    "Þ": "T",
    "þ": "T",
    "\u00a0": " ",
    "\u2013": "-",
    "\u2014": "-",
    "\u2019": "'",
}


def _fold_table() -> dict[int, str]:
    table = {ord(char): folded for char, folded in _SPECIAL.items()}
    for code in range(0xC0, 0x250):
        if code not in table:
            base = unicodedata.normalize("NFKD", chr(code))[0].upper()
            if base.isascii() and base.isalpha():
                table[code] = base
    return table


_FOLD: Final = _fold_table()
_UNSEEN: Final = "\x00"
"""Stands for a sign that takes no room: what no one sees separates nothing."""
_WORD: Final = re.compile(r"\S+")


def flat(text: str) -> str:
    """`text` in ASCII capitals without accents, of the same length, so positions in it are positions in `text`.

    Digits of all scripts become 0 to 9. Signs without width (zero-width spaces, soft hyphens, marks of direction,
    separate accents) move to the end of their word as blanks, so a word after one is up to their number away.
    """
    if not text.isascii():
        text = text.translate(_FOLD)
        if not text.isascii():
            text = "".join(map(_seen, text.replace(_UNSEEN, " ")))
            return _WORD.sub(_without_unseen, text) if _UNSEEN in text else text
    return text.upper()


@lru_cache(maxsize=4096)
def _seen(char: str) -> str:
    """A character as matching reads it: one character, and `_UNSEEN` for one without width."""
    if char.isascii():
        return char.upper()
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(char)
    if category in ("Cf", "Mn", "Me"):
        return _UNSEEN
    plain = unicodedata.normalize("NFKC", char) if category in ("Lu", "Ll") else char
    upper = (plain if len(plain) == 1 and plain.isascii() else char).upper()
    return upper if len(upper) == 1 else char


def _without_unseen(match: re.Match[str]) -> str:
    word = match.group()
    return word.replace(_UNSEEN, "").ljust(len(word))


_DIGRAPHS: Final = re.compile("AE|OE|UE|SS")
_DIGRAPH_BASE: Final = {"AE": "A", "OE": "O", "UE": "U", "SS": "S"}


@lru_cache(maxsize=2048)
def canonical(token: str) -> str:
    """A word in flat capitals with its umlauts reduced to their vowel, however they were written (ü, ue, u)."""
    if "E" not in token and "SS" not in token:
        return token
    return _DIGRAPHS.sub(lambda match: _DIGRAPH_BASE[match.group()], token)


def fold_text(text: str) -> str:
    """A whole text in flat capitals with its umlauts and double s reduced: Rößler, Roessler and Rosler are one."""
    plain = flat(text if text.isascii() else unicodedata.normalize("NFKC", text))
    for digraph, base in _DIGRAPH_BASE.items():
        plain = plain.replace(digraph, base)
    return plain
