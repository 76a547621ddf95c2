"""Greek and Cyrillic letters in Latin ones, after the conversion table of EPC217-08 (SEPA best practices)."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Final

_GREEK: Final = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k", "λ": "l",
    "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f",
    "χ": "ch", "ψ": "ps", "ω": "o",
}  # fmt: skip
_CYRILLIC: Final = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "y", "к": "k",
    "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "h",
    "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sht", "ъ": "a", "ь": "y", "ю": "yu", "я": "ya", "ы": "y", "э": "e",
    "ё": "e", "і": "i", "ї": "i", "є": "e", "ґ": "g", "ђ": "d", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "џ": "dz",
    "ѓ": "g", "ќ": "k", "ѕ": "dz", "ў": "u", "ѝ": "i",
}  # fmt: skip
_LETTERS: Final = _GREEK | _CYRILLIC


def in_latin_letters(text: str) -> str:
    """The text with Greek and Cyrillic letters written in Latin ones; every other character stays what it is."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(_latin(character, following) for character, following in pairwise(f"{composed} "))


def _latin(character: str, following: str) -> str:
    small = character.lower()
    found = _LETTERS.get(small) or _LETTERS.get(unicodedata.normalize("NFD", small)[:1])
    if found is None:
        return character
    if character == small:
        return found
    return found.capitalize() if following.islower() else found.upper()
