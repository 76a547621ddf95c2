"""Payment services and marketplaces, and how to recognise their transfers at the bank (D-83)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

MIN_ID: Final = 7
"""Characters of a payout's id that may name it in a text; shorter ones occur by chance."""

MAX_BANK_DAYS: Final = 5
"""The number of bank days after sending within which a payout is recognised by its amount."""

OVERDUE_BANK_DAYS: Final = 10
"""Bank days after which a payout that has not arrived raises an alert."""

_BETWEEN: Final = re.compile(r"[\W_]+")
_MARKS: Final = re.compile(r"[^\w\s]+")


@dataclass(frozen=True, slots=True)
class Provider:
    """A payment service or marketplace; `bank_names` are words that its transfers carry, in lower case."""

    code: str
    name: str
    bank_names: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # words of providers that pay out through this one: such a transfer is theirs
    tells_twice: bool = False  # rows of a transaction come in pairs, under one code
    sends_in_own_name: bool = False  # its transfers have the shop's own name

    def sends(self, name: str, text: str) -> bool:
        """Whether a transfer with this name of the other side, or this text, may be one of the provider."""
        said = f"{name}\n{text}".casefold()
        return _has_word(said, self.bank_names) and not _has_word(said, self.others)


def _has_word(said: str, words: Iterable[str]) -> bool:
    return any(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", said) for word in words)


PROVIDERS: Final[Mapping[str, Provider]] = {
    each.code: each
    for each in (
        Provider("stripe", "Stripe", ("stripe",), others=("shopify",)),
        Provider("paypal", "PayPal", ("paypal",)),
        Provider("klarna", "Klarna", ("klarna",)),
        Provider("mollie", "Mollie", ("mollie",)),
        Provider("amazon", "Amazon", ("amazon", "amazon payments")),
        Provider("shopify", "Shopify Payments", ("shopify", "stripe")),
        Provider("sumup", "SumUp", ("sumup",), tells_twice=True),
        Provider("wise", "Wise", ("wise", "transferwise"), sends_in_own_name=True),
    )
}


def provider_of(code: str, name: str = "") -> Provider:
    """The provider of this code; a provider added by a person has its given name."""
    known = PROVIDERS.get(code)
    return known if known is not None else Provider(code, name or code, ((name or code).casefold(),))


def provider_at(account: str) -> Provider:
    """The provider of the account with this id; a provider added by a person has its given name."""
    code, _, name = account.partition(":")
    return provider_of(code, name)


def account_at(code: str, name: str) -> str:
    """The id of the shop's account of this name at a provider: `stripe:Stripe EUR`, never that of a bank account."""
    return f"{code}:{' '.join(name.split())}"


def is_at_provider(account: str) -> bool:
    """Whether this is the id of an account at a provider; no IBAN or account number of a bank has a colon."""
    return ":" in account


class SearchedTexts:
    """Texts of postings in which ids are found even if a bank has wrapped, cut or capitalised them."""

    def __init__(self, texts: Iterable[tuple[int, Iterable[str]]]) -> None:
        self._squeezed, self._written = _Haystack(), _Haystack()
        for posting_id, parts in texts:
            for part in filter(None, parts):
                self._squeezed.add(posting_id, _without_blanks(part))
                plain = _MARKS.sub("", part)
                self._written.add(posting_id, plain.replace("\n", " "))
                self._written.add(posting_id, plain.replace("\n", ""))

    def naming(self, *ids: str) -> list[int]:
        """The postings whose texts name one of these ids; an id of digits is never part of a longer number."""
        found: set[int] = set()
        for wanted in map(_without_blanks, ids):
            if len(wanted) < MIN_ID:
                continue
            if wanted.isdigit():
                found.update(self._written.positions_of(wanted, is_number=True))
            else:
                found.update(self._squeezed.positions_of(wanted))
        return sorted(found)


class _Haystack:
    """Many texts joined, so one search covers all of them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._owners: list[int] = []
        self._length = 0
        self._text: str | None = None

    def add(self, owner: int, text: str) -> None:
        self._starts.append(self._length)
        self._owners.append(owner)
        self._parts.append(text)
        self._length += len(text) + 1

    def positions_of(self, wanted: str, *, is_number: bool = False) -> Iterator[int]:
        if self._text is None:
            self._text = "\0".join(self._parts)
        at = self._text.find(wanted)
        while at >= 0:
            around = self._text[at - 1 : at] + self._text[at + len(wanted) : at + len(wanted) + 1]
            if not is_number or not any(map(str.isdigit, around)):
                yield self._owners[bisect_right(self._starts, at) - 1]
            at = self._text.find(wanted, at + 1)


def _without_blanks(text: str) -> str:
    return _BETWEEN.sub("", text).upper()
