"""Names of people and companies: what of them identifies, and how alike two of them are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from paymatch.domain.matching.normalise import canonical, flat

_FORMS: Final = frozenset(
    ["GMBH", "MBH", "AG", "KG", "KGA", "OHG", "KGAA", "UG", "GBR", "GB", "EK", "EKFM", "EV", "EG", "SE", "CO", "CIE", "COMP", "UND", "U", "AND", "ET", "EN", "I", "Y", "LTD", "LIMITED", "INC", "LLC", "LLP", "PLC", "CORP", "BV", "NV", "VOF", "SA", "SARL", "SAS", "SASU", "SNC", "SRL", "SPA", "SPZO", "SPZOO", "SPZ", "ZO", "OO", "SC", "SPJ", "SPK", "S", "A", "Z", "O", "HAFTUNGSBESCHRANKT", "KOMMANDITGESELLSCHAFT", "KOMMANDITGESELLSCHAFTA", "KOMMANDITGESELSCHAFT", "KOMMANDITGESELSCHAFTA", "KOMMANDITGESELSCHAFTAA", "AKTIENGESELLSCHAFT", "AKTIENGESELSCHAFT", "GESELLSCHAFT", "GESELSCHAFT", "FA", "FIRMA", "HERR", "HERRN", "FRAU", "MR", "MRS", "MS", "MME", "MLLE", "DR", "PROF", "DIPL", "ING", "DIPLING", "MAG", "FAM", "FAMILIE", "EHELEUTE", "OFFENE", "HANDELSGESELLSCHAFT", "HANDELSGESELSCHAFT", "EINGETRAGENE", "GENOSENSCHAFT", "VEREIN", "STIFTUNG", "INH"]
)
_DOTTED: Final = re.compile(r"(?<![A-Z])(?:[A-Z]\.){2,}(?:[A-Z](?![A-Z]))?")
_TOKEN: Final = re.compile(r"[A-Z0-9]+(?:[.?\ufffd][A-Z0-9]+)*[.?\ufffd]?")
_WILD: Final = re.compile(r"[.?\ufffd]")
MIN_PREFIX: Final = 4


class Name(NamedTuple):
    """A name taken apart: its identifying words in canonical spelling, company forms and titles left out."""

    words: tuple[str, ...]
    bag: frozenset[str]
    joined: str  # the words sorted and written together
    company: bool
    damaged: bool  # a word has lost a letter (`M.ller`)


class Likeness(IntEnum):
    """How alike the payer's name and a name of the order are."""

    UNKNOWN = 0  # one of them is missing
    OTHER = 1
    SURNAME = 2  # one identifying word in common, others contradict
    PART = 3  # all that one side gives is in the other, but it is a single word
    VARIANT = 4  # the same name written differently, shortened or with additions
    EQUAL = 5


EMPTY: Final = Name((), frozenset(), "", False, False)


@lru_cache(maxsize=131072)
def parse_name(raw: str) -> Name:
    """The name in `raw` taken apart; EMPTY if it has no letters."""
    text = flat(raw)
    if "." in text:
        text = _DOTTED.sub(lambda match: match.group().replace(".", "") + " ", text)
    found = _TOKEN.findall(text)
    words: list[str] = []
    company = False
    damaged = False
    for token in found:
        if token[-1] in ".?\ufffd":
            bare = token[:-1]
            word = bare
        else:
            word = token
        if _WILD.search(word):
            parts = _WILD.split(word)
            if len(parts[0]) <= 1 and len(word) <= 3:
                word = "".join(parts)
            elif all(len(part) > 2 for part in parts):
                words.extend(canonical(part) for part in parts)
                continue
            else:
                damaged = True
        word = canonical(word)
        if word in _FORMS:
            company = company or word not in ("U", "UND", "AND", "I", "Y", "S", "A", "O", "Z")
            continue
        words.append(word)
    if not words:
        words = [canonical(token.strip(".?\ufffd")) for token in found]
    kept = tuple(word for word in words if word)
    return Name(kept, frozenset(kept), "".join(sorted(kept)), company, damaged)


def compare(payer: Name, order: Name) -> Likeness:
    """How alike two names are, whatever the order of their words."""
    if not payer.words or not order.words:
        return Likeness.UNKNOWN
    if payer.bag == order.bag:
        return Likeness.EQUAL
    if payer.joined == order.joined or _glued(payer, order) or _glued(order, payer):
        return Likeness.EQUAL
    return _compare_words(payer, order)


def _glued(one: Name, other: Name) -> bool:
    """True if one word of `one` is all words of `other` written together (`MansRuth`)."""
    if len(other.words) < 2:
        return False
    text = "".join(other.words)
    return len(one.words) < len(other.words) and (
        "".join(one.words) == text or "".join(one.words) == "".join(other.words[::-1])
    )


def _compare_words(payer: Name, order: Name) -> Likeness:
    left = list(order.words)
    same: list[str] = []  # words of the order that the payer's name has
    alone = 0  # words of the payer that the order's name lacks
    weak = 0  # matched by an initial only
    for word in payer.words:
        match = _best_word(word, left)
        if match is None:
            alone += 1
            continue
        left.remove(match)
        if len(word) == 1 or len(match) == 1:
            weak += 1
        else:
            same.append(match)
    return _verdict(len(same), weak, alone, len(left), same, payer, order)


def _verdict(strong: int, weak: int, alone: int, missing: int, same: list[str], payer: Name, order: Name) -> Likeness:
    if not strong:
        return Likeness.OTHER
    if not missing and (strong > 1 or (strong and weak)):
        return Likeness.VARIANT
    if not alone and (strong > 1 or (strong and weak)):
        return Likeness.VARIANT
    if not missing and not alone:
        return Likeness.EQUAL if strong else Likeness.OTHER
    if not missing or not alone:
        if len(order.words) == 1 and order.company and not missing and len(same[0]) >= MIN_PREFIX:
            return Likeness.PART
        return Likeness.PART
    if strong > 1 and strong >= alone + missing:
        return Likeness.VARIANT
    return Likeness.SURNAME


def _best_word(word: str, candidates: list[str]) -> str | None:
    if word in candidates:
        return word
    for other in candidates:
        if words_alike(word, other):
            return other
    return None


@lru_cache(maxsize=65536)
def words_alike(one: str, other: str) -> bool:
    """True if two words may be the same: shortened, an initial, a lost letter, or one letter wrong in a long word."""
    if one == other:
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if _WILD.search(short) or _WILD.search(long):
        return _same_but_lost(short, long)
    if long.startswith(short) and (len(short) == 1 or len(short) >= 3):
        return True
    return len(short) >= 5 and len(long) - len(short) <= 1 and one_error(short, long)


def _same_but_lost(short: str, long: str) -> bool:
    pattern = "".join("." if c in ".?\ufffd" else c for c in short)
    other = "".join("." if c in ".?\ufffd" else c for c in long)
    return (len(pattern) >= 4 and re.fullmatch(pattern, long) is not None) or (
        len(other) >= 4 and re.fullmatch(other, short) is not None
    )


def one_error(one: str, other: str) -> bool:
    """True if one insertion, deletion, substitution or transposition of neighbours turns `one` into `other`."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    limit = min(len(one), len(other))
    while start < limit and one[start] == other[start]:
        start += 1
    rest_one, rest_other = one[start:], other[start:]
    if len(one) == len(other):
        if rest_one[1:] == rest_other[1:]:
            return True
        return rest_one[:2] == rest_other[1::-1] and rest_one[2:] == rest_other[2:] and len(rest_one) > 1
    return rest_one[1:] == rest_other if len(one) > len(other) else rest_one == rest_other[1:]


def best_likeness(payers: Iterable[Name], names: Iterable[Name]) -> Likeness:
    """The best likeness of any payer's name with any name of the order."""
    best = Likeness.UNKNOWN
    order_names = tuple(names)
    for payer in payers:
        for name in order_names:
            likeness = compare(payer, name)
            if likeness > best:
                best = likeness
                if best is Likeness.EQUAL:
                    return best
    return best


def pair_words(name: Name) -> tuple[str, ...]:
    """Keys of a name that survive shortening and swapping: pairs of the first letters of its words."""
    words = [word for word in name.words if len(word) > 1 and not _WILD.search(word)]
    if not words:
        return ()
    if len(words) == 1:
        return (words[0],)
    if len(words) > 3:
        words = [words[0], words[1], words[-1]]
    heads = [word[:MIN_PREFIX] for word in words]
    pairs = {tuple(sorted((a, b))) for i, a in enumerate(heads) for b in heads[i + 1 :]}
    return tuple(sorted(" ".join(pair) for pair in pairs))


def single_words(name: Name) -> tuple[str, ...]:
    """The first letters of each identifying word."""
    return tuple(dict.fromkeys(word[:MIN_PREFIX] for word in name.words if len(word) > 2 and not _WILD.search(word)))
