"""Search queries of a clerk on the telephone, parsed as words, a number, an amount or an account."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from paymatch.domain.money import CURRENCIES
from paymatch.domain.search.folding import compact, words_of
from paymatch.domain.search.typing_errors import is_near, may_be_mistyped

MAX_CHUNKS: Final = 12
LEAST_OF_ACCOUNT: Final = 4
"""Characters of an account below which nothing is looked for: too many accounts have them."""
MOST_DECIMALS: Final = 4
"""Amounts are compared in parts of this many decimals, whatever their currency has."""

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
        """The words as they are in a stored text."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for. Every chunk must be found; or the `number` as one word; or an amount; or the account.

    `number` is the query without blanks and hyphens where that is another text, `account` a part of an IBAN in
    capitals; both are "" if the query is none.
    """

    chunks: tuple[Chunk, ...]
    number: str = ""
    account: str = ""
    amounts: tuple[int, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be looked for."""
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
        """Whether a word of it is looked for with a typing error as well."""
        return any(map(may_be_mistyped, self.words))

    def has(self, word: str) -> bool:
        """Whether a folded word is, or contains, what is looked for."""
        return any(each in word for each in self.words if len(each) > 1 or each == word) or (
            len(word) > 1 and word in self.number
        )

    def nearly_has(self, word: str) -> bool:
        """Whether a folded word is what is looked for but for one typing error."""
        return any(may_be_mistyped(each) and is_near(each, word) for each in self.words)

    def nearly_matches(self, words: str, long_words: str) -> bool:
        """Whether a stored text has every word of the query, each exactly or with one typing error."""
        stored = long_words.split()
        return all(
            word in words or (may_be_mistyped(word) and any(is_near(word, other) for other in stored))
            for word in self.words
        )


def read_query(text: str) -> SearchQuery:
    """The query of a text that was typed."""
    pieces = [piece.lstrip("#") for piece in text.split()]
    amounts = [_amounts(piece.strip(_CURRENCY_SIGNS)) for piece in pieces]
    if any(amounts):  # a currency says nothing beside an amount
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
    """The amounts that a text may mean, as `comparable_amount` has them; empty if it is none.

    One separator before three digits may group thousands or part the decimals: both are meant.
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
