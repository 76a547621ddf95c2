"""Links to an order's own page: the shop and a secret in one token; only the secret's hash is looked up (D-51)."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from datetime import timedelta
from typing import Final
from uuid import UUID

SECRET_BYTES: Final = 24
"""192 random bits: too many to guess."""

TOKEN_LENGTH: Final = 54
"""Characters of a token: 40 bytes in Base64 without padding."""

VALID: Final = timedelta(days=180)
"""How long a link works after a mail or a person last gave it out."""

NO_SHOP: Final = UUID(int=0)


def link_token(shop: UUID, secret: bytes) -> str:
    """The token of a link from SECRET_BYTES random bytes."""
    assert len(secret) == SECRET_BYTES
    return urlsafe_b64encode(shop.bytes + secret).rstrip(b"=").decode()


def shop_of(token: str) -> UUID:
    """The shop that the token names; NO_SHOP if malformed, so it is looked up like any other."""
    if len(token) != TOKEN_LENGTH or not token.isascii():
        return NO_SHOP
    try:
        whole = urlsafe_b64decode(token + "==")
    except (Error, ValueError):
        return NO_SHOP
    return UUID(bytes=whole[:16]) if len(whole) == 16 + SECRET_BYTES else NO_SHOP


def hash_of(token: str) -> bytes:
    """The hash of a token, which is its key in the database."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
