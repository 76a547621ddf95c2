"""A person in the shop's data: the details of a request, and the identifiers that find them everywhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html.entities import codepoint2name
from typing import Any, Final, NamedTuple

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.books.identity import squash
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

ERASED: Final = "[erased]"
"""The replacement for a person's name."""

_SHORTEST: Final = 6
_RUN_TOGETHER: Final = 8
"""Letters that a name of several words must have at least to be recognised without a gap, as in names of files."""
_BEGIN: Final = r"(?:(?<![\w@])|(?<=\\[nrt]))"
"""Not within a word; a line break within JSON is two characters, the second of them a letter."""
_GAP_CHARACTER: Final = r"(?:[\s,;.+/_-]|\\[nrt]|%20)"
_GAP: Final = f"{_GAP_CHARACTER}{{1,4}}"
_MAY_BE_GAP: Final = f"{_GAP_CHARACTER}{{0,4}}"
_IN_NUMBERS: Final = r"[\s/().-]{0,3}"
_UMLAUTS: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"}
_PAIRS: Final = {pair: tuple(each for each, two in _UMLAUTS.items() if two == pair) for pair in _UMLAUTS.values()}
_PLAIN: Final = {"ł": "l", "ø": "o", "đ": "d", "æ": "a"}
_MARKS: Final = "[\u0300-\u036f]{0,2}"
"""Accents that follow their letter (Unicode NFD)."""
_APOSTROPHES: Final = "'\u2019\u2018`\u00b4"
_STREET: Final = re.compile(r"(?i)str(?:\.|asse|aße)$")
_LONG_CODES: Final = ("35", "37", "38", "42")
"""First digits of Europe's country codes of three digits; all others have two."""


class PersonRefused(Refused):
    """The given details do not identify a person, or find no one."""


class Sought(NamedTuple):
    """The details that identify a person; all given ones must agree."""

    email: str = ""
    name: str = ""
    iban: str = ""
    customer: str = ""  # the shop's number of the customer


def sought(email: str = "", name: str = "", iban: str = "", customer: str = "") -> Sought:
    """The cleaned details. PersonRefused if there are none, or too few to identify a person."""
    found = Sought(email.strip(), " ".join(name.split()), "".join(iban.split()).upper(), customer.strip())
    if not any(found):
        raise PersonRefused(Message("person-not-named"))
    if found.name and len(squash(found.name)) < 4:
        raise PersonRefused(Message("person-short-name"))
    return found


class IdentityKind(StrEnum):
    """The kind of an identifier."""

    EMAIL = "email"
    NAME = "name"
    IBAN = "iban"
    PHONE = "phone"
    STREET = "street"


class Identifier(NamedTuple):
    """A text that identifies the person wherever it appears."""

    kind: IdentityKind
    value: str

    @property
    def pattern(self) -> str:
        """A regular expression that Python and PostgreSQL read alike; it matches the value as people write it."""
        begin = r"(?<![\w.+-])" if self.kind is IdentityKind.EMAIL else _BEGIN
        return rf"{begin}{_body(self)}(?!\w)"


def _body(identifier: Identifier) -> str:
    kind, value = identifier
    match kind:
        case IdentityKind.IBAN:
            return r"[\s.-]?".join(_letter(each) for each in value)
        case IdentityKind.PHONE:
            return _phone("".join(each for each in value if each.isdigit() or each == "+"))
        case IdentityKind.NAME:
            return _name(value.split())
        case IdentityKind.STREET:
            return r"\s+".join(_street_word(word) for word in value.split())
        case _:
            return r"\s+".join(_word(word) for word in value.split())


def _name(words: Sequence[str]) -> str:
    """The name with its words in this order, or the last one first."""
    written = [_MAY_BE_GAP.join(_word(part) for part in word.split("-") if part) or _word(word) for word in words]
    if len(written) == 1:
        return written[0]
    gap = _MAY_BE_GAP if sum(map(len, words)) >= _RUN_TOGETHER else _GAP
    return f"(?:{gap.join(written)}|{gap.join([written[-1], *written[:-1]])})"


def _street_word(word: str) -> str:
    """The word; `straße` also with `ss` and shortened."""
    ending = _STREET.search(word)
    if ending is None:
        return _word(word)
    return _word(word[: ending.start()]) + r"[Ss][Tt][Rr](?:\.|" + _word("aße") + ")"


def _phone(number: str) -> str:
    """The number with its country code, with another one, or as it is dialled within its country."""
    digits = number.removeprefix("+") if number.startswith("+") else ""
    if number.startswith("00"):
        digits = number[2:]
    local = digits[3 if digits.startswith(_LONG_CODES) else 2 :] if digits else number.lstrip("0")
    prefix = rf"(?:(?:\+|00)[1-9][0-9]{{1,2}}{_IN_NUMBERS}(?:0{_IN_NUMBERS})?|0)?"
    return prefix + _IN_NUMBERS.join(local)


def _word(word: str) -> str:
    """The word letter by letter; two letters for an umlaut also as the umlaut."""
    letters, found, place = unicodedata.normalize("NFC", word), [], 0
    while place < len(letters):
        pair = letters[place : place + 2]
        if pair.lower() in _PAIRS:
            umlauts = "|".join(_letter(each) for each in _PAIRS[pair.lower()])
            found.append(f"(?:{_letter(pair[0])}{_letter(pair[1])}|{umlauts})")
            place += 2
        else:
            found.append(_letter(pair[0]))
            place += 1
    return "".join(found)


def _letter(letter: str) -> str:
    """The letter in both cases, with or without its accent, also as JSON and XML may write it.

    Umlauts also as two letters, apostrophes of any kind or none.
    """
    if letter in _APOSTROPHES:
        return f"[{_APOSTROPHES}]?"
    low = letter.lower()
    if low.isascii():
        return re.escape(low) if low == low.upper() else f"[{low}{low.upper()}]"
    plain = "".join(each for each in unicodedata.normalize("NFKD", low) if not unicodedata.combining(each))
    plain = _PLAIN.get(low, plain)
    forms = [re.escape(form) for form in dict.fromkeys((low, low.upper())) if form]
    forms += [re.escape(form) + _MARKS for form in dict.fromkeys((plain, plain.upper())) if form]
    if low in _UMLAUTS:
        pair = _UMLAUTS[low]
        forms += [pair, pair.upper(), pair.capitalize()]
    forms += [each for form in dict.fromkeys((low, low.upper())) if len(form) == 1 for each in _escapes(form)]
    return f"(?:{'|'.join(dict.fromkeys(forms))})"


def _escapes(letter: str) -> tuple[str, ...]:
    """How JSON, also within JSON, XML and addresses write the letter in ASCII."""
    code = ord(letter)
    digits = "".join(f"[{each}{each.upper()}]" if each.isalpha() else each for each in f"{code:x}")
    coded = "".join(f"%{byte:02X}" for byte in letter.encode())
    named = [f"&(?:amp;)?{codepoint2name[code]};"] if code in codepoint2name else []
    return (
        rf"\\{{1,2}}u{'0' * (4 - len(f'{code:x}'))}{digits}",
        f"&(?:amp;)?#{code};",
        f"&(?:amp;)?#[xX]0*{digits};",
        coded,
        *named,
    )


@dataclass(frozen=True, slots=True)
class CustomerIdentity:
    """The customer of an order, from its document."""

    email: str
    number: str
    identifiers: frozenset[Identifier]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the addresses."""
        return tuple(sorted(each.value for each in self.identifiers if each.kind is IdentityKind.NAME))


def customer_of(document: Mapping[str, Any]) -> CustomerIdentity:
    """The customer and recipient of the order in this document."""
    found: set[Identifier] = set()
    email = str(document.get("customerEmail") or "")
    if email:
        found.add(Identifier(IdentityKind.EMAIL, email))
    for address in (document.get("billing") or {}, document.get("shipping") or {}):
        found |= set(_of_address(address))
    return CustomerIdentity(email, str(document.get("customerNumber") or ""), frozenset(found))


def _of_address(address: Mapping[str, Any]) -> Iterable[Identifier]:
    name = f"{address.get('firstName') or ''} {address.get('lastName') or ''}".strip()
    for each in (name, address.get("company") or ""):
        words = " ".join(each.split())
        if words and words != ERASED and (" " in words or len(words) >= _SHORTEST):
            yield Identifier(IdentityKind.NAME, words)
    street = " ".join(str(address.get("street") or "").split())
    if len(street) >= _SHORTEST and any(letter.isdigit() for letter in street):
        yield Identifier(IdentityKind.STREET, street)
    phone = str(address.get("phone") or "")
    if sum(letter.isdigit() for letter in phone) >= _SHORTEST:
        yield Identifier(IdentityKind.PHONE, phone)


def is_named(customer: CustomerIdentity, name: str) -> bool:
    """Whether one of the customer's names is this one, in any order and spelling."""
    wanted = sorted(squash(word) for word in name.split())
    return any(sorted(squash(word) for word in each.split()) == wanted for each in customer.names)


def name_of(name: str) -> Identifier:
    """A name as an identifier."""
    return Identifier(IdentityKind.NAME, name)


def accounts_of(ibans: Iterable[str]) -> set[Identifier]:
    """Accounts as identifiers, also as they are shown masked."""
    found = {Identifier(IdentityKind.IBAN, iban) for iban in ibans if len(iban) >= _SHORTEST}
    return found | {Identifier(IdentityKind.IBAN, masked_account(each.value)) for each in found}


def pattern_of(identifiers: Iterable[Identifier]) -> str:
    """One regular expression for all of them; one that matches nothing if there are none."""
    every = sorted({each.pattern for each in identifiers}, key=lambda each: (-len(each), each))
    return "|".join(every) if every else r"(?!)"
