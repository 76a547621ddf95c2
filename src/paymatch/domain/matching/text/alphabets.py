"""Latin spellings of Greek and Cyrillic words: a bank or a passport office chooses one, the customer another.

SEPA admits Latin letters only (EPC217-08), so a statement has `Ivan Petrov` where the order has `Иван Петров`. Spelling
goes by sound; letters that only look alike never make two names one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from itertools import product
from typing import Final

from paymatch.domain.matching.text.normalise import canonical, flat


def _table(text: str) -> dict[str, str]:
    """`ж:zh ь:` as a mapping; a letter without a value is not written."""
    return dict(each.split(":") for each in text.split())


_CYRILLIC: Final = _table(
    "а:a б:b в:v г:g ґ:g ѓ:g д:d е:e ё:e ж:zh з:z и:i й:y к:k ќ:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ў:u ф:f х:kh ц:ts"
    " ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:yu я:ya і:i ї:i є:ie ѕ:dz ђ:dj ј:j љ:lj њ:nj ћ:c џ:dz ѝ:i"
)
_GREEK: Final = _table(
    "α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch ψ:ps ω:o"
)
_CYRILLIC_SCHEMES: Final = (
    _table("ё:yo є:ye ї:yi"),  # BGN/PCGN
    _table("г:h и:y й:i є:ye ї:yi"),  # the Ukrainian standard of 2010, as at the beginning of a word
    _table("й:i ю:iu я:ia ъ:ie"),  # ICAO Doc 9303
    _table("г:h й:i ю:iu я:ia и:y є:ie ї:i х:kh"),  # Ukrainian and Belarusian passports
    _table("ж:z й:j х:h ц:c ч:c ш:s щ:s ю:u я:a ђ:d"),  # ISO 9, without its accents
    _table("ж:z й:j х:ch ц:c ч:c ш:s щ:sc ю:ju я:ja ё:jo є:je ї:ji"),  # scientific, without its accents
    _table("в:w ж:sch з:s й:j х:ch ц:z ч:tsch ш:sch щ:schtsch ю:ju я:ja ё:jo є:je ї:ji"),  # German
    _table("й:i ж:j у:ou ч:tch ш:ch щ:chtch ю:iou я:ia"),  # French
    _table("х:h щ:sht ъ:a ь:y є:e ђ:d"),  # Bulgarian, and the table of EPC217-08
    _table("ж:z х:h ц:c ч:c ш:s ђ:d ћ:c"),  # Serbian, without its accents
)
_GREEK_SCHEMES: Final = (
    _table("ου:ou αυ:av ευ:ev γγ:ng γξ:nx γχ:nch"),  # ISO 843, ELOT 743
    _table("ου:ou αυ:av ευ:ev"),
    _table("ου:ou αυ:af ευ:ef γγ:ng μπ:b"),
    _table("ου:ou αυ:au ευ:eu γγ:ng χ:h"),
    _table("ου:ou αυ:au ευ:eu φ:ph η:e χ:ch"),
    _table(""),  # letter by letter, as in the table of EPC217-08
)
_ENDS_IA: Final = re.compile("[IY][IYJ]A$")
_ENDS_Y: Final = re.compile("[IY][IYJ]$")
_SOFT_E: Final = re.compile(r"(?:^|(?<=[аеёиоуыэюяъь]))[еэ]")
_WORD: Final = re.compile(r"[^\W_]+")


class _Alphabet(Enum):
    LATIN = "LATIN"
    CYRILLIC = "CYRILLIC"
    GREEK = "GREEK"
    OTHER = ""


_TABLES: Final[Mapping[_Alphabet, tuple[dict[str, str], tuple[dict[str, str], ...]]]] = {
    _Alphabet.CYRILLIC: (_CYRILLIC, _CYRILLIC_SCHEMES),
    _Alphabet.GREEK: (_GREEK, _GREEK_SCHEMES),
}


def spellings_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Per word of a name its spellings in flat Latin capitals, the usual one first.

    Empty if no word is Greek or Cyrillic, or a word mixes alphabets: such a name only looks like another.
    """
    if text.isascii():
        return ()
    words = _WORD.findall(unicodedata.normalize("NFC", text))
    alphabets = [{_alphabet_of(letter) for letter in word if letter.isalpha()} for word in words]
    if any(len(each) > 1 for each in alphabets) or not any(each <= set(_TABLES) and each for each in alphabets):
        return ()
    return tuple(
        _spellings(word.lower(), next(iter(alphabet))) if alphabet and alphabet <= set(_TABLES) else (_latin(word),)
        for word, alphabet in zip(words, alphabets, strict=True)
    )


def without_lookalikes(text: str) -> str:
    """The text with letters that no other word has, where a word mixes alphabets: `Pеtrov` with a Cyrillic `е`."""
    return text if text.isascii() else _WORD.sub(_unlike_others, text)


def _unlike_others(found: re.Match[str]) -> str:
    word = found.group()
    if word.isascii() or len({each for letter in word if (each := _alphabet_of(letter)).value}) < 2:
        return word
    return "".join(each if _alphabet_of(each) is _Alphabet.LATIN else f"X{ord(each):04X}" for each in word)


@lru_cache(maxsize=1024)
def _alphabet_of(letter: str) -> _Alphabet:
    name = unicodedata.name(letter, "")
    return next((each for each in _Alphabet if each.value and name.startswith(each.value)), _Alphabet.OTHER)


def _latin(word: str) -> str:
    return canonical(flat(word).strip())


def _spellings(word: str, alphabet: _Alphabet) -> tuple[str, ...]:
    letters, schemes = _TABLES[alphabet]
    found = dict.fromkeys(
        _latin("".join(_spell(spoken, letters | scheme))) for scheme, spoken in product(schemes, _sounds_of(word))
    )
    return tuple(dict.fromkeys((*found, *_with_plain_endings(found))))


def _sounds_of(word: str) -> Iterator[str]:
    """The word as it is, and with the `ye` that English spellings put where a vowel is soft."""
    yield word
    soft = _SOFT_E.sub("ье", word)
    if soft != word:
        yield soft.replace("ье", "йе")


def _spell(word: str, letters: Mapping[str, str]) -> Iterator[str]:
    place = 0
    while place < len(word):
        for size in (2, 1):
            part = word[place : place + size]
            found = letters.get(part)
            if found is None and size == 1:
                found = letters.get(unicodedata.normalize("NFD", part)[0], "")
            if found is not None:
                yield found
                place += size
                break


def _with_plain_endings(spellings: Iterable[str]) -> Iterator[str]:
    """`Yuliya` also as `Yulia`, `Dmitriy` also as `Dmitry`."""
    for each in spellings:
        yield _ENDS_IA.sub("IA", each)
        yield _ENDS_Y.sub("Y", each)
