"""API keys and their scopes: `pm_live_` or `pm_test_`, the shop, a secret; kept as SHA-256 (D-17, D-37)."""

from __future__ import annotations

import hashlib
from collections.abc import Set
from enum import StrEnum
from typing import Final
from uuid import UUID

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGIT: Final = {char: value for value, char in enumerate(_ALPHABET)}
_SHOP_LENGTH: Final = 22
_LIVE: Final = "pm_live_"
_TEST: Final = "pm_test_"
_AGENCY: Final = "pm_agcy_"
SECRET_BYTES: Final = 24
"""Random bytes that a secret is made of, at least."""
SECRET_LENGTH: Final = 32
"""Characters of the secret part: 190 bits, far above the 112 that allow a plain hash."""

_PLACEHOLDERS: Final = frozenset({"API_KEY", "YOUR_API_KEY"})
_AROUND_PLACEHOLDERS: Final = "<>{}[]$%'\" "


def api_key(shop: UUID, *, live: bool, secret: bytes) -> str:
    """A new key from at least 24 random bytes."""
    return (_LIVE if live else _TEST) + _body(shop, secret)


def agency_token(shop: UUID, secret: bytes) -> str:
    """A new token of the shop's collection agency from at least 24 random bytes (D-61)."""
    return _AGENCY + _body(shop, secret)


def is_agency_token(key: str) -> bool:
    """Whether the key has the form of a collection agency's token."""
    return key.startswith(_AGENCY)


def shop_of(key: str) -> UUID | None:
    """The shop that the key names, or None if it does not have the form of a key."""
    if len(key) != 8 + _SHOP_LENGTH + SECRET_LENGTH or not key.startswith((_LIVE, _TEST, _AGENCY)):
        return None
    number = 0
    for char in key[8 : 8 + _SHOP_LENGTH]:
        digit = _DIGIT.get(char)
        if digit is None:
            return None
        number = number * 62 + digit
    return UUID(int=number) if number < 1 << 128 else None


def hash_of(key: str) -> bytes:
    """The stored form of a key."""
    return hashlib.sha256(key.encode()).digest()


def hint_of(key: str) -> str:
    """The visible part of a stored key: its prefix and its last four characters."""
    return f"{key[:8]}...{key[-4:]}"


def is_placeholder(key: str) -> bool:
    """True for the literal placeholder of the documentation and its obvious variants (Authentication 3; D-17)."""
    return key.strip(_AROUND_PLACEHOLDERS).upper().replace(" ", "_").replace("-", "_") in _PLACEHOLDERS


def _body(shop: UUID, secret: bytes) -> str:
    return _encode(shop.int, _SHOP_LENGTH) + _encode(int.from_bytes(secret, "big"), SECRET_LENGTH)


def _encode(number: int, length: int) -> str:
    """The last `length` digits of the number to the base 62."""
    chars: list[str] = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        chars.append(_ALPHABET[digit])
    return "".join(reversed(chars))


class KeyScope(StrEnum):
    """A permission of a key."""

    READ = "read"  # every GET
    ORDERS = "orders"  # submit and change orders; also reads
    REFUNDS = "refunds"  # file and cancel refunds; also reads
    STATEMENTS = "statements"  # upload bank statements and read their status, nothing else
    COLLECTION = "collection"  # reports of a collection agency, nothing else (D-54)


READ_WRITE: Final = "read-write"
"""The joint name of orders and refunds, from before there were scopes."""

_READERS: Final = frozenset({KeyScope.READ, KeyScope.ORDERS, KeyScope.REFUNDS})
_WRITERS: Final = frozenset({KeyScope.ORDERS, KeyScope.REFUNDS})


def parse_scopes(text: str) -> frozenset[KeyScope]:
    """Scopes from their names, separated by commas; ValueError for an unknown name, or none."""
    found: set[KeyScope] = set()
    for name in text.split(","):
        found |= _WRITERS if name.strip() == READ_WRITE else {KeyScope(name.strip())}
    return frozenset(found)


def scopes_text(scopes: Set[KeyScope]) -> str:
    """The scopes as text, the same text for the same scopes."""
    names = [READ_WRITE] if scopes >= _WRITERS else []
    names += [str(each) for each in KeyScope if each in scopes and not (names and each in _WRITERS)]
    return ",".join(names)


def allows(scopes: Set[KeyScope], needed: KeyScope, *, sandbox: bool) -> bool:
    """Whether a key with these scopes may do work that needs `needed`.

    In a sandbox shop no money moves: a key that writes orders uploads statements as well.
    """
    if needed is KeyScope.READ:
        return not _READERS.isdisjoint(scopes)
    if needed is KeyScope.STATEMENTS and sandbox and not _WRITERS.isdisjoint(scopes):
        return True
    return needed in scopes


def only_reads(scopes: Set[KeyScope]) -> bool:
    """True for a key that changes nothing."""
    return scopes == {KeyScope.READ}
