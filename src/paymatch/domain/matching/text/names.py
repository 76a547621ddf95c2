"""Names of people and companies: their identifying words, and the likeness of two names."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from enum import IntEnum
from functools import lru_cache
from itertools import chain, combinations, product
from typing import Final, NamedTuple

from paymatch.domain.matching.text.alphabets import spellings_of, without_lookalikes
from paymatch.domain.matching.text.normalise import canonical, flat


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FORMS: Final = _words(
    """
    A AG AKTIENGESELLSCHAFT AND BV C CIE CO COMP CORP DHR DIPL DIPLING DR E EG EHELEUTE EINGETRAGENE EK EKFM EN
    ET EU EURL EV FA FAM FAMILIE FIRMA FR FRAU GB GBR GENOSENSCHAFT GES GESELLSCHAFT GMBH HAFTUNGSBESCHRANKT
    HANDELSGESELLSCHAFT HER HERR HERRN HOLDING HR HRN I INC ING INH J K KG KGA KGAA KOMMANDITGESELLSCHAFT
    KOMMANDITGESELLSCHAFTA KOMMANDITGESELLSCHAFTAA LIMITED LLC LLP LTD MADAME MAG MBH MEVR MLLE MME MONSIEUR MR
    MRS MS MW NV O OFFENE OG OHG OO OU PAN PANI PLC PROF S SA SARL SAS SASU SC SCI SE SNC SP SPA SPJ SPK SPZ
    SPZO SPZOO SRL STIFTUNG U UG UND V VEREIN VOF Y Z ZO
    """
)
_NO_COMPANY: Final = _words(
    """
    A AND C DHR DIPL DIPLING DR E EHELEUTE EN ET FAM FAMILIE FR FRAU HER HERR HERRN HR HRN I ING INH J K MADAME
    MAG MEVR MLLE MME MONSIEUR MR MRS MS MW O OU PAN PANI PROF S U UND V Y Z
    """
)
_PARTICLES: Final = _words(
    """
    AL AUCH AUF DA DE DEN DER DES DI DOS DU EL LA LE TEN TER TOT VAN VOM VON ZU ZUM ZUR
    """
)
_DOTTED: Final = re.compile(r"(?<![A-Z])(?:[A-Z]\.){2,}(?:[A-Z](?![A-Z]))?")
_TOKEN: Final = re.compile(r"[A-Z0-9]+(?:[.?\ufffd][A-Z0-9]+)*[.?\ufffd]?")
_WILD: Final = re.compile(r"[.?\ufffd]")
_WORD: Final = re.compile(r"\w+")
_ACCENTED_FORMS: Final = _words("OU")  # the Estonian OÜ
_LONG_FORM: Final = 5
"""Letters of a form that is recognised however its umlauts are written (`Aktiengesellschaft`)."""
_SURNAMES: Final = _words("DA DI DO DU LA LE")
"""Particles that are also surnames, as the last of two words: `Anh Le`."""
MIN_PREFIX: Final = 4


class Name(NamedTuple):
    """A name taken apart: its identifying words in canonical spelling, company forms and titles left out."""

    words: tuple[str, ...]
    bag: frozenset[str]
    company: bool
    damaged: bool  # a word has lost a letter (`M.ller`)
    spellings: tuple[tuple[str, ...], ...] = ()  # per word, if some are Greek or Cyrillic; those are not in `words`

    @property
    def joined(self) -> str:
        """The words sorted and written together."""
        return "".join(sorted(self.words))


class Likeness(IntEnum):
    """How alike the payer's name and a name of the order are."""

    UNKNOWN = 0  # one of them is missing
    OTHER = 1
    SURNAME = 2  # one identifying word in common, others contradict
    PART = 3  # all of one side is in the other, but it is a single word
    CLOSE = 4  # the surname and an initial, or a letter differs
    VARIANT = 5  # the same name written differently, shortened or with additions
    EQUAL = 6


@lru_cache(maxsize=2048)
def parse_name(raw: str) -> Name:
    """The name in `raw` taken apart; without words if it has no letters."""
    text = flat(without_lookalikes(raw))
    if "." in text:
        text = _DOTTED.sub(lambda match: match.group().replace(".", "") + " ", text)
    found = _TOKEN.findall(text)
    accented = frozenset(flat(word) for word in _WORD.findall(raw) if not word.isascii()) - _ACCENTED_FORMS
    words: list[str] = []
    company = damaged = False
    may_be_damaged = _has_lost(text)
    for token in found:
        word = token.rstrip(".?\ufffd") if may_be_damaged else token
        if word.isdigit():
            continue
        if may_be_damaged and _has_lost(word):
            parts = _WILD.split(word)
            if all(len(part) == 1 for part in parts) or all(len(part) > 2 for part in parts):
                forms = {part for part in parts if len(part) > 1 and part in _FORMS - _NO_COMPANY}  # `Ges.m.b.H.`
                company = company or bool(forms)
                words.extend(canonical(part) for part in parts if part not in forms)
                continue
            damaged = True
        plain, word = word, canonical(word)
        may_be_form = len(word) >= _LONG_FORM or (plain == word and plain not in accented)  # not Zoë, Sass and Sá
        if may_be_form and word in _FORMS and (len(word) > 1 or company):
            company = company or word not in _NO_COMPANY
        elif not may_be_form or word not in _PARTICLES:
            words.append(word)
    if len(words) == 1 and not company and len(found) == 2 and found[-1] in _SURNAMES and found[-1] != words[0]:
        words.append(found[-1])
    if max(map(len, words), default=0) < 2:
        words = [canonical(token.rstrip(".?\ufffd")) for token in found]
    kept = tuple(filter(None, words))
    return Name(kept, frozenset(kept), company, damaged, spellings_of(raw))


def _has_lost(text: str) -> bool:
    """True if a sign is where a letter may have been lost."""
    return "." in text or "?" in text or "\ufffd" in text


def compare(payer: Name, order: Name) -> Likeness:
    """How alike two names are, in any order of their words.

    A Greek or Cyrillic name is alike if a usual Latin spelling of it is; another spelling says nothing.
    """
    if not payer.spellings and not order.spellings:
        return _compare_latin(payer, order)
    likeness = _compare_latin(_spelled_like(payer, order), _spelled_like(order, payer))
    is_sure = likeness > Likeness.OTHER or bool(payer.spellings and order.spellings)
    return likeness if is_sure else Likeness.UNKNOWN


def _spelled_like(name: Name, other: Name) -> Name:
    """The name in Latin letters, each word in the spelling that the other name has, if it has one."""
    if not name.spellings:
        return name
    chosen = (next((each for each in options if each in other.bag), options[0]) for options in name.spellings)
    words = tuple(word for word in chosen if word and word not in _PARTICLES and not word.isdigit())
    return Name(words, frozenset(words), name.company, name.damaged)


def _compare_latin(payer: Name, order: Name) -> Likeness:
    if not payer.words or not order.words:
        return Likeness.UNKNOWN
    if payer.bag == order.bag:
        return Likeness.EQUAL
    if payer.joined == order.joined or _is_joined_form(payer, order) or _is_joined_form(order, payer):
        return Likeness.EQUAL
    return _compare_words(payer, order)


def _is_joined_form(one: Name, other: Name) -> bool:
    """True if one word of `one` is all words of `other` written together (`MansRuth`)."""
    if len(one.words) >= len(other.words) or len(other.words) < 2:
        return False
    text = "".join(one.words)
    return text in ("".join(other.words), "".join(other.words[::-1]))


def _compare_words(payer: Name, order: Name) -> Likeness:
    left = list(order.words)
    strong = weak = alone = 0  # words in common, such by an initial or but for a letter, words of the payer's alone
    initials = 0  # of the payer's name, unexplained by the other name
    is_person = not order.company and len(order.words) > 1
    for word in payer.words:
        match = _best_word(word, left, order.words[0], person=is_person)
        if match is None:
            alone += len(word) > 1
            initials += len(word) == 1
            continue
        left.remove(match)
        if len(word) == 1 or len(match) == 1 or _is_initials(word, match) or not _same_start(word, match):
            weak += 1
        else:
            strong += 1
    missing = sum(len(word) > 1 for word in left)
    if strong == 1 and (initials or left) and not weak and not missing and not alone:
        return Likeness.PART  # `F. Wagner` is not the company `Wagner OHG`, and it is not `F. Wagner`
    return _verdict(strong, weak, alone, missing)


def _verdict(strong: int, weak: int, alone: int, missing: int) -> Likeness:
    """`alone` words are only in the payer's name, `missing` ones only in the order's."""
    if not strong and weak < 2:
        return Likeness.OTHER
    if strong > 1 or weak:
        if missing and alone and strong <= alone + missing:
            return Likeness.SURNAME
        return Likeness.VARIANT if strong > 1 and not weak else Likeness.CLOSE
    if not missing and not alone:
        return Likeness.EQUAL
    return Likeness.SURNAME if missing and alone else Likeness.PART


def _best_word(word: str, candidates: list[str], first: str, *, person: bool) -> str | None:
    """The candidate that `word` may be; two initials may only be the `first` name, a `person`'s ends alike."""
    if word in candidates:
        return word
    for other in candidates:
        if person and other == first and _is_other_first_name(word, other):
            continue
        if words_alike(word, other) or (other == first and _is_initials(word, other)):
            return other
    return None


def _is_other_first_name(one: str, other: str) -> bool:
    """True for two first names that differ in the last letter only: Martin and Martina, Andrea and Andreas, Mario and
    Maria are two people. A bank knows its customer's name, so it is not a typing error.
    """
    if min(len(one), len(other)) < 3 or not (one.isalnum() and other.isalnum()):
        return False
    short, long = sorted((one, other), key=len)
    return long[:-1] in (short, short[:-1])


def _same_start(given: str, known: str) -> bool:
    """True unless a letter differs; a shortened word and one with lost letters do not count as different."""
    return known.startswith(given) or _has_lost(given) or _has_lost(known)


def _is_initials(one: str, other: str) -> bool:
    """True for two initials written together (`WJ`) beside a first name."""
    return len(one) == 2 and len(other) > 2 and one[0] == other[0]


def words_alike(given: str, known: str) -> bool:
    """True if the word `given` may be the `known` one: shortened, an initial, a lost letter, one letter wrong."""
    if given == known:
        return True
    if not (given.isalnum() and known.isalnum()):
        return _same_but_lost(given, known)
    if known.startswith(given) and (len(given) == 1 or len(given) >= 3):
        return True
    if len(known) == 1 and given[0] == known:
        return True
    return min(len(given), len(known)) >= 5 and one_error(given, known)


def _same_but_lost(one: str, other: str) -> bool:
    if min(len(one), len(other)) < 4:
        return False
    return len(one) == len(other) and (_fits(one, other) or _fits(other, one))


def _fits(damaged: str, whole: str) -> bool:
    """True if the words have the same length and agree wherever `damaged` has not lost a letter."""
    return all(one == other or _has_lost(one) for one, other in zip(damaged, whole, strict=True))


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
        return rest_one[:2] == rest_other[1::-1] and rest_one[2:] == rest_other[2:]
    return rest_one[1:] == rest_other if len(one) > len(other) else rest_one == rest_other[1:]


def best_likeness(payers: Sequence[Name], names: Sequence[Name]) -> Likeness:
    """The best likeness of any payer's name with any name of the order."""
    for payer in payers:
        for name in names:
            if payer.bag == name.bag and payer.bag and not payer.spellings and not name.spellings:
                return Likeness.EQUAL
    best = Likeness.UNKNOWN
    for payer in payers:
        for name in names:
            best = max(best, compare(payer, name))
    return best


def word_count(names: Sequence[Name]) -> int:
    """The words of all `names`: what it takes to compare them is the product of both sides."""
    return sum([len(name.words) for name in names])


def has_surname(payers: Sequence[Name], names: Sequence[Name]) -> bool:
    """True if a payer's name shares a surname with one of the `names`, or a company's word; not just a first name."""
    words = {word for payer in payers for word in (*payer.words, *chain(*payer.spellings)) if len(word) > 1}
    return any(words_alike(word, last) for word in words for name in names for last in surnames_of(name))


def surnames_of(name: Name) -> Sequence[str]:
    """A company's words, and the last of a person's; every spelling of a Greek or Cyrillic one."""
    if name.spellings:
        return [*chain(*name.spellings)] if name.company else name.spellings[-1]
    return name.words if name.company else name.words[-1:]


def pair_words(name: Name) -> tuple[str, ...]:
    """Keys of a name that shortening and swapping do not change: pairs of the first letters of its words.

    A Greek or Cyrillic name has them in every Latin spelling, so that a payer's bank may write any; a word in its
    middle, a patronymic often, in the usual one only.
    """
    if name.spellings:
        return _pairs_of_spellings([[each for each in options if len(each) > 1] for options in identifying_words(name)])
    words = [word for word in _whole_words(name) if len(word) > 1]
    if len(words) < 2:
        return tuple(words)
    if len(words) > 3:
        words = [words[0], words[1], words[-1]]
    heads = sorted([word[:MIN_PREFIX] for word in words])
    if len(heads) == 2:
        return (" ".join(heads),)
    return tuple(dict.fromkeys(map(" ".join, combinations(heads, 2))))


def _pairs_of_spellings(options: Sequence[Sequence[str]]) -> tuple[str, ...]:
    words = list(filter(None, options))
    if len(words) < 2:
        return tuple(chain(*words))
    outer = words if len(words) < 3 else [words[0], words[1][:1], words[-1]]
    heads = [dict.fromkeys(each[:MIN_PREFIX] for each in spellings) for spellings in outer]
    pairs = [pair for one, other in combinations(heads, 2) for pair in product(one, other)]
    return tuple(sorted({" ".join(sorted(pair)) for pair in pairs}))


def single_words(name: Name) -> tuple[str, ...]:
    """The first letters of each identifying word, in every spelling."""
    words = chain(*identifying_words(name)) if name.spellings else _whole_words(name)
    return tuple(dict.fromkeys([word[:MIN_PREFIX] for word in words if len(word) > 2]))


def identifying_words(name: Name) -> Sequence[tuple[str, ...]]:
    """Per word that identifies the name its spellings, the usual one first; particles and numbers left out."""
    if not name.spellings:
        return [(word,) for word in name.words]
    kept = (tuple(each for each in options if each and each not in _PARTICLES) for options in name.spellings)
    return [options for options in kept if options and not options[0].isdigit()]


def all_words(name: Name) -> frozenset[str]:
    """The words that identify the name, in every spelling."""
    return name.bag.union(*name.spellings) if name.spellings else name.bag


def has_words_of(payer: Name, wanted: Name) -> bool:
    """Whether every word of `wanted` is one of the payer's, in any spelling; False for a name without words."""
    return has_each_word({spelling for options in identifying_words(payer) for spelling in options}, wanted)


def has_each_word(words: Set[str], name: Name) -> bool:
    """Whether every word of the name is among the `words`, in any spelling; False for a name without words."""
    asked = identifying_words(name)
    return bool(asked) and all(not words.isdisjoint(options) for options in asked)


def _whole_words(name: Name) -> Sequence[str]:
    """Its words that have not lost a letter."""
    return [word for word in name.words if not _has_lost(word)] if name.damaged else name.words
