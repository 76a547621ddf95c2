"""Search queries of a clerk on the telephone, and the searchable form of texts: words, numbers, amounts, accounts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from paymatch.domain.matching.text.normalise import fold_text
from paymatch.domain.money import CURRENCIES
from paymatch.domain.search.typing_errors import is_near, may_be_mistyped

MAX_CHARACTERS: Final = 2_000
"""The searched length of an order or a posting; a typical one has 150."""

_WORD: Final = re.compile(r"[^\W_]+")
_PIECE: Final = re.compile(r"([^\W_]+)")
_NEARLY_LONG: Final = 4
"""Letters of the shortest word that a five-letter word with one letter too many may mean."""
_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = r"(?=\S*\d)\S+"
_LETTERS: Final = r"(?:[^\W\d_]{1,4} )?"
"""Letters that may be before the digits of a number, or within it, with a hyphen or blank between: WT-11667."""
_PARTS: Final = re.compile(rf"(?<!\S){_LETTERS}{_NUMBER}(?: {_LETTERS}{_NUMBER})*")


def words_of(text: str) -> list[str]:
    """The folded words and numbers of a text, in its order."""
    return _WORD.findall(fold_text(text))


def pieces_of(text: str) -> list[str]:
    """The original text, split into its words and the parts between them."""
    return _PIECE.split(text)


def search_text(*texts: str) -> str:
    """The stored search text of an order or posting: each text once, numbers of several parts also as one word."""
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
    """The words of a stored text that a misspelt word may mean: no numbers, at least four letters."""
    found = [word for word in dict.fromkeys(text.split()) if len(word) >= _NEARLY_LONG and word.isalpha()]
    return f" {' '.join(found)} " if found else ""


MAX_CHUNKS: Final = 12
LEAST_OF_ACCOUNT: Final = 4
"""The fewest characters of an account that are searched: too many accounts share fewer."""
MOST_DECIMALS: Final = 4
"""Amounts are compared with this many decimals, in any currency."""

_AMOUNT: Final = re.compile(r"[+\-\u2212]?\d{1,12}(?:[.,'\u00a0\u202f]\d{1,3})*", re.ASCII)
_ACCOUNT_PART: Final = re.compile(r"[A-Z]{0,2}\d[A-Z0-9]*|[A-Z]{1,4}\d[A-Z0-9]{10,}", re.ASCII)
_WHOLE_ACCOUNT: Final = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.ASCII)
_PUNCTUATION: Final = re.compile(r"[\s.\-/]+")
_SIGNS: Final = "+-\u2212"
_CURRENCY_SIGNS: Final = "€$£"


def comparable_amount(minor: int, digits: int) -> int:
    """An amount without its sign in ten-thousandths of the currency's unit."""
    return abs(minor) * int(10 ** (MOST_DECIMALS - digits))


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the query between blanks: its words must be there in sequence, or one of its `amounts`."""

    words: tuple[str, ...]
    amounts: tuple[int, ...] = ()

    @property
    def phrase(self) -> str:
        """The words in their stored form."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A parsed query. Every chunk must be found; or the `number` as one word; or an amount; or the account.

    `number` is the query without blanks and hyphens if that differs, `account` a part of an IBAN in capitals; both are
    "" if the query is neither.
    """

    chunks: tuple[Chunk, ...]
    number: str = ""
    account: str = ""
    amounts: tuple[int, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.chunks

    @property
    def is_whole_account(self) -> bool:
        """Whether it has the form of a complete IBAN."""
        return _WHOLE_ACCOUNT.fullmatch(self.account) is not None

    @property
    def words(self) -> tuple[str, ...]:
        """All words."""
        return tuple(word for chunk in self.chunks for word in chunk.words)

    @property
    def may_be_mistyped(self) -> bool:
        """Whether one of its words is also searched with a typing error."""
        return any(map(may_be_mistyped, self.words))

    def has(self, word: str) -> bool:
        """Whether a folded word is or contains a search word."""
        return any(each in word for each in self.words if len(each) > 1 or each == word) or (
            len(word) > 1 and word in self.number
        )

    def nearly_has(self, word: str) -> bool:
        """Whether a folded word is a search word with one typing error."""
        return any(may_be_mistyped(each) and is_near(each, word) for each in self.words)

    def nearly_matches(self, words: str, long_words: str) -> bool:
        """Whether a stored text has every word of the query, each exactly or with one typing error."""
        stored = long_words.split()
        return all(
            word in words or (may_be_mistyped(word) and any(is_near(word, other) for other in stored))
            for word in self.words
        )


def read_query(text: str) -> SearchQuery:
    """The query of a typed text."""
    pieces = [piece.lstrip("#") for piece in text.split()]
    amounts = [_amounts(piece.strip(_CURRENCY_SIGNS)) for piece in pieces]
    if any(amounts):  # a currency adds nothing to an amount
        kept = [at for at, piece in enumerate(pieces) if piece.upper() not in CURRENCIES]
        pieces, amounts = [pieces[at] for at in kept], [amounts[at] for at in kept]
    found = [Chunk(tuple(words_of(piece)), sums) for piece, sums in zip(pieces, amounts, strict=True)]
    chunks = tuple(chunk for chunk in found if chunk.words)[:MAX_CHUNKS]
    if any(chunk.amounts and len(chunk.words) > 1 for chunk in chunks):  # with decimals: neither number nor account
        return SearchQuery(chunks)
    number = compact(text)
    is_number = any(map(str.isdigit, number)) and [chunk.phrase for chunk in chunks] != [number]
    return SearchQuery(chunks, number if is_number else "", _account(text))


def _account(text: str) -> str:
    plain = _PUNCTUATION.sub("", text.strip()).upper()
    return plain if len(plain) >= LEAST_OF_ACCOUNT and _ACCOUNT_PART.fullmatch(plain) else ""


def _amounts(piece: str) -> tuple[int, ...]:
    """The amounts that a text may mean, as `comparable_amount` has them; empty if it is not an amount.

    One separator before three digits may group thousands or mark decimals: both readings count.
    """
    if not _AMOUNT.fullmatch(piece):
        return ()
    text = piece.lstrip(_SIGNS)
    whole, _mark, decimals = text.rpartition(max(",.", key=text.rfind))
    found = []
    if whole:
        found.append(_plain(whole) * 10**MOST_DECIMALS + int(decimals.ljust(MOST_DECIMALS, "0")))
    if not whole or len(decimals) == 3:
        found.append(_plain(text) * 10**MOST_DECIMALS)
    return tuple(found)


def _plain(text: str) -> int:
    return int(re.sub(r"\D", "", text))
