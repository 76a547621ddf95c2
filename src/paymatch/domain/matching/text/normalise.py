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


def flat(text: str) -> str:
    """`text` in ASCII capitals without accents, of the same length, so positions in it are positions in `text`."""
    if not text.isascii():
        text = text.translate(_FOLD)
        if not text.isascii():
            return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)
    return text.upper()


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
