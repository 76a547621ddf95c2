"""API keys: `pm_live_` or `pm_test_`, the shop in 22 characters, a secret of 32; kept as SHA-256 (D-17).

The key carries its shop, so that the look-up goes to the shop's own rows and needs no index over all shops.
A collection agency's token has the same form, `pm_agcy_` (D-61).
"""

from __future__ import annotations

import hashlib
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
    """The shop that the key names, or None if it has not the form of a key."""
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
    """What is stored of a key."""
    return hashlib.sha256(key.encode()).digest()


def hint_of(key: str) -> str:
    """What people see of a key once it is stored: its prefix and its last four characters."""
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
