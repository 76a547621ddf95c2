"""API keys: `pm_live_` or `pm_test_`, the shop in 22 characters, a secret of 32; kept as SHA-256 (D-17).

The key carries its shop, so that the look-up goes to the shop's own rows and needs no index over all shops.
"""

from __future__ import annotations

import hashlib
from typing import Final
from uuid import UUID

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGIT: Final = {char: value for value, char in enumerate(_ALPHABET)}
_SHOP_LENGTH: Final = 22
SECRET_LENGTH: Final = 32
"""Characters of the secret part: 190 bits, far above the 112 that allow a plain hash."""

_PLACEHOLDERS: Final = frozenset({"API_KEY", "YOUR_API_KEY"})
_AROUND_PLACEHOLDERS: Final = "<>{}[]$%'\" "


def api_key(shop: UUID, *, live: bool, secret: bytes) -> str:
    """A new key from at least 24 random bytes."""
    body = _encode(int.from_bytes(secret, "big") % 62**SECRET_LENGTH, SECRET_LENGTH)
    return f"pm_{'live' if live else 'test'}_{_encode(shop.int, _SHOP_LENGTH)}{body}"


def shop_of(key: str) -> UUID | None:
    """The shop that the key names, or None if it has not the form of a key."""
    if len(key) != 8 + _SHOP_LENGTH + SECRET_LENGTH or not key.startswith(("pm_live_", "pm_test_")):
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


def _encode(number: int, length: int) -> str:
    chars: list[str] = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        chars.append(_ALPHABET[digit])
    return "".join(reversed(chars))
