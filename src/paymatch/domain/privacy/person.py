"""A person as the shop's data knows them: by what they are asked for, and by what they are found everywhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.books.identity import squash
from paymatch.domain.refusal import Refused
from paymatch.domain.words.said import Said

ERASED: Final = "[erased]"
"""What stands where the person was named."""

_SHORTEST: Final = 6
_BEGIN: Final = r"(?:(?<![\w@])|(?<=\\[nrt]))"
"""Not within a word; a line break within JSON is two characters, the second of them a letter."""
_GAP: Final = r"(?:[\s,;.+/_-]|\\[nrt]){1,4}"
_IN_NUMBERS: Final = r"[\s/().-]{0,3}"
_UMLAUTS: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"}

_PLAIN: Final = {"ł": "l", "ø": "o", "đ": "d", "æ": "a"}


class PersonRefused(Refused):
    """What was given does not say who is meant, or nobody is found by it."""


class Sought(NamedTuple):
    """By what a person is asked for; all that is given must agree."""

    email: str = ""
    name: str = ""
    iban: str = ""
    customer: str = ""  # the shop's number of the customer


def sought(email: str = "", name: str = "", iban: str = "", customer: str = "") -> Sought:
    """What is asked for, cleaned. PersonRefused if nothing is given, or too little to mean somebody."""
    found = Sought(email.strip(), " ".join(name.split()), "".join(iban.split()).upper(), customer.strip())
    if not any(found):
        raise PersonRefused(Said("person-not-named"))
    if found.name and len(squash(found.name)) < 4:
        raise PersonRefused(Said("person-short-name"))
    return found


class Kind(StrEnum):
    """What a person is recognised by."""

    EMAIL = "email"
    NAME = "name"
    IBAN = "iban"
    PHONE = "phone"
    STREET = "street"


class Identifier(NamedTuple):
    """Something by which the person is recognised wherever it stands."""

    kind: Kind
    value: str

    @property
    def pattern(self) -> str:
        """A regular expression that Python and PostgreSQL read alike; it stands for the value as people write it."""
        begin = r"(?<![\w.+-])" if self.kind is Kind.EMAIL else _BEGIN
        return rf"{begin}{_body(self)}(?!\w)"


def _body(identifier: Identifier) -> str:
    kind, value = identifier
    if kind is Kind.IBAN:
        return r"\s?".join(_letter(each) for each in value)
    if kind is Kind.PHONE:
        return _IN_NUMBERS.join(re.escape(each) for each in re.sub(r"[^0-9+]", "", value))
    words = [_word(word) for word in value.split()]
    if kind is Kind.NAME and len(words) > 1:
        turned = [words[-1], *words[:-1]]
        return f"(?:{_GAP.join(words)}|{_GAP.join(turned)})"
    return (_GAP if kind is Kind.NAME else r"\s+").join(words)


def _word(word: str) -> str:
    return "".join(_letter(each) for each in unicodedata.normalize("NFC", word))


def _letter(letter: str) -> str:
    """The letter in both cases, with or without its accent; umlauts also as two letters."""
    low = letter.lower()
    plain = "".join(each for each in unicodedata.normalize("NFKD", low) if not unicodedata.combining(each))
    plain = _PLAIN.get(low, plain)
    forms = dict.fromkeys((low, low.upper(), plain, plain.upper()))
    if low in _UMLAUTS:
        pair = _UMLAUTS[low]
        forms |= dict.fromkeys((pair, pair.upper(), pair.capitalize()))
    several = [re.escape(form) for form in forms if form]
    return several[0] if len(several) == 1 else f"(?:{'|'.join(several)})"


@dataclass(frozen=True, slots=True)
class Customer:
    """Who an order is from, as its document says."""

    email: str
    number: str
    identifiers: frozenset[Identifier]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the addresses."""
        return tuple(sorted(each.value for each in self.identifiers if each.kind is Kind.NAME))


def customer_of(document: Mapping[str, Any]) -> Customer:
    """Who the order of this document is from, and to whom it goes."""
    found: set[Identifier] = set()
    email = str(document.get("customerEmail") or "")
    if email:
        found.add(Identifier(Kind.EMAIL, email))
    for address in (document.get("billing") or {}, document.get("shipping") or {}):
        found |= set(_of_address(address))
    return Customer(email, str(document.get("customerNumber") or ""), frozenset(found))


def _of_address(address: Mapping[str, Any]) -> Iterable[Identifier]:
    name = f"{address.get('firstName') or ''} {address.get('lastName') or ''}".strip()
    for each in (name, address.get("company") or ""):
        words = " ".join(each.split())
        if words and words != ERASED and (" " in words or len(words) >= _SHORTEST):
            yield Identifier(Kind.NAME, words)
    street = " ".join(str(address.get("street") or "").split())
    if len(street) >= _SHORTEST and any(letter.isdigit() for letter in street):
        yield Identifier(Kind.STREET, street)
    phone = str(address.get("phone") or "")
    if sum(letter.isdigit() for letter in phone) >= _SHORTEST:
        yield Identifier(Kind.PHONE, phone)


def is_named(customer: Customer, name: str) -> bool:
    """Whether one of the customer's names is this one, in whatever order and spelling."""
    wanted = sorted(squash(word) for word in name.split())
    return any(sorted(squash(word) for word in each.split()) == wanted for each in customer.names)


def name_of(name: str) -> Identifier:
    """A name as an identifier."""
    return Identifier(Kind.NAME, name)


def accounts_of(ibans: Iterable[str]) -> set[Identifier]:
    """Accounts as identifiers, also as they are shown masked."""
    found = {Identifier(Kind.IBAN, iban) for iban in ibans if len(iban) >= _SHORTEST}
    return found | {Identifier(Kind.IBAN, masked_account(each.value)) for each in found}


def pattern_of(identifiers: Iterable[Identifier]) -> str:
    """One regular expression for all of them; one that matches nothing if there are none."""
    every = sorted({each.pattern for each in identifiers}, key=lambda each: (-len(each), each))
    return "|".join(every) if every else r"(?!)"


_KEPT: Final = (
    "number", "date", "dueDate", "type", "amount", "currency", "exchangeRate", "paymentMethod", "language",
    "itemNumbers", "invoiceNumbers", "proformaNumbers", "initialDunningLevel", "stopReminder",
)  # fmt: skip


def erased_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of an order: its numbers, days and amounts, which goods by their numbers, and the country."""
    kept = {name: document[name] for name in _KEPT if name in document}
    items: Sequence[Mapping[str, Any]] = document.get("items") or ()
    if items:
        kept["items"] = [{"number": item["number"]} for item in items]
    country = (document.get("billing") or {}).get("countryCode")
    kept["billing"] = {"lastName": ERASED, **({"countryCode": country} if country else {})}
    return kept
